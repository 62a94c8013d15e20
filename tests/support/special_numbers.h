// The numbers that tests of numbers try: they convert to double as they are.

#ifndef GYRE_TESTS_SUPPORT_SPECIAL_NUMBERS_H_
#define GYRE_TESTS_SUPPORT_SPECIAL_NUMBERS_H_

#include <limits>

namespace gyre::internal::inline tests {

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_SPECIAL_NUMBERS_H_
