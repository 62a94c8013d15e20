#include "gyre/autodiff/exec/reduce_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/core/half.h"
#include "gyre/core/math.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

const Reduction kOps[] = {
    Reduction::kSum, Reduction::kProd, Reduction::kMax, Reduction::kMin};

// Of a plain tensor.
ReduceProgram Identity(const Shape& extents,
                       std::vector<int> axes,
                       Reduction op) {
  TileProgram p{.compute = DType::kF32, .extents = extents};
  const auto x = p.AddInput(DType::kF32, RowMajorStrides(extents));
  p.AddOutput(x, DType::kF32);
  return {.producer = p, .axes = std::move(axes), .op = op};
}

std::vector<float> Reduce(const ReduceProgram& program,
                          const std::vector<const void*>& in) {
  const auto kernel = ReduceKernel::Prepare(program);
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  std::vector<float> out(kernel->shape().elements() + 1, -77.0f);
  AlignedBuffer scratch = AllocateAligned(kernel->scratch_bytes());
  std::memset(scratch.get(), 0xff, kernel->scratch_bytes());
  kernel->Run(in.data(), out.data(), scratch.get());
  EXPECT_EQ(out.back(), -77.0f);
  out.pop_back();
  return out;
}

double Combine(Reduction op, double a, double b) {
  switch (op) {
    case Reduction::kSum:
      return a + b;
    case Reduction::kProd:
      return a * b;
    case Reduction::kMax:
      return math::max(a, b);
    case Reduction::kMin:
      return math::min(a, b);
  }
  return 0;
}

std::vector<double> Naive(const Shape& extents,
                          const std::vector<int>& axes,
                          Reduction op,
                          const std::vector<float>& x) {
  const double identity[] = {0, 1, -kInf, kInf};
  std::vector<bool> vanishes(extents.rank());
  for (const int axis : axes) vanishes[axis] = true;
  std::int64_t results = 1;
  for (int i = 0; i < extents.rank(); ++i) {
    if (!vanishes[i]) results *= extents[i];
  }
  std::vector<double> out(results, identity[static_cast<int>(op)]);
  for (std::int64_t flat = 0; flat < extents.elements(); ++flat) {
    std::int64_t rest = flat, offset = 0, stride = 1;
    for (int axis = extents.rank() - 1; axis >= 0; --axis) {
      if (!vanishes[axis]) {
        offset += rest % extents[axis] * stride;
        stride *= extents[axis];
      }
      rest /= extents[axis];
    }
    out[offset] = Combine(op, out[offset], x[flat]);
  }
  return out;
}

std::vector<float> RandomReduceKernel(std::int64_t n, std::uint32_t seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<float> real(0.9f, 1.1f);
  std::vector<float> x(n);
  for (float& v : x) v = real(rng);
  return x;
}

void ExpectRight(const Shape& extents, const std::vector<int>& axes) {
  const std::vector<float> x = RandomReduceKernel(extents.elements(), 7);
  for (const Reduction op : kOps) {
    const auto got = Reduce(Identity(extents, axes, op), {x.data()});
    const auto want = Naive(extents, axes, op, x);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], want[i], 2e-6 * std::abs(want[i]))
          << op << " of " << extents << ", result " << i;
    }
  }
}

TEST(ReduceKernel, EverySubsetOfAxes) {
  const Shape shapes[] = {Shape({3, 4, 5, 6}),
                          Shape({2, 1, 37, 3}),
                          Shape({1, 700, 1, 2}),
                          Shape({2, 3, 1, 600})};
  for (const Shape& extents : shapes) {
    for (int subset = 0; subset < 16; ++subset) {
      std::vector<int> axes;
      for (int axis = 0; axis < 4; ++axis) {
        if (subset >> axis & 1) axes.push_back(axis);
      }
      ExpectRight(extents, axes);
    }
  }
}

TEST(ReduceKernel, EverySize) {
  for (const std::int64_t n : {1, 7, 8, 31, 32, 33, 511, 512, 513, 1025}) {
    ExpectRight(Shape({n}), {0});
    ExpectRight(Shape({3, n}), {1});
    ExpectRight(Shape({n, 3}), {0});
  }
  ExpectRight(Shape({}), {});
}

TEST(ReduceKernel, LargeSumsKeepTheirDigits) {
  // A plain f32 loop stops at 2^24 here.
  const Shape extents({1 << 25});
  TileProgram p{.compute = DType::kF32, .extents = extents};
  p.AddOutput(p.Constant(1), DType::kF32);
  ReduceProgram r{.producer = p, .axes = {0}};
  EXPECT_EQ(Reduce(r, {})[0], 0x1p25f);
  r.producer.extents = Shape({100000});
  r.producer.instructions[0].imm = 0.1;
  EXPECT_NEAR(Reduce(r, {})[0], 1e5 * double{0.1f}, 1e-2);
}

