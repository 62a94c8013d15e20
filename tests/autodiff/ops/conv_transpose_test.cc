#include "gyre/autodiff/ops/conv_transpose.h"

#include "gyre/autodiff/ops/conv.h"
#include "gyre/autodiff/ops/pad2d.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

std::vector<table::Case> CasesConvTranspose() {
  std::vector<table::Case> cases;
  const ConvOptions options[] = {
      {.padding = {1, 1}, .pad_mode = {PadMode::kZero, PadMode::kCircular}},
      {.padding = {1, 2}, .pad_mode = {PadMode::kReflect, PadMode::kCircular}},
      {.stride = {2, 2},
       .padding = {1, 1},
       .pad_mode = {PadMode::kReplicate, PadMode::kCircular}},
      {.padding = {0, 1}, .padding_end = {{2, 0}}}};
  for (const ConvOptions& o : options) {
    cases.push_back({Cat("conv2d ", o.AxisPad(0), " ", o.AxisPad(1)),
                     {TableNumbers({1, 2, 4, 5}, -1, 1, 1),
                      TableNumbers({2, 2, 3, 3}, -1, 1, 2)},
                     [o](Vars v) { return conv2d(v[0], v[1], o); }});
  }
  const ConvTransposeOptions transposed[] = {
      {},
      {.stride = {2, 2}, .padding = {1, 1}, .output_padding = {1, 0}},
      {.padding = {1, 0}, .dilation = {2, 1}},
      {.stride = {2, 1}, .groups = 2}};
  int n = 0;
  for (const ConvTransposeOptions& o : transposed) {
    cases.push_back({Cat("conv2d_transpose ", n++),
                     {TableNumbers({2, 4, 3, 4}, -1, 1, 3),
                      TableNumbers({4, 3, 3, 3}, -1, 1, 4)},
                     [o](Vars v) { return conv2d_transpose(v[0], v[1], o); }});
  }
  return cases;
}

TEST(ConvLayouts, GradientsMatchFiniteDifferences) {
  table::Check(CasesConvTranspose());
}

TEST(ConvLayouts, FastKernelsMatchPlainOnes) {
  for (table::Case c : CasesConvTranspose()) {
    for (Tensor& t : c.inputs) t = table::As<float, double>(t);
    table::CompareKernels(c, 3e-4);
  }
}

// A ring has no seam: rolling the longitudes rolls the result.
TEST(ConvLayouts, CircularPaddingHasNoSeam) {
  Tensor x = TableNumbers<float>({1, 1, 3, 6}, -1, 1, 5);
  Tensor rolled = x.Clone();
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 6; ++i) {
      rolled.data<float>()[row * 6 + (i + 2) % 6] =
          x.data<float>()[row * 6 + i];
    }
  }
  const Tensor w = TableNumbers<float>({1, 1, 3, 3}, -1, 1, 6);
  const auto run = [&](const Tensor& input) {
    return (*Evaluate(
        [](Tape&, Vars v) {
          return std::vector<Var>{
              conv2d(v[0],
                     v[1],
                     {.padding = {1, 1},
                      .pad_mode = {PadMode::kReplicate, PadMode::kCircular}})};
        },
        {input, w}))[0];
  };
  const Tensor a = run(x);
  const Tensor b = run(rolled);
  ASSERT_EQ(a.shape(), x.shape());
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(b.data<float>()[row * 6 + (i + 2) % 6],
                  a.data<float>()[row * 6 + i],
                  1e-6);
    }
  }
}

TEST(ConvLayouts, ShortFloatsAccumulateWide) {
  // 300 products of 1: bf16 sums would stop at 256.
  for (const DType dtype : {DType::kBF16, DType::kF16}) {
    const auto out = Evaluate(
        [dtype](Tape&, Vars v) {
          const Var y = conv2d(cast(v[0], dtype), cast(v[1], dtype));
          return std::vector<Var>{cast(y, DType::kF32)};
        },
        {Tensor::From<float>({1, 300, 1, 1}, std::vector<float>(300, 1.0f)),
         Tensor::From<float>({1, 300, 1, 1}, std::vector<float>(300, 1.0f))});
    ASSERT_TRUE(out.ok()) << Message(out.status());
    EXPECT_EQ((*out)[0].data<float>()[0], 300.0f);
  }
}

TEST(ConvTranspose, HasTheSizesOfPyTorch) {
  Tape tape;
  const Var x = tape.Input("x", {{1, 2, 16, 18}, DType::kF32, 0});
  const Var w = tape.Input("w", {{2, 3, 3, 3}, DType::kF32, 0});
  EXPECT_EQ(
      conv2d_transpose(
          x, w, {.stride = {2, 2}, .padding = {1, 1}, .output_padding = {1, 1}})
          .shape(),
      Shape({1, 3, 32, 36}));
}

TEST(ConvTranspose, ErrorsSayWhatWasExpected) {
  const auto f = [](const ConvTransposeOptions& o, const Shape& w) {
    return TraceError(
        [o](Tape&, Vars v) {
          return std::vector<Var>{conv2d_transpose(v[0], v[1], o)};
        },
        {Tensor::Zeros({1, 2, 4, 4}), Tensor::Zeros(w)});
  };
  EXPECT_THAT(f({}, {3, 2, 3, 3}),
              testing::HasSubstr("conv2d_transpose: expected x"));
  EXPECT_THAT(f({.output_padding = {1, 0}}, {2, 2, 3, 3}),
              testing::HasSubstr("output_padding of 0 or more and below"));
  EXPECT_THAT(f({.padding = {9, 0}}, {2, 2, 3, 3}),
              testing::HasSubstr("leaves an axis of"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
