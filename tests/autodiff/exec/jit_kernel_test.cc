#include "gyre/autodiff/exec/jit_kernel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "gyre/autodiff/exec/elementwise_kernel.h"
#include "gyre/autodiff/exec/reduce_kernel.h"
#include "gyre/autodiff/exec/tile_kernel.h"
#include "gyre/core/aligned.h"
#include "gyre/core/rng.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

// NumbersJitKernel of every kind, the special ones first.
std::vector<float> NumbersJitKernel(std::int64_t n, std::uint64_t seed) {
  const float special[] = {0.0f,  -0.0f,   1.0f,    -1.0f,   kInf,
                           -kInf, NAN,     1e-40f,  -1e-40f, 3e38f,
                           0.5f,  -0.5f,   1.5f,    2.5f,    1e-8f,
                           88.8f, -104.0f, 0.7071f, 1e5f,    -126.5f};
  const Rng rng({.seed = seed, .step = 0, .stream = 0});
  std::vector<float> x(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto pick = rng.Bits(2 * i);
    x[i] = pick % 7 == 0 ? special[pick / 7 % std::size(special)]
                         : static_cast<float>(rng.Normal(2 * i + 1)) * 4;
  }
  return x;
}

// Equal bits; one NaN is as good as another.
::testing::AssertionResult SameBits(const std::vector<float>& a,
                                    const std::vector<float>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (std::bit_cast<std::uint32_t>(a[i]) !=
        std::bit_cast<std::uint32_t>(b[i])) {
      return ::testing::AssertionFailure()
             << "element " << i << ": " << a[i] << " and " << b[i];
    }
  }
  return ::testing::AssertionSuccess();
}

// Runs the program by both engines on elements [begin, end).
void Compare(const TileProgram& program,
             std::int64_t begin,
             std::int64_t end,
             bool must_compile = true) {
  const auto code = JitKernel::Prepare(program);
  if (code == nullptr) {
    EXPECT_FALSE(must_compile) << program.ToString();
    return;
  }
  const auto tile = TileKernel::Prepare(program);
  ASSERT_TRUE(tile.ok());
  const std::int64_t n = program.extents.elements();
  std::vector<std::vector<float>> data;
  std::vector<const void*> in;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    data.push_back(NumbersJitKernel(std::max<std::int64_t>(n, 1), i + 1));
  }
  for (const auto& x : data) in.push_back(x.data());
  const std::size_t outputs = program.outputs.size();
  std::vector<std::vector<float>> expected(outputs, std::vector<float>(n, 7));
  auto got = expected;
  std::vector<void*> to, from;
  for (auto& x : expected) to.push_back(x.data());
  for (auto& x : got) from.push_back(x.data());
  const AlignedBuffer scratch =
      AllocateAligned(std::max(tile->scratch_bytes(), code->scratch_bytes()));
  tile->RunRange(in.data(), to.data(), begin, end, scratch.get());
  code->RunRange(
      in.data(), from.data(), begin, end - begin, begin, scratch.get());
  for (std::size_t k = 0; k < outputs; ++k) {
    EXPECT_TRUE(SameBits(expected[k], got[k])) << program.ToString();
  }
}

class JitKernelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!JitAvailable()) GTEST_SKIP() << "no asmjit, or no AVX2";
  }
};

bool IsInterpreted(Code code) {
  return code == Code::kSin || code == Code::kCos || code == Code::kTan ||
         code == Code::kPow || code == Code::kLgamma ||
         code == Code::kDigamma || code == Code::kPolygamma;
}

TEST_F(JitKernelTest, EveryCodeGivesTheBitsOfTheInterpreter) {
  for (int i = 1; i < kCodes; ++i) {
    const auto code = static_cast<Code>(i);
    TileProgram p{.compute = DType::kF32, .extents = Shape({5003})};
    for (int k = 0; k < 3; ++k) p.AddInput(DType::kF32, {1});
    p.AddOutput(p.Emit(code, 0, 1, 2), DType::kF32);
    if (IsInterpreted(code)) {
      EXPECT_EQ(JitKernel::Prepare(p), nullptr) << code;
    } else {
      Compare(p, 0, 5003);
    }
  }
}

TEST_F(JitKernelTest, OperandsMayBeNumbersOrScalars) {
  for (int i = 1; i < kCodes; ++i) {
    const auto code = static_cast<Code>(i);
    if (IsInterpreted(code)) continue;
    for (int which = 0; which < 27; ++which) {
      TileProgram p{.compute = DType::kF32, .extents = Shape({83})};
      const TileRegister dense = p.AddInput(DType::kF32, {1});
      const TileRegister scalar = p.AddInput(DType::kF32, {0});
      const TileRegister number = p.Constant(-0.75);
      const TileRegister kinds[] = {dense, scalar, number};
      p.AddOutput(
          p.Emit(
              code, kinds[which % 3], kinds[which / 3 % 3], kinds[which / 9]),
          DType::kF32);
      Compare(p, 0, 83);
    }
  }
}

