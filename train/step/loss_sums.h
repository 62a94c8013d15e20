// The mean of losses, and of the terms that go with them, over parts that weigh
// differently.

#ifndef GYRE_TRAIN_STEP_LOSS_SUMS_H_
#define GYRE_TRAIN_STEP_LOSS_SUMS_H_

#include <map>
#include <string>

namespace gyre::internal::inline train {

class LossSums {
 public:
  using Terms = std::map<std::string, double>;

  void Add(double loss, const Terms& terms, double weight = 1) {
    loss_ += weight * loss;
    weight_ += weight;
    for (const auto& [name, value] : terms) terms_[name] += weight * value;
  }

  // 0, where nothing has any weight.
  double MeanLoss() const { return loss_ / divisor(); }
  Terms MeanTerms() const {
    Terms means = terms_;
    for (auto& [name, value] : means) value /= divisor();
    return means;
  }

 private:
  double divisor() const { return weight_ == 0 ? 1 : weight_; }

  double loss_ = 0;
  double weight_ = 0;
  Terms terms_;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_LOSS_SUMS_H_
