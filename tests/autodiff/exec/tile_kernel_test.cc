#include "gyre/autodiff/exec/tile_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/core/half.h"
#include "gyre/core/tensor.h"
#include "tests/autodiff/exec/tile_reference.h"

namespace gyre::internal::inline tests {
namespace {

double ReadMemory(const Tensor& t, std::int64_t i) {
  const std::byte* p = t.raw() + i * SizeOf(t.dtype());
  switch (t.dtype()) {
    case DType::kF32:
      return reinterpret_cast<const float*>(p)[0];
    case DType::kF64:
      return reinterpret_cast<const double*>(p)[0];
    case DType::kBF16:
      return float(reinterpret_cast<const BFloat16*>(p)[0]);
    case DType::kF16:
      return float(reinterpret_cast<const Half*>(p)[0]);
    case DType::kI32:
      return reinterpret_cast<const std::int32_t*>(p)[0];
    case DType::kI64:
      return double(reinterpret_cast<const std::int64_t*>(p)[0]);
    default:
      return double(p[0]);
  }
}

// Numbers of about 1, small integers for the integer types.
Tensor RandomTensor(DType dtype, std::int64_t n, std::mt19937& rng) {
  Tensor t(dtype, Shape({n}));
  std::uniform_real_distribution<float> real(-2.0f, 2.0f);
  for (std::int64_t i = 0; i < n; ++i) {
    std::byte* p = t.raw() + i * SizeOf(dtype);
    const float x = real(rng);
    switch (dtype) {
      case DType::kF32:
        *reinterpret_cast<float*>(p) = x;
        break;
      case DType::kF64:
        *reinterpret_cast<double*>(p) = x;
        break;
      case DType::kBF16:
        *reinterpret_cast<BFloat16*>(p) = BFloat16(x);
        break;
      case DType::kF16:
        *reinterpret_cast<Half*>(p) = Half(x);
        break;
      case DType::kI32:
        *reinterpret_cast<std::int32_t*>(p) = 3 * x;
        break;
      case DType::kI64:
        *reinterpret_cast<std::int64_t*>(p) = 3 * x;
        break;
      case DType::kU8:
        *p = std::byte(3 + int(x));
        break;
      case DType::kBool:
        *p = std::byte(x > 0);
        break;
    }
  }
  return t;
}

std::int64_t Span(const Shape& extents,
                  const std::vector<std::int64_t>& strides) {
  std::int64_t last = 0;
  for (int i = 0; i < extents.rank(); ++i) {
    last += std::max<std::int64_t>(extents[i] - 1, 0) * strides[i];
  }
  return last + 1;
}

// Runs in two uneven ranges, each element against the reference, by the bit.
template <class T>
void ExpectRightTileKernel(const TileProgram& p, std::mt19937& rng) {
  auto kernel = TileKernel::Prepare(p);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  std::vector<Tensor> inputs, outputs;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const TileInput& input : p.inputs) {
    // Exactly as large as needed: a read past the end is an error of ASan.
    inputs.push_back(
        RandomTensor(input.dtype, Span(p.extents, input.strides), rng));
    in.push_back(inputs.back().raw());
  }
  const std::int64_t n = p.extents.elements();
  for (const TileOutput& output : p.outputs) {
    outputs.push_back(Tensor(output.dtype, Shape({n})));
    out.push_back(outputs.back().raw());
  }
  AlignedBuffer scratch = AllocateAligned(kernel->scratch_bytes());
  std::memset(scratch.get(), 0xff, kernel->scratch_bytes());
  const std::int64_t middle = n > 0 ? rng() % n : 0;
  kernel->RunRange(in.data(), out.data(), 0, middle, scratch.get());
  kernel->RunRange(in.data(), out.data(), middle, n, scratch.get());

