// Why a spike is of its class, in sentences with numbers.

#ifndef GYRE_MONITOR_SPIKES_EVIDENCE_H_
#define GYRE_MONITOR_SPIKES_EVIDENCE_H_

#include <string>
#include <vector>

#include "gyre/monitor/spikes/course.h"
#include "gyre/monitor/spikes/spike_group.h"
#include "gyre/monitor/spikes/trace.h"

namespace gyre::internal::inline monitor {

std::vector<std::string> EvidenceOf(const std::vector<TraceRow>& rows,
                                    const SpikeGroup& group,
                                    const Course& course,
                                    const NormReaction& norm);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_EVIDENCE_H_
