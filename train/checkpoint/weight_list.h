// The parameters and buffers of a step as weights: whole tensors with names of
// their own, apart from moments and counters. For train/checkpoint/weights.h.

#ifndef GYRE_TRAIN_CHECKPOINT_WEIGHT_LIST_H_
#define GYRE_TRAIN_CHECKPOINT_WEIGHT_LIST_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/core/tensor.h"
#include "gyre/models/part.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

// A parameter or buffer: its own name, and where this rank keeps it in
// StateArrays::all().
struct Weight {
  std::string name;
  PartSpec part;
  std::size_t offset = 0;
  std::size_t size = 0;
};

std::vector<Weight> WeightsOf(const TrainStep& step);

// Returns the transposed of a matrix of f32.
Tensor Transposed(const Tensor& t);

// Returns a file's tensor as the model has it: f32, and transposed if `turn`.
// Errors: a type that is none of weights; another shape, and both are named.
StatusOr<Tensor> Fit(const Weight& weight,
                     const std::string& file_name,
                     const Tensor& given,
                     bool turn);

// Puts values of StateArrays::all() into the step on all ranks. Collective.
// Error, of kind mismatch: the ranks hold different ones then.
Status PutInPlace(TrainStep& step, std::span<const float> all);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_CHECKPOINT_WEIGHT_LIST_H_
