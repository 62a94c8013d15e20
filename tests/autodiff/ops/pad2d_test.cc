#include "gyre/autodiff/ops/pad2d.h"

#include "tests/autodiff/ops/table.h"

namespace gyre::internal::inline tests {
namespace {

using table::TableNumbers;
using table::Vars;

constexpr PadMode kModes[] = {
    PadMode::kZero, PadMode::kCircular, PadMode::kReflect, PadMode::kReplicate};

TEST(Pad2d, GradientsMatchFiniteDifferences) {
  std::vector<table::Case> cases;
  for (const PadMode lat : kModes) {
    for (const PadMode lon : kModes) {
      cases.push_back({Cat("pad2d ", lat, " ", lon),
                       {TableNumbers({2, 3, 4}, -2, 2, 1)},
                       [=](Vars v) {
                         return pad2d(v[0], {1, 2, lat}, {3, 0, lon});
                       }});
    }
  }
  table::Check(cases);
  table::CheckTwice(cases);
}

std::vector<double> PaddedRow(PadMode mode) {
  const auto out = Evaluate(
      [&](Tape&, Vars v) {
        return std::vector<Var>{pad2d(v[0], {}, {2, 1, mode})};
      },
      {Tensor::Of<float>({1, 3}, {1, 2, 3})});
  EXPECT_TRUE(out.ok()) << Message(out.status());
  return table::Doubles<float>((*out)[0]);
}

TEST(Pad2d, FillsByMode) {
  using testing::ElementsAre;
  EXPECT_THAT(PaddedRow(PadMode::kZero), ElementsAre(0, 0, 1, 2, 3, 0));
  EXPECT_THAT(PaddedRow(PadMode::kCircular), ElementsAre(2, 3, 1, 2, 3, 1));
  EXPECT_THAT(PaddedRow(PadMode::kReflect), ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(PaddedRow(PadMode::kReplicate), ElementsAre(1, 1, 1, 2, 3, 3));
}

TEST(Pad2d, EachAxisHasItsMode) {
  const auto out = Evaluate(
      [&](Tape&, Vars v) {
        return std::vector<Var>{pad2d(
            v[0], {1, 0, PadMode::kReplicate}, {1, 0, PadMode::kCircular})};
      },
      {Tensor::Of<float>({2, 2}, {1, 2, 3, 4})});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  EXPECT_THAT(table::Doubles<float>((*out)[0]),
              testing::ElementsAre(2, 1, 2, 2, 1, 2, 4, 3, 4));
}

TEST(Pad2d, KeepsEveryElementType) {
  Tensor x(DType::kBool, {1, 2});
  x.data<bool>()[1] = true;
  const auto out = Evaluate(
      [&](Tape&, Vars v) {
        return std::vector<Var>{pad2d(v[0], {}, {1, 0, PadMode::kCircular})};
      },
      {x});
  ASSERT_TRUE(out.ok()) << Message(out.status());
  const auto y = (*out)[0].data<bool>();
  EXPECT_TRUE(y[0] && !y[1] && y[2]);
}

TEST(Pad2d, ErrorsSayWhatFits) {
  const auto f = [](const AxisPadding& lon) {
    return TraceError(
        [lon](Tape&, Vars v) { return std::vector<Var>{pad2d(v[0], {}, lon)}; },
        {Tensor::Zeros({2, 3})});
  };
  EXPECT_EQ(f({3, 0, PadMode::kCircular}), "no error");
  EXPECT_THAT(f({4, 0, PadMode::kCircular}),
              testing::HasSubstr("an axis of 3 cannot be padded by 4+0"));
  EXPECT_THAT(f({0, 3, PadMode::kReflect}),
              testing::HasSubstr("reflect one less"));
  EXPECT_THAT(f({-1, 0, PadMode::kZero}),
              testing::HasSubstr("expected padding of 0 or more"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
