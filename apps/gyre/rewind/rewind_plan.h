// What `gyre rewind` is going to do, worked out from the records of a run.

#ifndef GYRE_APPS_GYRE_REWIND_REWIND_PLAN_H_
#define GYRE_APPS_GYRE_REWIND_REWIND_PLAN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/monitor/records/run_records.h"
#include "gyre/train/context/rewind_request.h"

namespace gyre::internal::inline apps {

struct RewindOptions {
  std::string run = {};
  std::int64_t before = -1;
  std::string skip_samples = {};  // ids, "auto", or empty: none
  std::string out = {};           // empty: a name beside the run
  std::string program = {};       // in place of the one on record
  bool from_start = false;        // when no checkpoint is early enough
  bool keep_going = false;        // though a step comes out otherwise
  bool dry_run = false;
  std::vector<std::string> extra = {};  // arguments added to the program's
};

struct RewindPlan {
  RewindRequest request;
  int world = 1;
  std::string program;
  std::vector<std::string> arguments;
  std::string directory;  // that it was started in
  std::vector<std::pair<std::string, std::string>> environment;

  std::string Describe() const;
};

// "12,17" as numbers. Error: anything else.
StatusOr<std::vector<std::int64_t>> ParseIds(const std::string& text);

// The samples that the records around a step name: those of first causes, or
// else those of bad batches. `why` says which. Error: none is named.
StatusOr<std::vector<std::int64_t>> SamplesNamedAround(
    const RunRecords& records, std::int64_t step, std::string& why);

// Errors: a run that never came to the step; no good checkpoint before it; no
// sample that "auto" could take; a program that is not on record or is gone.
StatusOr<RewindPlan> MakeRewindPlan(const RewindOptions& options);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_REWIND_REWIND_PLAN_H_
