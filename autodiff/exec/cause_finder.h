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

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

struct CauseOperand {
  std::string maker;             // "batch.x", "constant", "select"
  SourceLoc loc;                 // of an operation
  std::optional<double> number;  // at the element, where it has the same shape
  double least = 0;              // of its finite numbers
  double largest = 0;
  std::int64_t bad = 0;  // how many are not finite
};

struct Cause {
  std::string name;       // "log"; "batch.x" for an input that came so
  bool is_input = false;  // came with the batch, a parameter or a constant
  bool received = false;  // came out of a collective that got none from here
  // It left for other ranks, and what it was part of here is finite, or bad
  // only by what others sent. Of no account unless theirs are bad by it.
  bool sent = false;
  // Its place in the step, the same on all ranks; inputs have -1.
  int order = -1;
  Phase phase = Phase::kForward;
  SourceLoc loc = {};  // the user's line; backward: of what it differentiates
  DType dtype = DType::kF32;
  Shape shape = {};          // of the result
  std::int64_t element = 0;  // the first bad one, in row-major order
  double value = 0;          // NaN, or an infinity
  std::int64_t bad = 0;      // how many of its elements are not finite
  std::vector<CauseOperand> operands = {};
  // What handed it on, to the result: "square (backward) at losses.cc:31".
  std::vector<std::string> path = {};
  int result = -1;  // of those given to Create, the one that is bad; -1: none
  int others = 0;   // further producers that reach one

  std::string Describe() const;
};

// What a rank tells the others of its first cause.
struct CauseMark {
  bool found = false;
  bool received = false;
  bool sent = false;
  bool harmed = false;  // a result of this rank is bad
  int micro_batch = 0;
  int order = -1;
};

// The rank whose cause was the first of all: the earliest in the step. What
// was received is another rank's, if one had sent it before; else no rank had
// made it: the collective itself did, as a sum does that overflows. Nothing if
// no rank is harmed.
std::optional<int> FirstRank(std::span<const CauseMark> ranks);

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

}  // namespace gyre

#endif  // GYRE_AUTODIFF_EXEC_CAUSE_FINDER_H_
