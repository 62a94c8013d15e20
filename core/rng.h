// Random numbers as a pure function of a key: no state, so a step replayed
// with its key draws the same numbers, on any rank and in any order.
//
//   Rng rng({.seed = 7, .step = 412, .stream = 3});
//   float u = rng.Uniform(i);   // the i-th number in [0, 1)
//   float z = rng.Normal(i);
//
// Source: Philox4x32-10, Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011.

#ifndef GYRE_CORE_RNG_H_
#define GYRE_CORE_RNG_H_

#include <array>
#include <cstdint>
#include <vector>

namespace gyre {

struct RngKey {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::uint32_t stream = 0;  // e.g. the operation or parameter that draws
};

// One block of the generator: 128 random bits for a counter and a key.
std::array<std::uint32_t, 4> Philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

class Rng {
 public:
  explicit Rng(const RngKey& key) : key_(key) {}

  std::uint32_t Bits(std::uint64_t i) const;
  float Uniform(std::uint64_t i) const;  // [0, 1), 24 bits
  float Normal(std::uint64_t i) const;   // mean 0, variance 1 (Box-Muller)

 private:
  RngKey key_;
};

// A random order of 0 .. n-1 (Fisher-Yates).
std::vector<std::int64_t> Permutation(std::int64_t n, const RngKey& key);

}  // namespace gyre

#endif  // GYRE_CORE_RNG_H_
