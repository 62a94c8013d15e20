// Records of steps that a run does over again: it was killed after them, and
// goes on from a checkpoint that is older.

#ifndef GYRE_MONITOR_ABANDONED_STEPS_H_
#define GYRE_MONITOR_ABANDONED_STEPS_H_

#include <cstdint>

#include "gyre/core/status.h"
#include "gyre/monitor/run_directory.h"

namespace gyre::internal::inline monitor {

// Moves the lines of step `first` and later from metrics.jsonl, events.jsonl
// and the ranks' records to abandoned/step-N/, so that each step stands once in
// the records; and half a line, which a kill leaves. How runs began and ended
// (start, resume, stop, error) stays. Every file is whole at any moment: the
// lines are copied first, and then the file without them takes its place.
Status SetAsideSteps(const RunDirectory& run, std::int64_t first);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_ABANDONED_STEPS_H_
