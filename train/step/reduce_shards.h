// A reducer for optimizer states of which each rank keeps a part
// (train/step/state_shards.h): a rank gets the sum of its windows alone,
// updates them, and then all exchange the new parameters.

#ifndef GYRE_TRAIN_STEP_REDUCE_SHARDS_H_
#define GYRE_TRAIN_STEP_REDUCE_SHARDS_H_

#include "gyre/core/aligned.h"
#include "gyre/train/step/reducer.h"

namespace gyre::internal::inline train {

class ShardReducer final : public Reducer {
 public:
  ShardReducer(const TrainState& state, float* grads);

  StatusOr<optim::UpdateResult> Update(double grad_scale) override;

 private:
  // Outside its window the flat gradient stays this rank's share.
  Status AddRange(std::size_t i, const ReduceInput& input) override;
  StateWindow WindowOf(std::size_t i) const override;
  AxisSet SpreadOf(int tensor) const override;

  optim::UpdateResult UpdateWindow(std::size_t i, double grad_scale) const;
  // Puts all ranks' new parameters of range `i` in place.
  Status GatherParameters(std::size_t i) const;
  float* staging() const { return reinterpret_cast<float*>(staging_.get()); }

  AlignedBuffer staging_;  // a window on its way
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_REDUCE_SHARDS_H_
