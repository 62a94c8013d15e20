// Excursions of several signals that are one spike.

#ifndef GYRE_MONITOR_SPIKES_SPIKE_GROUP_H_
#define GYRE_MONITOR_SPIKES_SPIKE_GROUP_H_

#include <cstddef>
#include <vector>

#include "gyre/monitor/spikes/excursion.h"
#include "gyre/monitor/spikes/trace.h"

namespace gyre::internal::inline monitor {

struct SpikeGroup {
  std::vector<Excursion> members;  // one a signal, the loss first

  const Excursion& main() const { return members.front(); }
  const Excursion* Find(Signal signal) const;
  std::size_t first() const;  // row
  std::size_t last() const;
};

// A gradient norm that left its band alone and did not double is dropped. A
// loss that rises on from a level it had risen to is one spike, not two.
std::vector<SpikeGroup> GroupExcursions(const std::vector<TraceRow>& rows,
                                        std::vector<Excursion> excursions);

// What the gradient norm did while the loss was out of its band.
struct NormReaction {
  bool known = false;  // recorded, and not constant (as after clipping)
  bool excursion = false;
  double largest = 0;  // scales above its level before
  double usual = 0;    // their upper quartile
  double times = 1;    // the largest over the level before

  bool quiet() const {
    const bool low = largest < 2.5 || (largest < 4.5 && times < 1.6);
    return known && !excursion && low && usual < 2;
  }
};
NormReaction ReactionOf(const std::vector<TraceRow>& rows,
                        const SpikeGroup& group);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_SPIKE_GROUP_H_
