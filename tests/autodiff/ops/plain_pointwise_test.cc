// A functor from a source without SIMD is the same function as from one with
// it, to a few roundings: it is recorded as the operations it is made of.

#include "tests/autodiff/ops/plain_pointwise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/models/losses.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

using ::testing::HasSubstr;
using Vars = std::span<const Var>;
using Loss = std::function<Var(Vars)>;

Tensor Wave(const Shape& shape, double phase) {
  Tensor x = Tensor::Zeros(shape);
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    x.data<float>()[i] = static_cast<float>(3 * std::cos(1.7 * i + phase));
  }
  return x;
}

// The values, then the gradients of their mean by every input.
std::vector<Tensor> ValuesAndGradients(const Loss& loss,
                                       const std::vector<Tensor>& inputs) {
  auto results = Evaluate(
      [&](Tape&, Vars x) {
        std::vector<Var> out = {loss(x)};
        for (const Var& g : Gradients(mean(out[0]), x)) out.push_back(g);
        return out;
      },
      inputs);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? std::move(*results) : std::vector<Tensor>{};
}

void ExpectNear(const Loss& plain,
                const Loss& simd,
                const std::vector<Tensor>& inputs) {
  const auto a = ValuesAndGradients(plain, inputs);
  const auto b = ValuesAndGradients(simd, inputs);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(a[k].shape(), b[k].shape()) << "result " << k;
    for (std::int64_t i = 0; i < a[k].shape().elements(); ++i) {
      const double wanted = b[k].data<float>()[i];
      EXPECT_NEAR(
          a[k].data<float>()[i], wanted, 1e-6 * std::max(1.0, std::abs(wanted)))
          << "result " << k << ", element " << i;
    }
  }
}

TEST(PlainPointwiseTest, LossesOfTheLibrary) {
  const std::vector<Tensor> x = {Wave({5, 7}, 0), Wave({5, 7}, 1)};
  ExpectNear([](Vars v) { return PlainHuber(v[0], v[1]); },
             [](Vars v) { return pointwise(Huber{0.5f}, v[0], v[1]); },
             x);
  ExpectNear([](Vars v) { return PlainLogCosh(v[0], v[1]); },
             [](Vars v) { return pointwise(LogCosh{}, v[0], v[1]); },
             x);
}

TEST(PlainPointwiseTest, InputsBroadcastAndNumbersAreScalars) {
  ExpectNear([](Vars v) { return PlainHuber(v[0], v[1]); },
             [](Vars v) { return pointwise(Huber{0.5f}, v[0], v[1]); },
             {Wave({5, 7}, 0), Wave({7}, 1)});
  ExpectNear([](Vars v) { return PlainHuber(v[0], 0.25); },
             [](Vars v) { return pointwise(Huber{0.5f}, v[0], 0.25); },
             {Wave({9}, 0)});
}

TEST(PlainPointwiseTest, AUsersFunctorWithChoicesAndAMask) {
  Tensor target = Wave({33}, 1);
  target.data<float>()[4] = std::numeric_limits<float>::quiet_NaN();
  target.data<float>()[20] = std::numeric_limits<float>::infinity();
  const auto plain = [](Vars v) { return PlainAsymmetric(v[0], v[1], v[2]); };
  const auto simd = [](Vars v) {
    return pointwise(Asymmetric{}, v[0], v[1], v[2]);
  };
  ExpectNear(plain, simd, {Wave({33}, 0), Wave({33}, 1), Wave({33}, 2)});
  // Where the target is no number the loss is 0 either way.
  for (const Loss& loss : {Loss(plain), Loss(simd)}) {
    const auto y =
        Evaluate([&](Tape&, Vars v) { return std::vector<Var>{loss(v)}; },
                 {Wave({33}, 0), target, Wave({33}, 2)});
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ((*y)[0].data<float>()[4], 0);
    EXPECT_EQ((*y)[0].data<float>()[20], 0);
  }
}

TEST(PlainPointwiseTest, ALambda) {
  ExpectNear([](Vars v) { return PlainLambda(v[0]); },
             [](Vars v) {
               return pointwise([](auto x) { return math::exp(-0.5f * x * x); },
                                v[0]);
             },
             {Wave({40}, 0)});
}

TEST(PlainPointwiseTest, TheResultHasTheCommonShape) {
  const auto y =
      ValuesAndGradients([](Vars v) { return PlainFirst(v[0], v[1]); },
                         {Wave({1}, 0), Wave({3, 4}, 1)});
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(y[0].shape(), Shape({3, 4}));
}

TEST(PlainPointwiseTest, RefusesWhatTheOperationRefuses) {
  const std::vector<Tensor> mixed = {Wave({4}, 0),
                                     Tensor::Zeros({4}, DType::kF64)};
  const auto plain = [](Tape&, Vars v) {
    return std::vector<Var>{PlainHuber(v[0], v[1])};
  };
  const auto simd = [](Tape&, Vars v) {
    return std::vector<Var>{pointwise(Huber{0.5f}, v[0], v[1])};
  };
  EXPECT_THAT(TraceError(plain, mixed), HasSubstr("all f32 or all f64"));
  EXPECT_THAT(TraceError(simd, mixed), HasSubstr("all f32 or all f64"));
  const std::vector<Tensor> shapes = {Wave({4}, 0), Wave({3}, 0)};
  EXPECT_THAT(TraceError(plain, shapes), HasSubstr("pointwise"));
  EXPECT_THAT(TraceError(simd, shapes), HasSubstr("pointwise"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
