// Model, loss and gradients on a tape, before they become a plan. The train
// step keeps it, to look at a bad step once more
// (autodiff/exec/cause_finder.h).

#ifndef GYRE_TRAIN_STEP_TRACED_PROGRAM_H_
#define GYRE_TRAIN_STEP_TRACED_PROGRAM_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gyre/autodiff/tape.h"
#include "gyre/models/params.h"
#include "gyre/train/faults/inject.h"
#include "gyre/train/step/batch_check.h"
#include "gyre/train/step/gradient_sync.h"
#include "gyre/train/step/train_spec.h"

namespace gyre::internal::inline train {

struct TracedProgram {
  TracedProgram(const TrainSpec& spec,
                AxisSet batch,
                const FaultPlan& plan,
                bool training)
      : mesh(spec.mesh),
        batch_axes(batch),
        tape(&mesh, training),
        params(tape, spec.seed, batch, spec.compute),
        faults(std::make_shared<StepFaults>(StepFaults{plan, mesh.rank()})) {}

  // What must be finite: the loss, the gradients, the new buffers.
  std::vector<Var> MustBeFinite() const;
  // The same, for a person: "the loss", "the gradient of dense.w".
  std::string NameOfResult(int i) const;

  const Mesh mesh;
  const AxisSet batch_axes;
  Tape tape;
  Params params;
  std::shared_ptr<StepFaults> faults;
  std::vector<BatchTensor> batch;  // as it was traced: of one micro-batch
  Var prediction;
  Var loss;
  Var loss_scale;                   // not valid() without scaling
  std::vector<Var> grads;           // by parameter: this rank's share
  std::vector<TensorMesh> tensors;  // by parameter
};

// Adds a value to the results of a plan; gives its place among them.
inline int AddResult(Var value, std::vector<Var>& results) {
  results.push_back(value);
  return static_cast<int>(results.size()) - 1;
}

// Calls the model and the loss. Errors: the first mistake of either, with its
// line; a loss that varies or is no scalar; options that do not fit.
StatusOr<std::unique_ptr<TracedProgram>> TraceProgram(const TrainSpec& spec,
                                                      const FaultPlan& faults);

// The same of the program that evaluates: without gradients and faults.
// `batch`: its tensors, not cut.
StatusOr<std::unique_ptr<TracedProgram>> TraceEvaluation(
    const TrainSpec& spec, std::span<const BatchTensor> batch);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_TRACED_PROGRAM_H_
