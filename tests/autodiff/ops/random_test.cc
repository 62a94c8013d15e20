#include "gyre/autodiff/ops/random.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gyre/autodiff/exec/random_kernel.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/core/hash.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"

namespace gyre::internal::inline tests {
namespace {

using Floats = std::vector<float>;

// One drawing in a step of its own.
Floats Drawn(std::int64_t count,
             Draw draw,
             const RandomKey& key,
             std::int64_t step = 0,
             KernelSet set = KernelSet::kFast) {
  Tape tape;
  const Var x = draw == Draw::kUniform ? uniform(tape, {count}, key)
                                       : normal(tape, {count}, key);
  const Var results[] = {x};
  const auto plan = Plan::Compile(tape, results, {.kernels = set});
  EXPECT_TRUE(plan.ok()) << plan.status();
  auto executor = Executor::Create(*plan);
  EXPECT_TRUE(executor.ok()) << executor.status();
  EXPECT_TRUE((*executor)->Run({.step = step}).ok());
  return Values<float>((*executor)->ResultTensor(0));
}

TEST(Random, ADrawingIsAFunctionOfItsKey) {
  for (const Draw draw : {Draw::kUniform, Draw::kNormal}) {
    const Floats a = Drawn(100, draw, {1, "a"}, 5);
    EXPECT_EQ(a, Drawn(100, draw, {1, "a"}, 5));
    EXPECT_NE(a, Drawn(100, draw, {2, "a"}, 5));
    EXPECT_NE(a, Drawn(100, draw, {1, "b"}, 5));
    EXPECT_NE(a, Drawn(100, draw, {1, "a"}, 6));
    EXPECT_NE(a, Drawn(100, draw, {1, "a"}, 5 + (std::int64_t{1} << 40)));
  }
}

TEST(Random, APartIsThePartOfTheWhole) {
  for (const Draw draw : {Draw::kUniform, Draw::kNormal}) {
    const Floats all = Drawn(97, draw, {1, "a"});
    for (const int count : {0, 1, 31, 32, 33, 96}) {
      EXPECT_EQ(Drawn(count, draw, {1, "a"}),
                Floats(all.begin(), all.begin() + count));
    }
  }
}

TEST(Random, BothKernelSetsGiveTheSameBits) {
  for (const Draw draw : {Draw::kUniform, Draw::kNormal}) {
    for (const std::int64_t count : {1, 32, 1000}) {
      EXPECT_EQ(Drawn(count, draw, {9, "x"}, 3),
                Drawn(count, draw, {9, "x"}, 3, KernelSet::kReference));
    }
  }
}

TEST(Random, UniformNumbersAreUniform) {
  const int n = 1 << 14;
  const Floats u = Drawn(n, Draw::kUniform, {3, "u"});
  std::vector<int> bins(16);
  for (const float x : u) {
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++bins[static_cast<int>(x * 16)];
  }
  double chi2 = 0;
  for (const int b : bins) chi2 += std::pow(b - n / 16.0, 2) / (n / 16.0);
  EXPECT_LT(chi2, 45);  // 15 degrees of freedom: 1 in 10,000
  EXPECT_GT(std::set<float>(u.begin(), u.end()).size(), n * 0.98);
}

TEST(Random, NormalNumbersAreNormal) {
  const int n = 1 << 18;
  const Floats z = Drawn(n, Draw::kNormal, {3, "z"});
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0, next = 0, pairs = 0;
  for (int i = 0; i < n; ++i) {
    ASSERT_LT(std::abs(z[i]), 5.9f);
    m1 += z[i];
    m2 += std::pow(z[i], 2);
    m3 += std::pow(z[i], 3);
    m4 += std::pow(z[i], 4);
    next += z[i] * z[(i + 1) % n];
    pairs += z[i] * z[(i + 16) % n];
  }
  const double sigma = 1 / std::sqrt(n);
  EXPECT_NEAR(m1 / n, 0, 4 * sigma);
  EXPECT_NEAR(m2 / n, 1, 6 * sigma);
  EXPECT_NEAR(m3 / n, 0, 16 * sigma);
  EXPECT_NEAR(m4 / n, 3, 40 * sigma);
  EXPECT_NEAR(next / n, 0, 4 * sigma);
  EXPECT_NEAR(pairs / n, 0, 4 * sigma);
}

TEST(Random, DoublesSeeTheSameNumbers) {
  const auto r = Evaluate(
      [](Tape& tape, Vars v) {
        return std::vector<Var>{normal_like(v[0], {1, "a"}),
                                normal(tape, {5}, {1, "a"}),
                                uniform_like(v[1], {1, "a"})};
      },
      {Tensor(DType::kF64, {5}), Tensor(DType::kBF16, {5})});
  ASSERT_TRUE(r.ok()) << r.status();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Values((*r)[0])[i], Values<float>((*r)[1])[i]);
  }
  EXPECT_EQ((*r)[2].dtype(), DType::kBF16);
}

