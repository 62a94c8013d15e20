// Programs that between them use every operation, forward and backward.

#ifndef GYRE_TESTS_AUTODIFF_EXEC_CAUSE_CASES_H_
#define GYRE_TESTS_AUTODIFF_EXEC_CAUSE_CASES_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gyre/autodiff/var.h"
#include "gyre/core/tensor.h"

namespace gyre::internal::inline tests {

struct CauseCase {
  std::string name;
  // The same on all ranks, but vary over the axis "data" where they are f64.
  std::vector<Tensor> inputs;
  std::function<Var(std::span<const Var>)> f;
};

// For a mesh of one axis, "data", of `ranks`.
std::vector<CauseCase> CauseCases(int ranks);

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_AUTODIFF_EXEC_CAUSE_CASES_H_
