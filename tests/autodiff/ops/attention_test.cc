#include "gyre/autodiff/ops/attention.h"

#include <cmath>
#include <limits>

#include "gyre/autodiff/exec/attention_kernel.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/core/finite.h"
#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

template <class T = double>
std::vector<Tensor> Inputs(const Shape& q, const Shape& k, const Shape& v) {
  return {TableNumbers<T>(q, -2, 2, 1),
          TableNumbers<T>(k, -2, 2, 2),
          TableNumbers<T>(v, -2, 2, 3)};
}

// A mask that hides about a third, and all of query 0.
Var Mask(Var like, std::int64_t queries, std::int64_t keys) {
  Tensor mask(DType::kBool, {queries, keys});
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = 0; j < keys; ++j) {
      mask.data<bool>()[i * keys + j] = i > 0 && (i + j * j) % 3 != 0;
    }
  }
  return like.tape()->Constant(mask);
}

std::vector<table::Case> Cases() {
  const Shape q = {2, 2, 3, 4};
  const Shape k = {2, 2, 5, 4};
  const Shape v = {2, 2, 5, 3};
  const std::vector<Tensor> plain = Inputs(q, k, v);
  std::vector<table::Case> cases;
  cases.push_back(
      {"attention", plain, [](Vars x) { return attention(x[0], x[1], x[2]); }});
  cases.push_back({"attention causal", plain, [](Vars x) {
                     return attention(x[0], x[1], x[2], {.causal = true});
                   }});
  cases.push_back({"attention mask", plain, [](Vars x) {
                     return attention(
                         x[0], x[1], x[2], {.mask = Mask(x[0], 3, 5)});
                   }});
  cases.push_back({"attention qk_norm", plain, [](Vars x) {
                     return attention(
                         x[0], x[1], x[2], {.scale = 1.5, .qk_norm = true});
                   }});
  for (const Shape& bias : {Shape({3, 5}),
                            Shape({2, 1, 1}),
                            Shape({2, 1, 3, 1}),
                            Shape({2, 2, 3, 5})}) {
    std::vector<Tensor> inputs = plain;
    inputs.push_back(TableNumbers(bias, -1, 1, 4));
    cases.push_back(
        {"attention bias", inputs, [](Vars x) {
           return attention(
               x[0],
               x[1],
               x[2],
               {.mask = Mask(x[0], 3, 5), .bias = x[3], .causal = true});
         }});
  }
  return cases;
}

TEST(Attention, GradientsMatchFiniteDifferences) { table::Check(Cases()); }

TEST(Attention, SecondDerivatives) {
  const std::vector<table::Case> cases = Cases();
  table::CheckTwice({cases[0], cases[2], cases[4]});
}

// Sizes below, at and above the tiles, against elementary operations.
TEST(Attention, TilesMatchTheComposedForm) {
  struct Sizes {
    std::int64_t queries, keys, d, e;
    bool causal, masked;
  };
  for (const Sizes& s : {Sizes{1, 1, 1, 1, false, false},
                         Sizes{64, 256, 16, 16, false, false},
                         Sizes{65, 257, 9, 7, false, true},
                         Sizes{200, 600, 16, 24, true, false},
                         Sizes{300, 200, 8, 8, true, true}}) {
    std::vector<Tensor> inputs = Inputs<float>(
        {1, 2, s.queries, s.d}, {1, 2, s.keys, s.d}, {1, 2, s.keys, s.e});
    inputs.push_back(TableNumbers<float>({s.queries, s.keys}, -1, 1, 4));
    const double scale = 1 / std::sqrt(static_cast<double>(s.d));
    const auto mask = [s](Vars x) {
      return s.masked ? Mask(x[0], s.queries, s.keys) : Var();
    };
    const auto fused = table::ValueAndGradients(
        [=](Vars x) {
          return attention(x[0],
                           x[1],
                           x[2],
                           {.mask = mask(x), .bias = x[3], .causal = s.causal});
        },
        inputs,
        KernelSet::kFast);
    const auto composed = table::ValueAndGradients(
        [=](Vars x) {
          return composed_attention(
              x[0], x[1], x[2], mask(x), x[3], s.causal, scale);
        },
        inputs,
        KernelSet::kReference);
    ASSERT_EQ(fused.size(), composed.size());
    for (std::size_t i = 0; i < fused.size(); ++i) {
      EXPECT_TRUE(AllNear(
          fused[i].data<float>(), table::Doubles<float>(composed[i]), 3e-4))
          << s.queries << " x " << s.keys << ", result " << i;
    }
  }
}

TEST(Attention, RowsWithoutKeysGiveZeroAndNoGradient) {
  for (const KernelSet set : {KernelSet::kFast, KernelSet::kReference}) {
    const auto out = table::ValueAndGradients(
        [](Vars x) {
          return attention(x[0], x[1], x[2], {.mask = Mask(x[0], 2, 3)}) + 1.0;
        },
        Inputs<float>({1, 1, 2, 4}, {1, 1, 3, 4}, {1, 1, 3, 2}),
        set);
    const auto y = out[0].data<float>();
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[1], 1.0f);
    EXPECT_NE(y[2], 1.0f);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(out[1].data<float>()[i], 0.0f);
    for (const Tensor& t : out) {
      EXPECT_EQ(CountNonFinite(t.data<float>().data(), t.elements()), 0);
    }
  }
}

