// Reads the log of any framework: JSON lines or CSV.
//
//   GYRE_ASSIGN_OR_RETURN(const Trace trace, ReadTrace("train.csv", {}));
//   trace.rows[7].loss
//   trace.notes                     // what was passed over, for people
//
// JSON lines: one object a line; NaN and Infinity may be bare words. CSV: a
// header with the names, then rows; comma, semicolon or tab; fields may be
// quoted; lines that start with # are passed over. The kind is told from the
// first character. A run directory is read from its metrics.jsonl.
//
// A row without a loss adds to the row before it if that is of the same step
// (an evaluation in a row of its own). A row that repeats the one before is
// dropped. Missing steps are no fault; a smaller step is a restart. In JSON,
// a loss that is null, in a row without an evaluation, is a NaN, since that
// is what many writers make of one.
//
// Errors, of kind data: no such file, an empty one, no header, no column of
// that name (with those that are there), a line that cannot be read, with its
// number. A last line of JSON that was cut off is passed over.

#ifndef GYRE_MONITOR_SPIKES_TRACE_READER_H_
#define GYRE_MONITOR_SPIKES_TRACE_READER_H_

#include <string>
#include <string_view>

#include "gyre/core/status.h"
#include "gyre/monitor/spikes/trace.h"

namespace gyre::internal::inline monitor {

// Empty: the usual name (step, loss, grad_norm, eval_loss, lr), or the first
// of the names under which other frameworks write it that is there.
struct TraceColumns {
  std::string step;
  std::string loss;
  std::string grad_norm;
  std::string eval_loss;
  std::string lr;
};

StatusOr<Trace> ReadTrace(const std::string& path, const TraceColumns& columns);

// The same for a text; `what` names it in errors.
StatusOr<Trace> ParseTrace(std::string_view text,
                           const std::string& what,
                           const TraceColumns& columns);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SPIKES_TRACE_READER_H_
