// The evaluation program of a training step: model and loss traced a second
// time, with Params::training() false, on the parameters that are trained.
//
//   GYRE_ASSIGN_OR_RETURN(const EvalReport report, step->Evaluate(batch));
//   LogInfo("validation loss ", report.loss);
//
// Nothing is dropped, running statistics stand in for those of the batch, no
// buffer moves and no gradient is computed. It is compiled when it is first
// asked for: one plan beside the one that trains.

#ifndef GYRE_TRAIN_STEP_EVALUATION_H_
#define GYRE_TRAIN_STEP_EVALUATION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/core/status.h"
#include "gyre/core/tensor.h"
#include "gyre/optim/layout.h"
#include "gyre/train/data/batch.h"

namespace gyre {

struct TrainSpec;

struct EvalOptions {
  // With the running mean of the parameters that optim::TrackEma keeps.
  bool use_ema = false;
};

// What an evaluation of one batch found; the same on all ranks.
struct EvalReport {
  double loss = 0;  // over the batches of all ranks, as in training
  std::map<std::string, double> terms = {};  // what report() named
  // What the loss divides by, where it is one masked mean: how much of the
  // batch counts. Nothing: the loss is another mean, or has several.
  std::optional<double> weight = {};
};

}  // namespace gyre

namespace gyre::internal::inline autodiff {
class Executor;
}  // namespace gyre::internal::inline autodiff

namespace gyre::internal::inline train {

struct BatchTensor;    // train/step/batch_check.h
class Denominators;    // train/step/denominators.h
class ReportedTerms;   // train/step/reported_terms.h
struct TracedProgram;  // train/step/traced_program.h

class Evaluation {
 public:
  // `batch`: its tensors; `layout` and `buffers`: of the arrays that Run gets.
  // Errors: mistakes of the model or the loss, with their lines; parameters or
  // buffers that training does not have.
  static StatusOr<std::unique_ptr<Evaluation>> Compile(
      const TrainSpec& spec,
      std::vector<BatchTensor> batch,
      const optim::FlatLayout& layout,
      const optim::FlatLayout& buffers);
  ~Evaluation();

  // Evaluates a batch. Without `wants_loss`, tensors that the prediction does
  // not depend on may be missing, and the loss has no meaning.
  StatusOr<EvalReport> Run(const SampleBatch& batch,
                           bool wants_loss,
                           const float* params,
                           const float* buffers,
                           std::int64_t step);
  // Of the last Run, on this rank.
  Tensor prediction() const;

 private:
  struct Place {
    int input;            // of the plan
    std::int64_t offset;  // into the array
  };
  Evaluation();
  Status BindBatch(const SampleBatch& batch, bool wants_loss);

  std::unique_ptr<TracedProgram> program_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Denominators> denominators_;
  std::unique_ptr<ReportedTerms> terms_;
  std::vector<BatchTensor> batch_;
  std::vector<Place> params_;
  std::vector<Place> buffers_;
  AlignedBuffer zeros_;  // for tensors that are not there
  int loss_result_ = 0;
  int prediction_result_ = 0;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_EVALUATION_H_
