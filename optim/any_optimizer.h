// An optimizer whose stages are no longer in its type: what the plan holds.
//
//   AnyOptimizer opt = Chain(Guard{}, AdamW(Constant{1e-3}));
//
// Immutable, and cheap to copy: copies share it. Threads may share it too.

#ifndef GYRE_OPTIM_ANY_OPTIMIZER_H_
#define GYRE_OPTIM_ANY_OPTIMIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gyre/optim/chain.h"

namespace gyre::optim {

class AnyOptimizer {
 public:
  template <Stage... S>
  AnyOptimizer(Optimizer<S...> optimizer)  // NOLINT: a conversion
      : self_(std::make_shared<const Model<Optimizer<S...>>>(
            std::move(optimizer))) {}

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
  struct Concept {
    virtual ~Concept() = default;
    virtual const Guard& guard() const = 0;
    virtual int num_states() const = 0;
    virtual bool pointwise() const = 0;
    virtual Status Validate() const = 0;
    virtual std::string Describe() const = 0;
    virtual std::vector<std::string> StateNames() const = 0;
    virtual double LearningRate(std::int64_t applied_steps) const = 0;
    virtual std::vector<TensorTraits> MakeTraits(
        const FlatLayout& layout) const = 0;
    virtual std::vector<FlatLayout> MakeStateLayouts(
        const FlatLayout& layout) const = 0;
    virtual UpdateResult Update(const UpdateArgs& args) const = 0;
  };

  template <class T>
  struct Model final : Concept {
    explicit Model(T o) : optimizer(std::move(o)) {}
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
    std::vector<TensorTraits> MakeTraits(
        const FlatLayout& layout) const override {
      return optimizer.MakeTraits(layout);
    }
    std::vector<FlatLayout> MakeStateLayouts(
        const FlatLayout& layout) const override {
      return optimizer.MakeStateLayouts(layout);
    }
    UpdateResult Update(const UpdateArgs& args) const override {
      return optimizer.Update(args);
    }
    T optimizer;
  };

  std::shared_ptr<const Concept> self_;
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_ANY_OPTIMIZER_H_
