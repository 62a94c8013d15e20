#include "gyre/autodiff/exec/random_kernel.h"

#include <gtest/gtest.h>

#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/hash.h"
#include "gyre/core/rng.h"

namespace gyre::internal::inline tests {
namespace {

std::vector<float> Drawn(std::int64_t count,
                         Draw draw,
                         const RandomSource& source,
                         std::int64_t step,
                         KernelSet set) {
  KernelRequest request;
  request.outputs = {{Shape({count}), DType::kF32}};
  request.output_used = {1};
  request.set = set;
  const auto kernel = MakeRandomKernel(request, draw, source);
  EXPECT_TRUE(kernel.ok());
  std::vector<float> out(count + 1, -7.0f);
  void* const to[] = {out.data()};
  const StepContext context{nullptr, step};
  EXPECT_TRUE((*kernel)->Run({nullptr, to, nullptr, &context}).ok());
  EXPECT_EQ(out.back(), -7.0f) << "wrote past the end";
  out.pop_back();
  return out;
}

// What the header promises, from core/rng.h's Philox.
TEST(RandomKernel, UniformNumbersAreWordsOfPhilox) {
  const RandomSource source{.seed = 11, .name = 22};
  const std::uint64_t words[] = {11, 22, 0};
  const std::uint64_t hash = Hash64(words, sizeof words);
  const std::int64_t step = (std::int64_t{3} << 32) + 5;
  const auto u = Drawn(70, Draw::kUniform, source, step, KernelSet::kFast);
  for (std::uint32_t i = 0; i < u.size(); ++i) {
    const std::uint32_t block = i / 32 * 8 + i % 8;
    const auto bits = Philox({block, 0, 5, 3},
                             {static_cast<std::uint32_t>(hash),
                              static_cast<std::uint32_t>(hash >> 32)});
    const std::uint32_t word = bits[i % 32 / 8];
    EXPECT_EQ(u[i], static_cast<float>(word >> 8) * 0x1p-24f) << i;
  }
}

TEST(RandomKernel, SetsAgreeForAnyCount) {
  for (const Draw draw : {Draw::kUniform, Draw::kNormal}) {
    for (const std::int64_t count : {0, 1, 31, 32, 33, 100}) {
      const RandomSource source{.seed = 1, .name = 2};
      EXPECT_EQ(Drawn(count, draw, source, 9, KernelSet::kFast),
                Drawn(count, draw, source, 9, KernelSet::kReference));
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