  const auto read = [&](int input, std::int64_t offset) {
    return static_cast<T>(ReadMemory(inputs[input], offset));
  };
  for (std::int64_t i = 0; i<n; i += n> 5000 ? 97 : 1) {
    const auto registers = ReferenceElement<T>(p, i, read);
    for (std::size_t k = 0; k < p.outputs.size(); ++k) {
      const T want = registers[p.outputs[k].reg];
      const double got = ReadMemory(outputs[k], i);
      if (p.outputs[k].dtype == p.compute) {
        ASSERT_TRUE(got == want || (std::isnan(got) && std::isnan(want)))
            << "element " << i << " of " << n << ": " << got << ", wanted "
            << want << "\n"
            << p.ToString();
      } else if (IsFloat(p.outputs[k].dtype) && std::abs(want) < 1e4) {
        ASSERT_NEAR(got, want, 1e-2 * std::abs(want) + 1e-7) << p.ToString();
      }
    }
  }
}

const std::vector<std::int64_t> kSizes = {
    0, 1, 7, 8, 511, 512, 513, 1023, 1024, 1025, 100000};

TEST(TileKernel, EverySize) {
  std::mt19937 rng(1);
  for (const std::int64_t n : kSizes) {
    TileProgram p{.compute = DType::kF32, .extents = Shape({n})};
    const auto a = p.AddInput(DType::kF32, {1});
    const auto b = p.AddInput(DType::kF32, {1});
    const auto sum = p.Emit(Code::kFma, a, b, p.Constant(0.5));
    p.AddOutput(p.Emit(Code::kTanh, sum), DType::kF32);
    ExpectRightTileKernel<float>(p, rng);
  }
}

TEST(TileKernel, EveryBroadcastLayout) {
  std::mt19937 rng(2);
  const Shape extents({5, 6, 70});
  const std::vector<std::vector<std::int64_t>> patterns = {{420, 70, 1},
                                                           {0, 0, 0},
                                                           {0, 0, 1},
                                                           {0, 1, 0},
                                                           {1, 0, 0},
                                                           {0, 70, 1},
                                                           {70, 0, 1},
                                                           {6, 1, 0},
                                                           {1, 5, 30},
                                                           {0, 1, 6},
                                                           {840, 140, 2}};
  for (const auto& first : patterns) {
    for (const auto& second : patterns) {
      TileProgram p{.compute = DType::kF32, .extents = extents};
      const auto a = p.AddInput(DType::kF32, first);
      const auto b = p.AddInput(DType::kF32, second);
      p.AddOutput(p.Emit(Code::kSub, a, b), DType::kF32);
      ExpectRightTileKernel<float>(p, rng);
    }
  }
}

TEST(TileKernel, RowsLongerThanATile) {
  std::mt19937 rng(3);
  TileProgram p{.compute = DType::kF32, .extents = Shape({3, 1200})};
  const auto x = p.AddInput(DType::kF32, {1200, 1});
  const auto bias = p.AddInput(DType::kF32, {0, 1});
  const auto scale = p.AddInput(DType::kF32, {1, 0});
  const auto y = p.Emit(Code::kMul, p.Emit(Code::kAdd, x, bias), scale);
  p.AddOutput(p.Emit(Code::kRelu, y), DType::kF32);
  ExpectRightTileKernel<float>(p, rng);
}

TEST(TileKernel, EveryElementTypeInAndOut) {
  std::mt19937 rng(4);
  const DType all[] = {DType::kF32,
                       DType::kF64,
                       DType::kBF16,
                       DType::kF16,
                       DType::kI32,
                       DType::kI64,
                       DType::kU8,
                       DType::kBool};
  for (const DType in : all) {
    for (const DType out : all) {
      TileProgram p{.compute = DType::kF32, .extents = Shape({3, 401})};
      const auto x = p.AddInput(in, {401, 1});
      const auto y = p.AddInput(in, {0, 1});
      const auto sum = p.Emit(Code::kAdd, x, y);
      p.AddOutput(sum, out);
      p.AddOutput(x, DType::kF32);
      ExpectRightTileKernel<float>(p, rng);
      p.compute = DType::kF64;
      p.outputs[1].dtype = DType::kF64;
      ExpectRightTileKernel<double>(p, rng);
    }
  }
}

TEST(TileKernel, UniformValuesAreOutputsToo) {
  std::mt19937 rng(5);
  TileProgram p{.compute = DType::kF32, .extents = Shape({2, 515})};
  const auto x = p.AddInput(DType::kF32, {515, 1});
  const auto s = p.AddInput(DType::kI32, {0, 0});
  const auto c = p.Constant(2.5);
  const auto sum = p.Emit(Code::kAdd, s, c);  // computed once
  p.AddOutput(sum, DType::kF32);
  p.AddOutput(c, DType::kF64);
  p.AddOutput(s, DType::kI32);
  p.AddOutput(p.Emit(Code::kMax, x, sum), DType::kF32);
  p.AddOutput(x, DType::kF32);
  p.AddOutput(p.outputs[3].reg, DType::kF32);  // the same register twice
  ExpectRightTileKernel<float>(p, rng);
}

TEST(TileKernel, RandomPrograms) {
  std::mt19937 rng(6);
  const std::vector<std::vector<std::int64_t>> patterns = {
      {37, 1}, {37, 1}, {37, 1}, {0, 1}, {1, 0}, {0, 0}, {1, 29}};
  for (int round = 0; round < 300; ++round) {
    const bool single = round % 3 != 0;
    const DType compute = single ? DType::kF32 : DType::kF64;
    TileProgram p{.compute = compute, .extents = Shape({29, 37})};
    const int inputs = 1 + rng() % 4;
    for (int i = 0; i < inputs; ++i) {
      p.AddInput(rng() % 4 == 0 ? DType::kBF16 : compute,
                 patterns[rng() % patterns.size()]);
    }
    const int instructions = 1 + rng() % 25;
    for (int i = 0; i < instructions; ++i) {
      const auto code = static_cast<Code>(rng() % kCodes);
      const auto any = [&] { return TileRegister(rng() % p.registers()); };
      if (code == Code::kConstant) {
        p.Constant(double(rng() % 100) / 25 - 2);
      } else {
        p.Emit(code, any(), any(), any());
      }
    }
    const int outputs = 1 + rng() % 3;
    for (int k = 0; k < outputs; ++k) {
      p.AddOutput(TileRegister(rng() % p.registers()), compute);
    }
    if (single) {
      ExpectRightTileKernel<float>(p, rng);
    } else {
      ExpectRightTileKernel<double>(p, rng);
    }
    if (HasFatalFailure()) return;
  }
}

TEST(TileKernel, OverwritesAnInputOnlyAfterItsLastRead) {
  TileProgram p{.compute = DType::kF32, .extents = Shape({1000})};
  const auto x = p.AddInput(DType::kF32, {1});
  const auto y = p.AddInput(DType::kF32, {1});
  const auto s = p.AddInput(DType::kF32, {0});
  const auto first = p.Emit(Code::kAdd, x, s);
  const auto second = p.Emit(Code::kMul, first, y);
  p.AddOutput(first, DType::kF32);
  p.AddOutput(second, DType::kF32);
  p.AddOutput(second, DType::kBF16);
  const auto kernel = TileKernel::Prepare(p);
  ASSERT_TRUE(kernel.ok());
  EXPECT_TRUE(kernel->CanOverwrite(0, 0));   // x dies there
  EXPECT_FALSE(kernel->CanOverwrite(0, 1));  // y is read later
  EXPECT_TRUE(kernel->CanOverwrite(1, 0));
  EXPECT_TRUE(kernel->CanOverwrite(1, 1));
  EXPECT_FALSE(kernel->CanOverwrite(1, 2));  // broadcast
  EXPECT_FALSE(kernel->CanOverwrite(2, 0));  // another size

  std::vector<float> a(1000), b(1000), product(1000);
  for (int i = 0; i < 1000; ++i) {
    a[i] = i;
    b[i] = 2 * i;
  }
  const float three = 3;
  std::vector<BFloat16> rounded(1000);
  const void* in[] = {a.data(), b.data(), &three};
  void* out[] = {a.data(), b.data(), rounded.data()};
  AlignedBuffer scratch = AllocateAligned(kernel->scratch_bytes());
  kernel->Run(in, out, scratch.get());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(a[i], i + 3.0f);
    EXPECT_EQ(b[i], (i + 3.0f) * (2.0f * i));
  }
}

TEST(TileKernel, MemoryNeedsNoAlignment) {
  TileProgram p{.compute = DType::kF32, .extents = Shape({1024})};
  const auto x = p.AddInput(DType::kF32, {1});
  p.AddOutput(p.Emit(Code::kSquare, x), DType::kF32);
  const auto kernel = TileKernel::Prepare(p);
  ASSERT_TRUE(kernel.ok());
  std::vector<float> a(1025, 3.0f), b(1026, -1.0f);
  const void* in[] = {a.data() + 1};
  void* out[] = {b.data() + 1};
  AlignedBuffer scratch = AllocateAligned(kernel->scratch_bytes());
  kernel->Run(in, out, scratch.get());
  EXPECT_EQ(b[0], -1.0f);
  EXPECT_EQ(b[1], 9.0f);
  EXPECT_EQ(b[1024], 9.0f);
  EXPECT_EQ(b[1025], -1.0f);
}

TEST(TileKernel, RefusesABadProgram) {
  TileProgram p{.compute = DType::kI32, .extents = Shape({4})};
  EXPECT_FALSE(TileKernel::Prepare(p).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
