#include "gyre/optim/spike.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "gyre/core/finite.h"
#include "gyre/core/number.h"

namespace gyre::optim {

using namespace internal;

namespace {

constexpr double kNormalMad = 1.4826;

// Reorders its argument.
double Median(std::vector<double>& x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  if (x.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(x.begin(), middle));
}

std::string_view NameOf(SpikeAction action) {
  switch (action) {
    case SpikeAction::kIgnore:
      return "ignore";
    case SpikeAction::kClip:
      return "clip";
    case SpikeAction::kSkip:
      break;
  }
  return "skip";
}

}  // namespace

Status SpikeRule::Validate() const {
  if (factor > 0 && IsFinite(factor) && warmup >= 2 && window >= warmup &&
      least_deviation >= 0 && IsFinite(least_deviation)) {
    return OkStatus();
  }
  return ConfigError(
      "a spike rule needs factor > 0, 2 <= warmup <= window and "
      "least_deviation >= 0; got ",
      Describe());
}

Status AbsurdRule::Validate() const {
  if (factor == 0) return OkStatus();
  if (factor > 1 && IsFinite(factor) && floor >= 0 && first_limit > 0 &&
      hopeless >= factor && warmup >= 1 && patience >= 1) {
    return OkStatus();
  }
  return ConfigError(
      "a rule for absurd norms needs factor > 1 (or 0: no rule), floor >= 0, "
      "first_limit > 0, hopeless >= factor, warmup >= 1 and patience >= 1; got "
      "factor ",
      factor,
      ", floor ",
      floor,
      ", first_limit ",
      first_limit,
      ", hopeless ",
      hopeless,
      ", warmup ",
      warmup,
      ", patience ",
      patience);
}

std::string SpikeRule::Describe() const {
  return Cat("spike(action=",
             NameOf(action),
             ", factor=",
             Number(factor),
             ", window=",
             window,
             ", warmup=",
             warmup,
             ", least_deviation=",
             Number(least_deviation),
             ")");
}

void NormHistory::Add(double norm, const SpikeRule& rule) {
  if (!IsFinite(norm)) return;
  const auto window = static_cast<std::size_t>(rule.window);
  if (norms_.size() > window) {  // saved under another rule: the newest stay
    std::rotate(norms_.begin(), norms_.begin() + next_, norms_.end());
    norms_.erase(norms_.begin(), norms_.end() - rule.window);
    next_ = 0;
  }
  if (norms_.size() < window) {
    std::rotate(norms_.begin(), norms_.begin() + next_, norms_.end());
    next_ = 0;
    norms_.push_back(norm);
    return;
  }
  norms_[next_] = norm;
  next_ = (next_ + 1) % rule.window;
}

double NormHistory::Limit(const SpikeRule& rule) const {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (rule.action == SpikeAction::kIgnore) return kInf;
  if (norms_.size() < static_cast<std::size_t>(rule.warmup)) return kInf;
  std::vector<double> x = norms_;
  const double median = Median(x);
  for (double& value : x) value = std::abs(value - median);
  const double deviation =
      std::max(kNormalMad * Median(x), rule.least_deviation * median);
  return median + rule.factor * deviation;
}

double NormHistory::median() const {
  if (norms_.empty()) return 0;
  std::vector<double> x = norms_;
  return Median(x);
}

double NormHistory::Limit(const AbsurdRule& rule, std::int64_t skips) const {
  if (rule.factor <= 0) return std::numeric_limits<double>::infinity();
  if (norms_.size() < static_cast<std::size_t>(rule.warmup)) {
    return rule.first_limit;
  }
  const double usual = median();
  const double largest = *std::max_element(norms_.begin(), norms_.end());
  const double limit =
      std::max({rule.factor * usual, 10 * largest, rule.floor});
  if (skips < rule.patience) return limit;
  return std::max(limit, rule.hopeless * std::max(usual, rule.floor));
}

bool NormHistory::IsAbsurd(double norm,
                           const AbsurdRule& rule,
                           std::int64_t skips) const {
  return norm > rule.floor && norm > Limit(rule, skips);
}

StatusOr<NormHistory> NormHistory::From(std::vector<double> norms,
                                        std::int64_t next) {
  const auto size = static_cast<std::int64_t>(norms.size());
  if (next < 0 || (next > 0 && next >= size)) {
    return CheckpointError("norm history: place ", next, " of ", size);
  }
  for (const double norm : norms) {
    if (!IsFinite(norm) || norm < 0) {
      return CheckpointError("norm history: a norm of ", norm);
    }
  }
  NormHistory history;
  history.norms_ = std::move(norms);
  history.next_ = next;
  return history;
}

}  // namespace gyre::optim
