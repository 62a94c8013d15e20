#include "gyre/core/rng.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace gyre {

using namespace internal;

std::array<std::uint32_t, 4> Philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

std::uint32_t Rng::Bits(std::uint64_t i) const {
  // Word i % 4 of block i / 4. The block number and the stream share the
  // counter's first half, the step fills the second.
  const std::uint64_t block = i / 4;
  const std::array<std::uint32_t, 4> counter = {
      static_cast<std::uint32_t>(block),
      static_cast<std::uint32_t>(block >> 32) ^ key_.stream,
      static_cast<std::uint32_t>(key_.step),
      static_cast<std::uint32_t>(key_.step >> 32)};
  const std::array<std::uint32_t, 2> key = {
      static_cast<std::uint32_t>(key_.seed),
      static_cast<std::uint32_t>(key_.seed >> 32)};
  return Philox(counter, key)[i % 4];
}

float Rng::Uniform(std::uint64_t i) const {
  return static_cast<float>(Bits(i) >> 8) * 0x1p-24f;
}

float Rng::Normal(std::uint64_t i) const {
  // 1 - u is in (0, 1], so the logarithm is finite.
  const double u = 1.0 - static_cast<double>(Uniform(2 * i));
  const double v = Uniform(2 * i + 1);
  return static_cast<float>(std::sqrt(-2.0 * std::log(u)) *
                            std::cos(2.0 * std::numbers::pi * v));
}

std::vector<std::int64_t> Permutation(std::int64_t n, const RngKey& key) {
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  const Rng rng(key);
  for (std::int64_t i = n - 1; i > 0; --i) {
    // 64 bits modulo i + 1: the bias is below 2^-32 for any data set.
    const std::uint64_t bits =
        (std::uint64_t{rng.Bits(2 * i)} << 32) | rng.Bits(2 * i + 1);
    std::swap(order[i], order[bits % static_cast<std::uint64_t>(i + 1)]);
  }
  return order;
}

}  // namespace gyre
