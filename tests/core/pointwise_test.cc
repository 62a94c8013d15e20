#include "gyre/core/pointwise.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

struct Huber {
  float delta = 1.0f;
  template <class T>
  T operator()(const T& pred, const T& target) const {
    const T e = pred - target;
    const T a = math::abs(e);
    return math::select(a <= delta, 0.5f * e * e, delta * (a - 0.5f * delta));
  }
};

struct ScalarsOnly {
  float operator()(float x) const { return x; }
};

struct NoDual {
  template <class T>
  requires(!requires(T x) { x.grad; }) T operator()(const T& x) const {
    return x;
  }
};

static_assert(PointwiseFunctor<Huber, 2>);
static_assert(CheckPointwiseFunctor<Huber, 2>());
static_assert(!PointwiseFunctor<Huber, 1>);
static_assert(!PointwiseFunctor<Huber, 3>);
static_assert(!PointwiseFunctor<ScalarsOnly, 1>);
static_assert(!PointwiseFunctor<NoDual, 1>);
static_assert(kPointwiseFor<NoDual, 1, FloatBatch>);

TEST(Pointwise, OneFunctorServesEveryKindOfNumber) {
  const Huber huber{0.5f};
  const float wanted = 0.5f * (2.0f - 0.25f);
  EXPECT_EQ(huber(3.0f, 1.0f), wanted);
  EXPECT_EQ(huber(FloatBatch(3.0f), FloatBatch(1.0f)).get(3), wanted);
  using D = Dual<FloatBatch, 1>;
  const D y = huber(D::Variable(FloatBatch(3.0f), 0), D(1.0f));
  EXPECT_EQ(y.value.get(0), wanted);
  EXPECT_EQ(y.grad[0].get(0), 0.5f);
}

}  // namespace
}  // namespace gyre::internal::inline tests