TEST(Random, RanksDifferWhereTheTensorVaries) {
  const auto f = [](Tape& tape, Var x) {
    return std::vector<Var>{uniform_like(x, {1, "a"}),
                            uniform(tape, {4}, {1, "a"}),
                            x + uniform(tape, {4}, {1, "a"})};
  };
  const Tensor zeros(DType::kF32, {4});
  const auto ranks = OnRanks({zeros, zeros, zeros}, f, {.step = 2});
  EXPECT_NE(Values<float>(ranks[0][0]), Values<float>(ranks[1][0]));
  EXPECT_NE(Values<float>(ranks[1][0]), Values<float>(ranks[2][0]));
  EXPECT_EQ(Values<float>(ranks[0][1]), Values<float>(ranks[1][1]));
  EXPECT_EQ(Values<float>(ranks[0][2]), Values<float>(ranks[2][2]));
  EXPECT_EQ(Values<float>(OnRanks({zeros, zeros, zeros}, f, {.step = 2})[1][0]),
            Values<float>(ranks[1][0]));
}

TEST(Dropout, GradientsMatchDifferences) {
  CheckGradients({
      {"dropout 0.5 (4,5)",
       {Numbers({4, 5})},
       [](Vars v) {
         return dropout(v[0], 0.5, {1, "d"});
       }},
      {"dropout 0 ()",
       {Numbers({})},
       [](Vars v) {
         return dropout(v[0], 0, {1, "d"});
       }},
      {"x * normal_like",
       {Numbers({7})},
       [](Vars v) {
         return v[0] * normal_like(v[0], {1, "n"});
       }},
  });
}

TEST(Dropout, KeepsTheMeanAndDropsTheRate) {
  Tensor x(DType::kF32, {100000});
  std::fill_n(x.data<float>().begin(), 100000, 2.0f);
  const auto r = ValueAndGrads(
      [](Vars v) {
        return dropout(v[0], 0.25, {1, "d"});
      },
      {x});
  int dropped = 0;
  for (const float y : Values<float>(r[0])) {
    if (y == 0) ++dropped;
    EXPECT_TRUE(y == 0 || std::abs(y - 2 / 0.75f) < 1e-6f);
  }
  EXPECT_NEAR(dropped, 25000, 600);
}

TEST(Dropout, ADroppedNanIsGone) {
  const auto f = [](Vars v) { return dropout(v[0], 0.9, {1, "d"}); };
  Tensor x(DType::kF64, {64});
  const auto clean = Values(ValueAndGrads(f, {x})[1]);
  for (double& v : x.data<double>()) {
    v = std::numeric_limits<double>::quiet_NaN();
  }
  const auto r = ValueAndGrads(f, {x});
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(Values(r[1])[i], clean[i]);
    EXPECT_EQ(std::isnan(Values(r[0])[i]), clean[i] != 0);
  }
}

TEST(Dropout, ErrorsNameTheRate) {
  for (const double rate : {1.0, -0.1, std::nan("")}) {
    const std::string error = TraceError(
        [rate](Tape&, Vars v) {
          return std::vector<Var>{dropout(v[0], rate, {1, "d"})};
        },
        {Numbers({2})});
    EXPECT_NE(error.find("dropout: expected a rate in [0, 1), got"),
              std::string::npos)
        << error;
  }
  const std::string error = TraceError(
      [](Tape& tape, Vars) {
        return std::vector<Var>{uniform(tape, {-1}, {1, "d"})};
      },
      {Numbers({2})});
  EXPECT_NE(error.find("negative extent"), std::string::npos) << error;
}

}  // namespace
}  // namespace gyre::internal::inline tests
