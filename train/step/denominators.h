// The denominators of a program's masked means, as results of its plan.
//
// A step in several micro-batches computes them first, for all of them: each
// mean then divides by their mean over the micro-batches, so that the mean of
// the micro-batches' losses is the loss of the whole batch, whatever each one
// counts, and so is the gradient.

#ifndef GYRE_TRAIN_STEP_DENOMINATORS_H_
#define GYRE_TRAIN_STEP_DENOMINATORS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/tape.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline train {

class Denominators {
 public:
  // Adds those of the tape to the results of a plan.
  void AddTo(const Tape& tape, std::vector<Var>& results);

  // Lets a runner (the executor, the cause finder) read the pooled values.
  template <class Runner>
  void Bind(Runner& runner) const {
    for (const Item& item : items_) {
      if (item.input >= 0) runner.Bind(item.input, item.pooled.get());
    }
  }

  // Computes the pooled values: `prepare` binds micro-batch `part` and returns
  // the number of its run. Does nothing if none is pooled.
  Status Pool(Executor& executor,
              int parts,
              const std::function<StepContext(int part)>& prepare);

  std::size_t size() const { return items_.size(); }
  const SourceLoc& loc(std::size_t i) const { return items_[i].loc; }
  // What the last run of the plan divided by.
  double Value(const Executor& executor, std::size_t i) const;

 private:
  union Scalar {
    float f32;
    double f64;
  };
  struct Item {
    SourceLoc loc;
    DType dtype;
    int result;
    int input = -1;  // of the plan; -1: not pooled
    std::unique_ptr<Scalar> pooled = {};
  };
  double Computed(const Executor& executor, const Item& item) const;

  std::vector<Item> items_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_DENOMINATORS_H_
