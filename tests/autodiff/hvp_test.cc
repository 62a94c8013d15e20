#include "gyre/autodiff/hvp.h"

#include "gyre/autodiff/checkpoint.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/statistics.h"
#include "tests/autodiff/ops/grad_cases.h"

namespace gyre::internal::inline tests {
namespace {

// x^T A x / 2 with A symmetric has the Hessian A.
TEST(Hvp, OfAQuadraticFormIsTheMatrix) {
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        const auto f = [a = v[2]](Vars x) {
          return 0.5 * sum(x[0] * matmul(a, x[0]));
        };
        return hvp(f, v.subspan(0, 1), v.subspan(1, 1));
      },
      {F64({2, 1}, {3, -1}), F64({2, 1}, {1, 10}), F64({2, 2}, {2, 1, 1, 5})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values((*r)[0]), (std::vector<double>{12, 51}));
}

// H v against the difference of gradients along v.
TEST(Hvp, MatchesTheDifferenceOfGradients) {
  const VarFunction loss = [](Vars x) {
    const Var h =
        checkpoint([&](Vars a) { return tanh(matmul(a[0], a[1])); }, x);
    return logsumexp(h) + sum(exp(x[0]) * 0.1);
  };
  const Tensor a = Numbers({2, 3}, -1, 1);
  const Tensor b = Numbers({3, 2}, -1, 1, 2);
  const Tensor va = Numbers({2, 3}, -1, 1, 3);
  const Tensor vb = Numbers({3, 2}, -1, 1, 4);
  const auto exact = Evaluate(
      [&](Tape&, Vars v) {
        return hvp(loss, v.subspan(0, 2), v.subspan(2, 2));
      },
      {a, b, va, vb});
  ASSERT_TRUE(exact.ok()) << exact.status();
  const auto gradient = [&](double h) {
    const auto move = [h](const Tensor& x, const Tensor& v) {
      Tensor y = x.Clone();
      for (int i = 0; i < y.elements(); ++i) {
        y.data<double>()[i] += h * v.data<double>()[i];
      }
      return y;
    };
    return ValueAndGrads(loss, {move(a, va), move(b, vb)});
  };
  const auto above = gradient(1e-5);
  const auto below = gradient(-1e-5);
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 6; ++i) {
      const double numeric =
          (Values(above[k + 1])[i] - Values(below[k + 1])[i]) / 2e-5;
      EXPECT_NEAR(Values((*exact)[k])[i], numeric, 1e-8);
    }
  }
}

TEST(Hvp, IsZeroWhereNothingCurves) {
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        const auto f = [](Vars x) { return sum(x[0] * 3.0); };
        return hvp(f, v.subspan(0, 1), v.subspan(1, 1));
      },
      {F64({2}, {3, -1}), F64({2}, {1, 10})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values((*r)[0]), (std::vector<double>{0, 0}));
}

TEST(Hvp, ErrorsNameBothShapes) {
  const auto f = [](Vars x) { return sum(x[0]); };
  const auto wrong = [f](Tape&, Vars v) {
    return hvp(f, v.subspan(0, 1), v.subspan(1, 1));
  };
  EXPECT_NE(TraceError(wrong, {Numbers({2}), Numbers({3})})
                .find("expected a direction of f64 (2) for input 0, got f64 "
                      "(3)"),
            std::string::npos);
  const auto missing = [f](Tape&, Vars v) { return hvp(f, v, {}); };
  EXPECT_NE(TraceError(missing, {Numbers({2})}).find("got 0 for 1"),
            std::string::npos);
  const auto vector = [](Tape&, Vars v) {
    return hvp([](Vars x) { return x[0]; }, v, v);
  };
  EXPECT_NE(TraceError(vector, {Numbers({2})}).find("scalar float"),
            std::string::npos);
}

}  // namespace
}  // namespace gyre::internal::inline tests