// A program of random codes over dense, scalar, row and column operands.
TileProgram RandomProgram(std::uint64_t seed) {
  const Rng rng({.seed = seed, .step = 0, .stream = 0});
  std::uint64_t draw = 0;
  const auto pick = [&](std::uint64_t n) { return rng.Bits(draw++) % n; };
  const std::int64_t columns = 32 + pick(70);
  TileProgram p{
      .compute = DType::kF32,
      .extents = Shape({1 + static_cast<std::int64_t>(pick(9)), columns})};
  const std::vector<std::int64_t> strides[] = {
      {columns, 1}, {0, 0}, {0, 1}, {1, 0}};
  const auto inputs = 1 + pick(5);
  for (std::uint64_t i = 0; i < inputs; ++i) {
    p.AddInput(DType::kF32, strides[pick(4)]);
  }
  const auto any = [&] {
    return static_cast<TileRegister>(pick(p.registers()));
  };
  const auto length = 1 + pick(30);
  for (std::uint64_t i = 0; i < length; ++i) {
    auto code = static_cast<Code>(1 + pick(kCodes - 1));
    if (IsInterpreted(code)) code = Code::kMul;
    if (pick(8) == 0) {
      p.Constant(static_cast<double>(pick(9)) - 4);
    } else {
      p.Emit(code, any(), any(), any());
    }
  }
  for (std::uint64_t k = 0; k <= pick(3); ++k) {
    p.AddOutput(k == 0 ? static_cast<TileRegister>(p.registers() - 1) : any(),
                DType::kF32);
  }
  return p;
}

TEST_F(JitKernelTest, RandomProgramsGiveTheBitsOfTheInterpreter) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const TileProgram p = RandomProgram(seed);
    const std::int64_t n = p.extents.elements();
    Compare(p, 0, n);
    Compare(p, n / 3, n - n / 5);
  }
}

TEST_F(JitKernelTest, NeedsManyRegisters) {
  TileProgram p{.compute = DType::kF32, .extents = Shape({1000})};
  std::vector<TileRegister> x;
  for (int i = 0; i < 24; ++i) x.push_back(p.AddInput(DType::kF32, {1}));
  for (int i = 0; i < 24; ++i) x.push_back(p.Emit(Code::kExp, x[i]));
  TileRegister sum = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) {
    sum = p.Emit(Code::kAdd, p.Emit(Code::kMul, sum, x[i]), x[47 - i]);
  }
  p.AddOutput(sum, DType::kF32);
  Compare(p, 0, 1000);
}

TEST_F(JitKernelTest, RefusesWhatItHasNoCodeFor) {
  TileProgram wide{.compute = DType::kF64, .extents = Shape({100})};
  wide.AddInput(DType::kF64, {1});
  wide.AddOutput(wide.Emit(Code::kNeg, 0), DType::kF64);
  EXPECT_EQ(JitKernel::Prepare(wide), nullptr);

  TileProgram half{.compute = DType::kF32, .extents = Shape({100})};
  half.AddInput(DType::kF16, {1});
  half.AddOutput(half.Emit(Code::kNeg, 0), DType::kF32);
  EXPECT_EQ(JitKernel::Prepare(half), nullptr);

  TileProgram transposed{.compute = DType::kF32, .extents = Shape({64, 64})};
  transposed.AddInput(DType::kF32, {1, 64});
  transposed.AddOutput(transposed.Emit(Code::kNeg, 0), DType::kF32);
  EXPECT_EQ(JitKernel::Prepare(transposed), nullptr);

  TileProgram narrow{.compute = DType::kF32, .extents = Shape({64, 4})};
  narrow.AddInput(DType::kF32, {0, 1});
  narrow.AddOutput(narrow.Emit(Code::kNeg, 0), DType::kF32);
  EXPECT_EQ(JitKernel::Prepare(narrow), nullptr);
}

TEST_F(JitKernelTest, AnEmptyTensorIsLeftAlone) {
  TileProgram p{.compute = DType::kF32, .extents = Shape({0})};
  p.AddInput(DType::kF32, {1});
  p.AddOutput(p.Emit(Code::kExp, 0), DType::kF32);
  const auto code = JitKernel::Prepare(p);
  if (code == nullptr) return;
  const void* in[] = {nullptr};
  void* out[] = {nullptr};
  const AlignedBuffer scratch = AllocateAligned(code->scratch_bytes());
  code->Run(in, out, scratch.get());
}

