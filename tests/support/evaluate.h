// Traces a function, compiles it and runs it once.

#ifndef GYRE_TESTS_SUPPORT_EVALUATE_H_
#define GYRE_TESTS_SUPPORT_EVALUATE_H_

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline tests {

using TraceFunction =
    std::function<std::vector<Var>(Tape&, std::span<const Var>)>;

// The results of `f` for these inputs.
inline StatusOr<std::vector<Tensor>> Evaluate(const TraceFunction& f,
                                              std::vector<Tensor> inputs,
                                              const PlanOptions& options = {}) {
  Tape tape;
  std::vector<Var> vars;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    vars.push_back(
        tape.Input(Cat("x", i), {inputs[i].shape(), inputs[i].dtype(), 0}));
  }
  const std::vector<Var> results = f(tape, vars);
  GYRE_ASSIGN_OR_RETURN(auto plan, Plan::Compile(tape, results, options));
  GYRE_ASSIGN_OR_RETURN(auto executor, Executor::Create(plan));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    executor->Bind(static_cast<int>(i), inputs[i].raw());
  }
  GYRE_RETURN_IF_ERROR(executor->Run({}));
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    outputs.push_back(executor->ResultTensor(static_cast<int>(i)));
  }
  return outputs;
}

// The message of the first error in the trace of `f`.
inline std::string TraceError(const TraceFunction& f,
                              std::vector<Tensor> inputs) {
  const auto result = Evaluate(f, std::move(inputs));
  return result.ok() ? std::string("no error") : Message(result.status());
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_EVALUATE_H_
