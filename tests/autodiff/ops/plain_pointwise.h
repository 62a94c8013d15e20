// Losses from a source that is compiled without SIMD (plain_pointwise.cc).

#ifndef GYRE_TESTS_AUTODIFF_OPS_PLAIN_POINTWISE_H_
#define GYRE_TESTS_AUTODIFF_OPS_PLAIN_POINTWISE_H_

#include "gyre/autodiff/var.h"
#include "gyre/core/math.h"

namespace gyre::internal::inline tests {

// A functor of a user's, with a member, nested choices and much vocabulary.
struct Asymmetric {
  float weight = 2.0f;
  double floor = 0.125;

  template <class T>
  T operator()(const T& pred, const T& target, const T& scale) const {
    const T e = (pred - target) / math::max(math::abs(scale), floor);
    const T rare = math::log1p(math::square(e)) * math::tanh(pred);
    const T far = math::select(e > 3.0f, math::sqrt(math::abs(e)), rare);
    return math::select(
        math::is_finite(target), math::select(e < 0, weight * far, far), 0.0f);
  }
};

// Looks at one of its inputs alone.
struct First {
  template <class T>
  T operator()(const T& a, const T&) const {
    return a;
  }
};

Var PlainHuber(Var pred, Traced target);
Var PlainLogCosh(Var pred, Traced target);
Var PlainAsymmetric(Var pred, Var target, Var scale);
Var PlainFirst(Var a, Var b);
Var PlainLambda(Var a);

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_AUTODIFF_OPS_PLAIN_POINTWISE_H_
