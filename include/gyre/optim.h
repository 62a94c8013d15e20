// Optimizers: a guard, then stages.
//
//   auto opt = optim::Chain(
//       optim::Guard{.max_norm = 1.0},
//       optim::AdamW(optim::WarmupCosine{
//           .peak = 3e-4, .warmup = 500, .total = 20'000}));
//
// The guard comes first by type: a chain without it does not compile. A stage
// of your own is a struct of ten lines (optim/stage.h).
//
// WARNING 1: what the guard skips changes nothing but the data cursor; counters
// and schedules move on applied steps alone.

#ifndef GYRE_OPTIM_H_
#define GYRE_OPTIM_H_

#include "gyre/optim/adafactor.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/chain.h"
#include "gyre/optim/clip.h"
#include "gyre/optim/clip_adaptive.h"
#include "gyre/optim/clip_tensor.h"
#include "gyre/optim/decay.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/guard.h"
#include "gyre/optim/lamb.h"
#include "gyre/optim/lion.h"
#include "gyre/optim/rmsprop.h"
#include "gyre/optim/schedule.h"
#include "gyre/optim/sgd.h"
#include "gyre/optim/stage.h"
#include "gyre/optim/tensor_stage.h"

#endif  // GYRE_OPTIM_H_