TEST(ReduceKernel, FusedProducer) {
  const std::vector<float> a = RandomReduceKernel(6000, 1),
                           b = RandomReduceKernel(30, 2);
  TileProgram p{.compute = DType::kF32, .extents = Shape({200, 30})};
  const auto x = p.AddInput(DType::kF32, {30, 1});
  const auto y = p.AddInput(DType::kF32, {0, 1});
  p.AddOutput(p.Emit(Code::kSquare, p.Emit(Code::kSub, x, y)), DType::kF32);
  const auto got = Reduce({.producer = p, .axes = {0}}, {a.data(), b.data()});
  ASSERT_EQ(got.size(), 30u);
  for (int j = 0; j < 30; ++j) {
    double want = 0;
    for (int i = 0; i < 200; ++i) {
      want += std::pow(double{a[i * 30 + j]} - double{b[j]}, 2);
    }
    EXPECT_NEAR(got[j], want, 1e-5 * want);
  }
}

TEST(ReduceKernel, NothingGivesTheIdentity) {
  const float expected[] = {0, 1, -kInf, kInf};
  for (const Reduction op : kOps) {
    const auto got = Reduce(Identity(Shape({3, 0}), {1}, op), {nullptr});
    ASSERT_EQ(got.size(), 3u);
    for (const float x : got) EXPECT_EQ(x, expected[static_cast<int>(op)]);
    EXPECT_TRUE(Reduce(Identity(Shape({0, 3}), {1}, op), {nullptr}).empty());
  }
}

TEST(ReduceKernel, NanPropagatesFromAnyPlace) {
  for (const std::int64_t n : {5, 40, 700}) {
    for (const std::int64_t place : {std::int64_t{0}, n / 2, n - 1}) {
      std::vector<float> x = RandomReduceKernel(n, 3);
      x[place] = kNan;
      for (const Reduction op : kOps) {
        EXPECT_TRUE(
            std::isnan(Reduce(Identity(Shape({n}), {0}, op), {x.data()})[0]));
        const auto rows = Reduce(Identity(Shape({n, 1}), {1}, op), {x.data()});
        EXPECT_TRUE(std::isnan(rows[place]));
        EXPECT_FALSE(std::isnan(rows[(place + 1) % n]));
      }
    }
  }
  std::vector<float> x = {1, kInf, -kInf};
  EXPECT_TRUE(std::isnan(
      Reduce(Identity(Shape({3}), {0}, Reduction::kSum), {x.data()})[0]));
  EXPECT_EQ(Reduce(Identity(Shape({3}), {0}, Reduction::kMin), {x.data()})[0],
            -kInf);
}

TEST(ReduceKernel, ResultsOfOtherTypes) {
  const std::vector<float> x(1000, 0.25f);
  ReduceProgram r = Identity(Shape({1000}), {0}, Reduction::kSum);
  r.result = DType::kBF16;
  auto kernel = ReduceKernel::Prepare(r);
  ASSERT_TRUE(kernel.ok());
  AlignedBuffer scratch = AllocateAligned(kernel->scratch_bytes());
  const void* in[] = {x.data()};
  BFloat16 small;
  kernel->Run(in, &small, scratch.get());
  EXPECT_EQ(static_cast<float>(small), 250.0f);

  r.producer.compute = DType::kF64;
  r.result = DType::kF64;
  kernel = ReduceKernel::Prepare(r);
  ASSERT_TRUE(kernel.ok());
  scratch = AllocateAligned(kernel->scratch_bytes());
  double large = 0;
  kernel->Run(in, &large, scratch.get());
  EXPECT_EQ(large, 250.0);
}

TEST(ReduceKernel, RefusesBadAxesAndProducers) {
  EXPECT_FALSE(
      ReduceKernel::Prepare(Identity(Shape({3}), {1}, Reduction::kSum)).ok());
  EXPECT_FALSE(
      ReduceKernel::Prepare(Identity(Shape({3}), {-1}, Reduction::kSum)).ok());
  const ReduceProgram twice = Identity(Shape({3}), {0, 0}, Reduction::kSum);
  EXPECT_FALSE(ReduceKernel::Prepare(twice).ok());
  ReduceProgram r = Identity(Shape({3}), {0}, Reduction::kSum);
  r.producer.outputs.clear();
  EXPECT_FALSE(ReduceKernel::Prepare(r).ok());
}

TEST(ReduceKernel, OperationsHaveNames) {
  EXPECT_EQ(Name(Reduction::kSum), "sum");
  EXPECT_EQ(Name(Reduction::kMin), "min");
}

}  // namespace
}  // namespace gyre::internal::inline tests
