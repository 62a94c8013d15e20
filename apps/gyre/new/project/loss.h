// The loss of my_project.

#ifndef MY_PROJECT_LOSS_H_
#define MY_PROJECT_LOSS_H_

#include <gyre/gyre.h>

// The squared error of the logarithm, element by element. It is compiled for
// SIMD and for dual numbers: no gradient is written.
struct LogRatio {
  float floor = 1e-3f;

  template <class T>
  T operator()(const T& pred, const T& target) const {
    // A logarithm of 0 or less is no number, so its argument is bounded.
    const T p = gyre::math::max(pred, floor);
    const T t = gyre::math::max(target, floor);
    const T e = gyre::math::log(p) - gyre::math::log(t);
    return e * e;
  }
};

// Below the floor LogRatio has no slope; the second term, which is traced from
// operations on whole tensors, pulls the mean of the prediction up.
inline gyre::Var Loss(gyre::Var pred, const gyre::BatchVars& batch) {
  const gyre::Var target = batch["y"];
  const gyre::Var bias = mean(pred) - mean(target);
  return mean(pointwise(LogRatio{}, pred, target)) + 0.1 * abs(bias);
}

#endif  // MY_PROJECT_LOSS_H_
