// Compiles chains in the library, for optim/chains_*.cc alone.

#ifndef GYRE_OPTIM_ERASE_COMPILED_H_
#define GYRE_OPTIM_ERASE_COMPILED_H_

#include <memory>
#include <utility>

#include "gyre/core/simd.h"
#include "gyre/optim/optimizer_model.h"

namespace gyre::optim::detail {

template <class T>
std::shared_ptr<const ErasedOptimizer> EraseCompiled(T optimizer) {
  return std::make_shared<const OptimizerModel<T, internal::kSimdWidth>>(
      std::move(optimizer));
}

#define GYRE_COMPILE_CHAIN(...)                   \
  template std::shared_ptr<const ErasedOptimizer> \
      EraseCompiled<Optimizer<__VA_ARGS__>>(Optimizer<__VA_ARGS__>);

}  // namespace gyre::optim::detail

#endif  // GYRE_OPTIM_ERASE_COMPILED_H_
