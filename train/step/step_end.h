// The end of every training step, behind the backward pass:
//
//   inspect   counts what is not finite in this rank's gradient
//   reduce    adds the ranks' gradients where they lie
//   judge     the verdict and the clip, equal on all ranks
//   update    the new values, into the back of the state
//
// in this order whatever the numbers are. The step commits them
// (TrainState::Commit). Of several micro-batches, each is inspected, and the
// rest follows once.

#ifndef GYRE_TRAIN_STEP_STEP_END_H_
#define GYRE_TRAIN_STEP_STEP_END_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/mesh/stragglers.h"
#include "gyre/optim/scan.h"
#include "gyre/train/faults/inject.h"
#include "gyre/train/step/consistency.h"
#include "gyre/train/step/micro_batches.h"
#include "gyre/train/step/reducer.h"
#include "gyre/train/step/step_signals.h"
#include "gyre/train/step/train_state.h"

namespace gyre::internal::inline train {

// What became of a step, the same on all ranks but for the times.
struct StepOutcome {
  optim::Verdict verdict;
  bool hashes_equal = true;   // before the step
  bool samples_right = true;  // as far as the hashes of all tell
  int stop_signal = 0;        // that some rank was asked to stop by
  bool end_asked = false;     // some rank has an error
  double reduce_seconds = 0;
  std::optional<LastArrival> last_arrival = {};
};

class StepEnd : public ReadyListener {
 public:
  // What it works on; all of it stays where it is.
  struct Parts {
    const TrainState& state;
    StepFaults& faults;
    Reducer& reducer;
    float* grads;  // flat, of state.layout()
    int micro_batches = 1;
    RankChecks checks = {};
    AxisSet batch_axes = 0;
  };
  explicit StepEnd(const Parts& parts);

  // Before the first micro-batch. `samples`: a hash of this rank's.
  void Begin(const StepSignals& signals, std::uint32_t samples);
  // After the backward pass of micro-batch `index`.
  Status Take(int index, float loss);
  // After the last one. Collective.
  StatusOr<StepOutcome> Finish();

  // Of the last step, on this rank.
  const optim::LocalFindings& findings() const { return findings_; }
  // The same of the micro-batch with the largest gradient.
  const optim::LocalFindings& largest() const {
    return micro_.several() ? largest_ : findings_;
  }
  const MicroBatches& micro() const { return micro_; }
  Consistency& consistency() { return consistency_; }
  // A line each: what happens here, for a listing of the program.
  std::string Describe() const;

 protected:
  // Looks at tensors [begin, end) of this rank's gradient, and at the loss with
  // the last of them, and leaves nothing bad in them. A benchmark of what the
  // guard costs leaves it out.
  virtual Status Inspect(int begin, int end, const float* loss);

 private:
  // The gradients of a bucket are there.
  Status Ready(int bucket, const KernelArgs& args) override;
  void BeginInspection();
  Status ForgiveOthersLoss();
  std::optional<double> NormIfKnown() const;
  Note StepNote();
  StatusOr<ReducedGradient> Reduce(StepOutcome& outcome);
  void ReadRecords(const ReducedGradient& reduction, StepOutcome& outcome);
  Status Update(optim::Verdict& verdict);

  const TrainState& state_;
  StepFaults& faults_;
  Reducer& reducer_;
  float* const grads_;
  const AxisSet batch_axes_;
  MicroBatches micro_;
  Consistency consistency_;
  optim::LocalFindings findings_;
  optim::LocalFindings largest_;

  // Of the step in progress.
  StepSignals signals_;
  std::uint32_t samples_ = 0;
  bool inspected_ = false;  // all of the gradient and the loss
  std::optional<LastArrival> forward_arrival_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_STEP_END_H_
