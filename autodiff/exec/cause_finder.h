// Which operation made the first bad number of a step?
//
//   GYRE_ASSIGN_OR_RETURN(auto finder, CauseFinder::Create(tape, results, {}));
//   finder->Bind(0, batch.raw());              // as the step had it
//   GYRE_ASSIGN_OR_RETURN(const auto cause, finder->Find({.step = 412}));
//   if (cause.has_value()) LogWarning(cause->Describe());
//
//   log (forward) at losses.cc:53 made NaN from -2.1 (select, losses.cc:53) at
//   element 245 of f32 (8, 1, 33, 36)
//
// Runs the recorded step once more, one operation at a time and not fused
// (which gives the same bits), and looks at every result. Costs nothing until
// it is made; training plans know nothing of it.
//
// A producer has a bad result from good operands: NaN from numbers or from
// infinities, an infinity from numbers. A propagator hands on what it was
// given. Only producers whose bad number reaches a result through bad values
// are named: a NaN that a mask takes out is none. Of several, the first in
// the order of the step, inputs before operations; what another rank sent
// comes after what was made here, and NaN made of infinities that are neither
// after both.
//
// WARNING 1: collective where the tape talks to other ranks: all of them call
// Find, and each learns its own first error. FirstRank says whose was first.

#ifndef GYRE_AUTODIFF_EXEC_CAUSE_FINDER_H_
#define GYRE_AUTODIFF_EXEC_CAUSE_FINDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gyre/autodiff/exec/cause.h"
#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline autodiff {

class CauseFinder {
 public:
  // `results`: what must be finite. `kernels`: those of the step.
  static StatusOr<std::unique_ptr<CauseFinder>> Create(
      const Tape& tape,
      std::span<const Var> results,
      const PlanOptions& options);

  // As Executor::Bind, for inputs of the tape.
  void Bind(int input, void* data);

  // Nothing: all results are finite, and nothing that is not left this rank.
  // `tamper` sees every operation before the finder does, and may write into
  // what it made: for tests.
  StatusOr<std::optional<Cause>> Find(const StepContext& context,
                                      StepObserver* tamper = nullptr);

  // The results of the last Find, as Create was given them.
  const Executor& executor() const { return *executor_; }

  // The i-th of the results given to Create, valid until the next Find.
  template <class T>
  const T* Result(int i) const {
    return executor_->Result<T>(i);
  }

 private:
  explicit CauseFinder(std::unique_ptr<Executor> executor)
      : executor_(std::move(executor)) {}

  std::unique_ptr<Executor> executor_;
  std::vector<void*> bound_;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_CAUSE_FINDER_H_
