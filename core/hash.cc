#include "gyre/core/hash.h"

// Inlined here, it uses the vector registers that this build may use; the
// library uses those that every machine has.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

namespace gyre::internal::inline core {

std::uint64_t Hash64(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

std::string HexHash(std::uint64_t hash) {
  char text[17];
  std::snprintf(
      text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace gyre::internal::inline core
