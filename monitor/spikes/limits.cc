#include "gyre/monitor/spikes/limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gyre::internal::inline monitor {
namespace {

constexpr double kChance = 1e-6;     // that a healthy step exceeds a limit
constexpr double kBeliefWeight = 4;  // as many numbers beyond the quantile
constexpr double kFarthest = 100;    // beyond, no tail is believed

struct Statistic {
  int exceed;  // of the last `of` steps
  int of;
  double belief;  // its limit while nothing is known
  double least;   // the level may be off by a few scales in a steep descent
  double p;       // a step's share that makes kChance, if independent
  double p5;      // and that which makes 5%
};
// p solves C(of, exceed) p^exceed = 1e-6; p5 the binomial tail = 5%.
constexpr Statistic kAll[Limits::kStatistics] = {
    {1, 1, 16, 5, kChance, 0.05},
    {2, 2, 9, 4, 1e-3, 0.2236},
    {3, 4, 6, 3.3, 6.3e-3, 0.2486},
    {5, 8, 4.5, 2.5, 0.0281, 0.2892},
    {10, 16, 4, 2.0, 0.1023, 0.3956}};

double Blend(double weight, double a, double b) {
  return std::exp(weight * std::log(a) + (1 - weight) * std::log(b));
}

}  // namespace

Limits::Limits() {
  for (int i = 0; i < kStatistics; ++i) limits_[i] = kAll[i].belief;
}

Limits::Values Limits::Of(const std::deque<double>& last_z) {
  Values values;
  for (int i = 0; i < kStatistics; ++i) {
    const Statistic& s = kAll[i];
    values[i] = -std::numeric_limits<double>::infinity();
    if (last_z.size() < static_cast<std::size_t>(s.of)) continue;
    std::array<double, kLongest> last;
    std::copy(last_z.end() - s.of, last_z.end(), last.begin());
    const auto at = last.begin() + (s.of - s.exceed);
    std::nth_element(last.begin(), at, last.begin() + s.of);
    values[i] = *at;
  }
  return values;
}

bool Limits::Exceeded(const Values& values) const {
  for (int i = 0; i < kStatistics; ++i) {
    if (values[i] > limits_[i]) return true;
  }
  return false;
}

void Limits::Learn(const Values& values, double offset) {
  for (int i = 0; i < kStatistics; ++i) {
    if (!std::isinf(values[i])) tails_[i].Add(values[i] - offset);
  }
  // A fit is cheap, but not needed after every step.
  if (tails_[0].count() < next_fit_) return;
  next_fit_ += 1 + next_fit_ / 16;
  Fit();
}

double Limits::OneStep() const {
  const Tail& tail = tails_[0];
  const double far = tail.Quantile(kChance);
  const double near = tail.Quantile(0.2);
  if (far == 0 || near == 0) return kAll[0].belief;
  // A second opinion, from where there are more data: normal noise has
  // 2.4 here, Student-t(3) 3.6, and their far quantiles are 4.8 and 90.
  const double bulge = tail.Quantile(0.02) / near;
  const double guess =
      std::clamp(7 * std::exp(1.6 * (bulge - 2.44)), 5.0, kFarthest);
  const double beyond = 0.02 * tail.count();
  const double fitted = std::min(far, 3 * guess * (1 + beyond / 50));
  return Blend(2 * beyond / (2 * beyond + kBeliefWeight),
               Blend(beyond / (beyond + 12), fitted, guess),
               kAll[0].belief);
}

double Limits::Several(int i) const {
  const Statistic& s = kAll[i];
  const double count = tails_[0].count();
  const double known = s.p * count;
  const double step = tails_[0].Quantile(s.p);
  const double expected = tails_[0].Quantile(s.p5);
  const double found = tails_[i].Quantile(0.05);
  if (step == 0 || expected == 0 || found == 0) return s.belief;
  const double together = std::max(1.0, found / expected);
  return Blend(
      known / (known + kBeliefWeight), 1.15 * step * together, s.belief);
}

void Limits::Fit() {
  limits_[0] = std::max(OneStep(), kAll[0].least);
  for (int i = 1; i < kStatistics; ++i) {
    const double limit = std::max(Several(i), kAll[i].least);
    limits_[i] = std::min(limit, limits_[i - 1]);
  }
}

Json Limits::ToJson() const {
  Json tails = Json::Array();
  for (const Tail& tail : tails_) tails.Append(tail.ToJson());
  return Json::Object({{"next_fit", next_fit_},
                       {"limits", Json::ArrayOf(limits_)},
                       {"tails", std::move(tails)}});
}

Status Limits::Restore(const Json& json) {
  GYRE_ASSIGN_OR_RETURN(next_fit_, json.GetInt("next_fit"));
  const Json* tails = json.Find("tails");
  const Json* limits = json.Find("limits");
  if (tails == nullptr || tails->elements().size() != kStatistics ||
      limits == nullptr || limits->elements().size() != kStatistics) {
    return DataError("a spike detector needs ", kStatistics, " limits");
  }
  for (int i = 0; i < kStatistics; ++i) {
    GYRE_ASSIGN_OR_RETURN(limits_[i], limits->elements()[i].AsDouble());
    GYRE_RETURN_IF_ERROR(tails_[i].Restore(tails->elements()[i]));
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline monitor
