// Runs a plan, step after step.
//
//   GYRE_ASSIGN_OR_RETURN(auto executor, Executor::Create(plan));
//   executor->Bind(0, batch.raw());
//   GYRE_RETURN_IF_ERROR(executor->Run({.step = 412}));
//   const float loss = *executor->Result<float>(0);
//
// WARNING 1: bound memory must stay where it is until it is bound anew.

#ifndef GYRE_AUTODIFF_EXEC_EXECUTOR_H_
#define GYRE_AUTODIFF_EXEC_EXECUTOR_H_

#include <map>
#include <memory>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {

// Sees every operation of a step when it is done.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void After(const Node& node, const KernelArgs& args) = 0;
};

class Executor {
 public:
  // Allocates the arena and makes every kernel. Error: an operation has no
  // kernel for its types; the message names its line.
  static StatusOr<std::unique_ptr<Executor>> Create(
      std::shared_ptr<const Plan> plan);

  const Plan& plan() const { return *plan_; }

  // Where input `index` of the plan lies from now on.
  void Bind(int index, void* data);

  // One step. Allocates nothing.
  Status Run(const StepContext& context);
  // Only what the i-th result needs, whose value then stands until the next
  // run; the other results have none.
  Status RunFor(int i, const StepContext& context);

  // One step, watched: aliases (reshapes) do nothing and are not seen.
  Status RunObserved(const StepContext& context, StepObserver& observer);

  // The i-th result of the plan, valid until the next run.
  template <class T>
  const T* Result(int i) const {
    return static_cast<const T*>(Address(plan_->graph().results[i]));
  }
  // A copy of it.
  Tensor ResultTensor(int i) const;

 private:
  struct Step {
    std::unique_ptr<Kernel> kernel;
    const Node* node;
    std::size_t in;  // positions in pointers_
    std::size_t out;
  };
  struct Use {
    std::size_t position;  // in pointers_
    std::size_t offset;    // bytes into the input
  };

  explicit Executor(std::shared_ptr<const Plan> plan)
      : plan_(std::move(plan)) {}
  Status AddStep(const Node& node, const std::vector<int>& uses);
  std::size_t AddPointer(ValueId id, bool used);
  void* Address(ValueId id) const;
  Status RunSteps(const StepContext& context, StepObserver* observer);
  Status RunStep(const Step& step,
                 const StepContext& context,
                 StepObserver* observer);
  // The context, on the plan's mesh where it names none.
  StepContext OnMesh(StepContext context) const;
  // The positions in steps_ of what the i-th result needs.
  std::vector<std::size_t> StepsFor(int i) const;

  std::shared_ptr<const Plan> plan_;
  AlignedBuffer arena_;
  AlignedBuffer scratch_;
  std::vector<Step> steps_;
  std::vector<void*> pointers_;         // operands of all steps, in order
  std::vector<std::vector<Use>> uses_;  // by input
  std::vector<void*> bound_;            // by input
  std::map<int, std::vector<std::size_t>>
      for_result_;  // as they were asked for
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_EXECUTOR_H_
