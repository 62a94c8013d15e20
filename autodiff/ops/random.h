// Random numbers that a replay draws again.
//
//   Var h = dropout(x, 0.1, {.seed = 7, .name = "encoder/drop1"});
//   Var noise = normal_like(x, {.seed = 7, .name = "noise"});
//
// A number depends on the seed, the name, the step (StepContext::step), the
// rank and its position, and on nothing else: a step run again draws the same
// numbers, in any kernel set, and whatever ran before it. Ranks draw different
// numbers along the axes over which the tensor varies, and the same along the
// others, so that what should agree between ranks does.
//
// Numbers are drawn in f32 (24 bits) and then cast, so that a replay in f64
// sees the same. They have no gradient.
//
// WARNING 1: equal keys draw equal numbers: give each call a name of its own.

#ifndef GYRE_AUTODIFF_OPS_RANDOM_H_
#define GYRE_AUTODIFF_OPS_RANDOM_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/var.h"

namespace gyre {

struct RandomKey {
  std::uint64_t seed = 0;
  std::string_view name;
};

// Numbers in [0, 1), of x's shape and type, varying as x does.
Var uniform_like(Traced x, RandomKey key);
// Mean 0, variance 1; at most 5.8 from 0 (Box-Muller with 24 bits).
Var normal_like(Traced x, RandomKey key);

// The same without an x to be like: f32, varying over the given axes.
Var uniform(internal::Tape& tape,
            Shape shape,
            RandomKey key,
            AxisSet varies = 0,
            const char* file = __builtin_FILE(),
            int line = __builtin_LINE());
Var normal(internal::Tape& tape,
           Shape shape,
           RandomKey key,
           AxisSet varies = 0,
           const char* file = __builtin_FILE(),
           int line = __builtin_LINE());

// 0 with probability `rate`, else x / (1 - rate), so that the mean stays.
// Gradient: by the same choice, and exactly 0 where x was dropped, NaN or not.
// In a program that evaluates (TrainStep::Predict, TrainStep::Evaluate) it is
// x itself. Error: a rate that is not in [0, 1).
Var dropout(Traced x, double rate, RandomKey key);

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_RANDOM_H_