TEST_F(JitKernelTest, WritesOverAnOperandLikeTheInterpreter) {
  TileProgram p{.compute = DType::kF32, .extents = Shape({101})};
  const auto x = p.AddInput(DType::kF32, {1});
  p.AddOutput(p.Emit(Code::kMul, p.Emit(Code::kExp, x), x), DType::kF32);
  ASSERT_TRUE(TileKernel::Prepare(p)->CanOverwrite(0, 0));
  const auto code = JitKernel::Prepare(p);
  ASSERT_NE(code, nullptr);
  const std::vector<float> input = NumbersJitKernel(101, 3);
  std::vector<float> expected(101), both = input;
  const AlignedBuffer scratch = AllocateAligned(code->scratch_bytes());
  const void* in[] = {input.data()};
  void* out[] = {expected.data()};
  code->Run(in, out, scratch.get());
  const void* in_place[] = {both.data()};
  void* over[] = {both.data()};
  code->Run(in_place, over, scratch.get());
  EXPECT_TRUE(SameBits(expected, both));
}

TEST_F(JitKernelTest, MasksAreBytes) {
  constexpr int kCount = 77;
  TileProgram p{.compute = DType::kF32, .extents = Shape({kCount})};
  const auto x = p.AddInput(DType::kF32, {1});
  const auto mask = p.AddInput(DType::kBool, {1});
  const auto flag = p.AddInput(DType::kBool, {0});
  const auto below = p.Emit(Code::kLt, x, p.Constant(0.5));
  p.AddOutput(p.Emit(Code::kAnd, below, mask), DType::kBool);
  p.AddOutput(p.Emit(Code::kSelect, mask, x, p.Emit(Code::kNeg, flag)),
              DType::kF32);
  p.AddOutput(x, DType::kBool);  // NaN is not 0
  const auto tile = TileKernel::Prepare(p);
  const auto code = JitKernel::Prepare(p);
  ASSERT_TRUE(tile.ok());
  ASSERT_NE(code, nullptr);
  const std::vector<float> numbers = NumbersJitKernel(kCount, 5);
  std::vector<std::uint8_t> bits(kCount);
  for (int i = 0; i < kCount; ++i) bits[i] = i % 3 == 0 ? i % 2 : 2 * (i % 2);
  const std::uint8_t on = 1;
  const void* in[] = {numbers.data(), bits.data(), &on};
  const AlignedBuffer scratch =
      AllocateAligned(std::max(tile->scratch_bytes(), code->scratch_bytes()));
  std::vector<std::uint8_t> a(kCount), b(kCount, 9), c(kCount), d(kCount, 9);
  std::vector<float> e(kCount), f(kCount);
  void* expected[] = {a.data(), e.data(), c.data()};
  void* got[] = {b.data(), f.data(), d.data()};
  tile->Run(in, expected, scratch.get());
  code->Run(in, got, scratch.get());
  EXPECT_EQ(a, b);
  EXPECT_EQ(c, d);
  EXPECT_TRUE(SameBits(e, f));
}

TEST_F(JitKernelTest, ReducesToTheBitsOfTheInterpreter) {
  for (const std::vector<int>& axes :
       {std::vector<int>{0}, {1}, {0, 1}, {0, 2}, {0, 1, 2}}) {
    ReduceProgram r;
    r.producer.extents = Shape({3, 7, 40});
    const auto x = r.producer.AddInput(DType::kF32, {280, 40, 1});
    const auto row = r.producer.AddInput(DType::kF32, {0, 0, 1});
    r.producer.AddOutput(
        r.producer.Emit(Code::kTanh, r.producer.Emit(Code::kMul, x, row)),
        DType::kF32);
    r.axes = axes;
    const auto plain = ReduceKernel::Prepare(r, false);
    const auto code = ReduceKernel::Prepare(r, true);
    ASSERT_TRUE(plain.ok() && code.ok());
    std::vector<float> data(840), scale(40);
    for (int i = 0; i < 840; ++i) data[i] = std::sin(0.1f * i);
    for (int i = 0; i < 40; ++i) scale[i] = 1.0f + 0.1f * i;
    const void* in[] = {data.data(), scale.data()};
    std::vector<float> a(plain->shape().elements()), b(a.size());
    const AlignedBuffer scratch = AllocateAligned(
        std::max(plain->scratch_bytes(), code->scratch_bytes()));
    plain->Run(in, a.data(), scratch.get());
    code->Run(in, b.data(), scratch.get());
    EXPECT_TRUE(SameBits(a, b));
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
