// What probes have seen (autodiff/ops/probe.h), over all ranks.

#ifndef GYRE_TRAIN_RECORDS_PROBE_RECORD_H_
#define GYRE_TRAIN_RECORDS_PROBE_RECORD_H_

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

// {"hidden": {"mean", "least", "largest", "bad", "bad_ranks"}}: mean and
// extremes of the finite numbers; null where there are none. Empty where the
// step was not due, on all ranks alike. Collective. `bad_ranks`: those with
// numbers that are not finite.
StatusOr<Json> GatherProbes(const TrainStep& step, std::int64_t at);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RECORDS_PROBE_RECORD_H_
