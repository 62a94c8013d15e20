// 64-bit content hashes (XXH3): parameters, checkpoints, fingerprints.

#ifndef GYRE_CORE_HASH_H_
#define GYRE_CORE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gyre::internal::inline core {

std::uint64_t Hash64(const void* data,
                     std::size_t bytes,
                     std::uint64_t seed = 0);
inline std::uint64_t Hash64(std::string_view text, std::uint64_t seed = 0) {
  return Hash64(text.data(), text.size(), seed);
}

// 16 lower-case hexadecimal digits.
std::string HexHash(std::uint64_t hash);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_HASH_H_
