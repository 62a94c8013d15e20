// Checks of a loss before it is trained with.
//
//   GradCheck: gradients against differences of values, in f64.
//   StressLoss: what a loss makes of zeros, huge numbers, NaN under a mask.
//   Stress: a training on faults that are made on purpose.

#ifndef GYRE_CHECK_H_
#define GYRE_CHECK_H_

#include "gyre/autodiff/grad_check.h"
#include "gyre/autodiff/hvp.h"
#include "gyre/train/run/stress.h"
#include "gyre/train/step/stress_loss.h"

#endif  // GYRE_CHECK_H_
