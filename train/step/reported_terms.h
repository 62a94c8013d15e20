// The terms that a program reports (autodiff/ops/report.h), as results of its
// plan.

#ifndef GYRE_TRAIN_STEP_REPORTED_TERMS_H_
#define GYRE_TRAIN_STEP_REPORTED_TERMS_H_

#include <map>
#include <string>
#include <vector>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline train {

class ReportedTerms {
 public:
  // Adds those of the tape to the results of a plan.
  void AddTo(Tape& tape, std::vector<Var>& results) {
    for (const Term& term : tape.terms()) {
      terms_.push_back({term.name, static_cast<int>(results.size())});
      results.emplace_back(&tape, term.value);
    }
  }

  // What the last run made of them.
  std::map<std::string, double> Values(const Executor& executor) const {
    std::map<std::string, double> values;
    for (const Item& term : terms_) {
      values[term.name] = *executor.Result<float>(term.result);
    }
    return values;
  }

 private:
  struct Item {
    std::string name;
    int result;
  };
  std::vector<Item> terms_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_REPORTED_TERMS_H_
