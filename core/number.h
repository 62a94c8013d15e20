// Numbers as text, for descriptions that are compared.

#ifndef GYRE_CORE_NUMBER_H_
#define GYRE_CORE_NUMBER_H_

#include <charconv>
#include <string>

namespace gyre::internal::inline core {

// The shortest text that reads back as the same number.
inline std::string Number(double x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), x).ptr;
  return std::string(text, end);
}

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_NUMBER_H_
