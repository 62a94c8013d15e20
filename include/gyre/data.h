// Data: tensors, batches, and the sources and samplers that make them.
//
//   FunctionSource data(sampler, Points);   // Points(ids) gives tensors
//
// WARNING 1: a plan is compiled for one batch size: a last, smaller batch is
// dropped or padded, never another plan.

#ifndef GYRE_DATA_H_
#define GYRE_DATA_H_

#include "gyre/core/rng.h"
#include "gyre/core/shape.h"
#include "gyre/core/tensor.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/data/function_source.h"
#include "gyre/train/data/prefetch.h"
#include "gyre/train/data/sampler.h"

#endif  // GYRE_DATA_H_
