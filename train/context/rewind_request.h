// What `gyre rewind` tells the program that it starts (train/replay/rewind.h).

#ifndef GYRE_TRAIN_CONTEXT_REWIND_REQUEST_H_
#define GYRE_TRAIN_CONTEXT_REWIND_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/mesh/run_context.h"

namespace gyre::internal::inline train {

inline constexpr char kRewindVariable[] = "GYRE_REWIND";

struct RewindRequest {
  std::string original = {};    // a run directory
  std::string checkpoint = {};  // in it; empty: from the start
  std::int64_t step = 0;        // that the checkpoint goes on with
  std::int64_t before = 0;      // the step that shall come out otherwise
  std::string out = {};         // the new run directory
  std::vector<std::int64_t> leave_out = {};  // ids of samples
  std::string why = {};                      // these
  bool compare = true;  // the steps before; false: something else has changed
  bool strict = true;   // one that differs ends the run

  Json ToJson() const;
  static StatusOr<RewindRequest> FromJson(const Json& json);
  // Nothing: this is no rewound run.
  static StatusOr<std::optional<RewindRequest>> Of(const RunContext& context);
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_CONTEXT_REWIND_REQUEST_H_
