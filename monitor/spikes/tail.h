// How far out healthy numbers lie: a histogram with a fitted tail.
//
//   Tail tail;
//   for (double z : healthy) tail.Add(z);
//   tail.Quantile(1e-6);               // one in a million exceeds it
//
// "Five deviations" says nothing by itself: normal noise passes them once in
// 3.5 million steps, Student-t(3) noise once in 200. Where the data reach, the
// quantile is that of the data; beyond, that of a generalized Pareto tail,
// fitted to the largest 2% by moments of the logarithm (Dekkers, Einmahl and
// de Haan 1989) and moved to the heavy side while they are few. Bins are a
// twelfth of an octave wide, so the state stays small.

#ifndef GYRE_MONITOR_SPIKES_TAIL_H_
#define GYRE_MONITOR_SPIKES_TAIL_H_

#include <array>
#include <cstdint>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline monitor {

class Tail {
 public:
  void Add(double z);
  std::int64_t count() const { return count_; }

  // What a share `p` of the numbers exceeds; 0 while too few have been seen
  // (three must lie beyond, or in the tail that is fitted).
  double Quantile(double p) const;

  Json ToJson() const;
  Status Restore(const Json& json);

 private:
  static constexpr int kBins = 160;

  // The lowest bin such that `wanted` numbers lie in it and above.
  int TopBins(double wanted, double& beyond) const;
  double Extrapolated(double p) const;

  std::int64_t count_ = 0;
  std::array<std::int64_t, kBins> bins_ = {};
};

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_TAIL_H_
