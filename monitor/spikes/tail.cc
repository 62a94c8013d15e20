#include "gyre/monitor/spikes/tail.h"

#include <algorithm>
#include <cmath>

namespace gyre::internal::inline monitor {
namespace {

constexpr double kPerOctave = 12;
constexpr double kSmallest = 1.0 / 8;  // lower end of bin 1
constexpr double kShare = 0.02;        // of the numbers, which are the tail
constexpr double kFewest = 3;          // that say something
constexpr double kHeaviest = 0.7;      // shape that is still believed

double LowerEnd(int bin) {
  return kSmallest * std::exp2((bin - 1) / kPerOctave);
}

int BinOf(double z, int bins) {
  if (!(z > kSmallest)) return 0;
  const double bin = 1 + std::floor(std::log2(z / kSmallest) * kPerOctave);
  return static_cast<int>(std::min<double>(bin, bins - 1));
}

}  // namespace

void Tail::Add(double z) {
  ++bins_[BinOf(z, kBins)];
  ++count_;
}

int Tail::TopBins(double wanted, double& beyond) const {
  int first = kBins;
  beyond = 0;
  while (first > 1 && beyond < wanted) beyond += bins_[--first];
  return first;
}

double Tail::Quantile(double p) const {
  const double wanted = p * count_;
  if (wanted < kFewest) return Extrapolated(p);
  double beyond = 0;
  const int bin = TopBins(wanted, beyond);
  if (beyond < wanted) return kSmallest;
  // Within the bin, as if its numbers were spread evenly.
  const double part = (beyond - wanted) / std::max<double>(bins_[bin], 1);
  return LowerEnd(bin) * std::exp2(part / kPerOctave);
}

double Tail::Extrapolated(double p) const {
  double beyond = 0;
  const int first = TopBins(std::max(kShare * count_, kFewest), beyond);
  if (beyond < kFewest) return 0;
  const double u = LowerEnd(first);
  double m1 = 0;
  double m2 = 0;
  for (int bin = first; bin < kBins; ++bin) {
    const double log = (bin - first + 0.5) / kPerOctave * std::log(2.0);
    m1 += bins_[bin] * log / beyond;
    m2 += bins_[bin] * log * log / beyond;
  }
  // They are equal if all lie in one bin.
  const double ratio = std::min(m1 * m1 / m2, 0.95);
  const double moment = 1 - 0.5 / (1 - ratio);
  const double shape =
      std::clamp(m1 + moment + 0.7 / std::sqrt(beyond), 0.01, kHeaviest);
  const double width = u * m1 * (1 - std::min(moment, 0.0));
  const double reach = std::pow(beyond / count_ / p, shape);
  return u + width * (reach - 1) / shape;
}

Json Tail::ToJson() const {
  return Json::Object({{"count", count_}, {"bins", Json::ArrayOf(bins_)}});
}

Status Tail::Restore(const Json& json) {
  const Json* bins = json.Find("bins");
  if (bins == nullptr || bins->elements().size() != kBins) {
    return DataError("the tail of a spike detector needs ", kBins, " bins");
  }
  GYRE_ASSIGN_OR_RETURN(count_, json.GetInt("count"));
  for (int i = 0; i < kBins; ++i) {
    GYRE_ASSIGN_OR_RETURN(bins_[i], bins->elements()[i].AsInt());
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline monitor
