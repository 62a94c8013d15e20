// An optimizer whose stages are no longer in its type: what the plan holds.
//
//   AnyOptimizer opt = Chain(Guard{}, AdamW(1e-3));
//
// Immutable, and cheap to copy: copies share it. Threads may share it too.
//
// The usual chains (optim/compiled_chains.h) are in the library. A chain with
// another stage is compiled in the source that makes this of it: for SIMD
// where its flags allow (core/simd.h), else for one number at a time; the bits
// are the same.

#ifndef GYRE_OPTIM_ANY_OPTIMIZER_H_
#define GYRE_OPTIM_ANY_OPTIMIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/core/simd.h"
#include "gyre/optim/chain.h"  // IWYU pragma: export
#include "gyre/optim/optimizer_model.h"

namespace gyre::optim {

class AnyOptimizer {
 public:
  // kWidth: of the calling source, for chains that are compiled in it.
  template <Stage... S, int kWidth = internal::kSimdWidth>
  AnyOptimizer(Optimizer<S...> optimizer)  // NOLINT: a conversion
      : self_(detail::Erase<kWidth>(std::move(optimizer))) {}

  const Guard& guard() const { return self_->guard(); }
  int num_states() const { return self_->num_states(); }
  // No stage needs a whole tensor at once.
  bool pointwise() const { return self_->pointwise(); }
  Status Validate() const { return self_->Validate(); }
  std::string Describe() const { return self_->Describe(); }
  std::vector<std::string> StateNames() const { return self_->StateNames(); }
  double LearningRate(std::int64_t applied_steps) const {
    return self_->LearningRate(applied_steps);
  }
  // Nothing: the chain has no TrackEma.
  std::optional<EmaPlace> Ema() const { return self_->Ema(); }
  std::vector<TensorTraits> MakeTraits(const FlatLayout& layout) const {
    return self_->MakeTraits(layout);
  }
  std::vector<FlatLayout> MakeStateLayouts(const FlatLayout& layout) const {
    return self_->MakeStateLayouts(layout);
  }
  UpdateResult Update(const UpdateArgs& args) const {
    return self_->Update(args);
  }

 private:
  std::shared_ptr<const detail::ErasedOptimizer> self_;
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_ANY_OPTIMIZER_H_