TEST(Attention, HiddenKeysMayBeNan) {
  auto inputs = Inputs<float>({1, 1, 2, 4}, {1, 1, 3, 4}, {1, 1, 3, 2});
  // Causal: query 1 sees all three keys, query 0 not the last.
  for (int i = 8; i < 12; ++i) {
    inputs[1].data<float>()[i] = std::numeric_limits<float>::quiet_NaN();
  }
  const auto out = Evaluate(
      [](Tape&, Vars x) {
        return std::vector<Var>{attention(x[0], x[1], x[2], {.causal = true})};
      },
      inputs);
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_TRUE(IsFinite((*out)[0].data<float>()[0]));
  EXPECT_FALSE(IsFinite((*out)[0].data<float>()[2]));
}

// Memory beside the operands: tiles, and at most one number a query.
TEST(Attention, ScratchDoesNotGrowWithTheSquare) {
  const auto scratch = [](std::int64_t n) {
    const Shape x = {1, 1, n, 32};
    const auto shape = AttentionShape::Make(
        {{x, DType::kF32}, {x, DType::kF32}, {x, DType::kF32}}, {});
    EXPECT_TRUE(shape.ok());
    return std::pair(MakeTiledAttention(*shape)->scratch_bytes(),
                     MakeTiledAttentionGrad(*shape)->scratch_bytes());
  };
  EXPECT_EQ(scratch(256).first, scratch(65536).first);
  EXPECT_EQ(scratch(65536).second - scratch(256).second,
            (65536 - 256) * sizeof(float));
  // Two tiles of 64 KiB.
  EXPECT_LT(scratch(256).second, 130u * 1024);
}

TEST(Attention, ShortFloatsAreComputedWide) {
  const auto inputs =
      Inputs<BFloat16>({1, 2, 5, 4}, {1, 2, 6, 4}, {1, 2, 6, 4});
  std::vector<Tensor> wide;
  for (const Tensor& t : inputs) {
    wide.push_back(table::As<float, BFloat16>(t));
  }
  const auto f = [](Tape&, Vars x) {
    return std::vector<Var>{attention(x[0], x[1], x[2])};
  };
  const Tensor y = (*Evaluate(f, inputs))[0];
  const Tensor expected = table::As<BFloat16, float>((*Evaluate(f, wide))[0]);
  EXPECT_TRUE(AllNear<float>(table::As<float, BFloat16>(y).data<float>(),
                             table::Doubles<BFloat16>(expected),
                             0));
}

// Plans merge operations of equal attributes: all digits must count.
TEST(Attention, ScalesThatHardlyDifferAreNotMerged) {
  const auto out = Evaluate(
      [](Tape&, Vars x) {
        std::vector<Var> y;
        for (const double scale : {1.0, 1.0 + 1e-9}) {
          y.push_back(attention(x[0], x[1], x[2], {.scale = scale}));
        }
        return y;
      },
      Inputs({1, 1, 2, 4}, {1, 1, 3, 4}, {1, 1, 3, 2}));
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_NE((*out)[0].data<double>()[0], (*out)[1].data<double>()[0]);
}

TEST(Attention, EmptySequences) {
  for (const KernelSet set : {KernelSet::kFast, KernelSet::kReference}) {
    auto out = table::ValueAndGradients(
        [](Vars x) { return attention(x[0], x[1], x[2]); },
        Inputs<float>({1, 1, 2, 4}, {1, 1, 0, 4}, {1, 1, 0, 3}),
        set);
    EXPECT_TRUE(AllNear<float>(out[0].data<float>(), {0, 0, 0, 0, 0, 0}, 0));
    out = table::ValueAndGradients(
        [](Vars x) { return attention(x[0], x[1], x[2]); },
        Inputs<float>({1, 1, 0, 4}, {1, 1, 1, 4}, {1, 1, 1, 2}),
        set);
    EXPECT_TRUE(AllNear<float>(out[2].data<float>(), {0, 0, 0, 0}, 0));
  }
}

TEST(Attention, ErrorsSayWhatWasExpected) {
  const auto f = [](Tape&, Vars x) {
    return std::vector<Var>{attention(x[0], x[1], x[2])};
  };
  EXPECT_THAT(TraceError(f,
                         {Tensor::Zeros({1, 1, 2, 4}),
                          Tensor::Zeros({1, 1, 3, 5}),
                          Tensor::Zeros({1, 1, 3, 4})}),
              testing::HasSubstr("attention: expected q (batch, heads, "));
  const auto mask = [](Tape&, Vars x) {
    return std::vector<Var>{attention(x[0], x[0], x[0], {.mask = x[1]})};
  };
  EXPECT_THAT(
      TraceError(mask, {Tensor::Zeros({1, 1, 2, 4}), Tensor::Zeros({2, 2})}),
      testing::HasSubstr("expected a mask of bool"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
