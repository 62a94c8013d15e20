// An optimizer behind an interface that does not name its stages. For
// any_optimizer.h.

#ifndef GYRE_OPTIM_OPTIMIZER_MODEL_H_
#define GYRE_OPTIM_OPTIMIZER_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/optim/compiled_chains.h"
#include "gyre/optim/optimizer.h"

namespace gyre::optim::detail {

struct ErasedOptimizer {
  virtual ~ErasedOptimizer() = default;
  virtual const Guard& guard() const = 0;
  virtual int num_states() const = 0;
  virtual bool pointwise() const = 0;
  virtual Status Validate() const = 0;
  virtual std::string Describe() const = 0;
  virtual std::vector<std::string> StateNames() const = 0;
  virtual double LearningRate(std::int64_t applied_steps) const = 0;
  virtual std::optional<EmaPlace> Ema() const = 0;
  virtual std::vector<TensorTraits> MakeTraits(
      const FlatLayout& layout) const = 0;
  virtual std::vector<FlatLayout> MakeStateLayouts(
      const FlatLayout& layout) const = 0;
  virtual UpdateResult Update(const UpdateArgs& args) const = 0;
};

// kWidth: of the source that compiles it.
template <class T, int kWidth>
struct OptimizerModel final : ErasedOptimizer {
  explicit OptimizerModel(T o) : optimizer(std::move(o)) {}
  const Guard& guard() const override { return optimizer.guard(); }
  int num_states() const override { return optimizer.num_states(); }
  bool pointwise() const override { return T::kPointwise; }
  Status Validate() const override { return optimizer.Validate(); }
  std::string Describe() const override { return optimizer.Describe(); }
  std::vector<std::string> StateNames() const override {
    return optimizer.StateNames();
  }
  double LearningRate(std::int64_t applied_steps) const override {
    return optimizer.LearningRate(applied_steps);
  }
  std::optional<EmaPlace> Ema() const override { return optimizer.Ema(); }
  std::vector<TensorTraits> MakeTraits(
      const FlatLayout& layout) const override {
    return optimizer.MakeTraits(layout);
  }
  std::vector<FlatLayout> MakeStateLayouts(
      const FlatLayout& layout) const override {
    return optimizer.MakeStateLayouts(layout);
  }
  UpdateResult Update(const UpdateArgs& args) const override {
    return optimizer.template Update<kWidth>(args);
  }
  T optimizer;
};

// Erases a chain that the library has compiled (optim/chains_*.cc).
template <class T>
std::shared_ptr<const ErasedOptimizer> EraseCompiled(T optimizer);

template <int kWidth, class... S>
std::shared_ptr<const ErasedOptimizer> Erase(Optimizer<S...> optimizer) {
  using T = Optimizer<S...>;
  if constexpr (kCompiledChain<S...>) {
    return EraseCompiled<T>(std::move(optimizer));
  } else {
    return std::make_shared<const OptimizerModel<T, kWidth>>(
        std::move(optimizer));
  }
}

}  // namespace gyre::optim::detail

#endif  // GYRE_OPTIM_OPTIMIZER_MODEL_H_
