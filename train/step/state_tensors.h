// The named tensors of a training state: "params/hidden0.w",
// "state/0.m/hidden0.w", "buffers/norm.mean".
//
// Checkpoints and the ranks' checks call tensors by these names.

#ifndef GYRE_TRAIN_STEP_STATE_TENSORS_H_
#define GYRE_TRAIN_STEP_STATE_TENSORS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gyre/core/shape.h"
#include "gyre/models/part.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

struct StateTensor {
  std::string name;
  Shape shape;    // on this rank
  PartSpec part;  // part.whole: on all of them together
  // Of a tensor that is cut, but keeps another shape than it: what another
  // rank has of it cannot be known from the part's.
  bool cannot_join = false;
  std::int64_t offset = 0;  // in the array of its kind
  std::int64_t size = 0;

  template <class T>
  std::span<T> In(std::span<T> array) const {
    return array.subspan(offset, size);
  }
};

// By kind, each in the order of its array.
struct StateTensors {
  std::vector<StateTensor> params;
  std::vector<std::vector<StateTensor>> states;  // by state of the optimizer
  std::vector<StateTensor> buffers;
};

StateTensors TensorsOf(const TrainState& state);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_STATE_TENSORS_H_
