// The words of namespace math (core/math.h), said to Vars: a pointwise
// functor can be traced as operations as well as compiled for SIMD.

#ifndef GYRE_AUTODIFF_OPS_MATH_VARS_H_
#define GYRE_AUTODIFF_OPS_MATH_VARS_H_

#include "gyre/autodiff/ops/elementary.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/pointwise_table.h"
#include "gyre/core/math.h"

namespace gyre {

// Operations stand at the line of the word.
template <>
struct math::WithLine<Var> {
  using type = Traced;
};

#define GYRE_UNARY_ON_VARS(Code, name, Functor, Weight, Generated) \
  inline Var GyreMath(Functor, const Traced& x) { return name(x); }
GYRE_UNARY_WORDS(GYRE_UNARY_ON_VARS)
#undef GYRE_UNARY_ON_VARS
inline Var GyreMath(math::NegFn, const Traced& x) { return -x; }
inline Var GyreMath(math::IsFiniteFn, const Traced& x) { return is_finite(x); }
inline Var GyreMath(math::IsNanFn, const Traced& x) { return is_nan(x); }

#define GYRE_BINARY_ON_VARS(Code, name, Functor, Weight, Generated) \
  inline Var GyreMath(Functor, const Traced& a, const Traced& b) {  \
    return name(a, b);                                              \
  }
GYRE_BINARY_WORDS(GYRE_BINARY_ON_VARS)
#undef GYRE_BINARY_ON_VARS
inline Var GyreMath(math::MaxFn, const Traced& a, const Traced& b) {
  return maximum(a, b);
}
inline Var GyreMath(math::MinFn, const Traced& a, const Traced& b) {
  return minimum(a, b);
}
inline Var GyreMath(math::SelectFn,
                    const Traced& condition,
                    const Traced& a,
                    const Traced& b) {
  return select(condition, a, b);
}

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_MATH_VARS_H_
