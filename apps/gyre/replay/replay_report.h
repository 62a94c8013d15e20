// What the replays of a step say, for people and as JSON.

#ifndef GYRE_APPS_GYRE_REPLAY_REPLAY_REPORT_H_
#define GYRE_APPS_GYRE_REPLAY_REPLAY_REPORT_H_

#include <string>
#include <vector>

#include "apps/gyre/replay/changes.h"
#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/train/replay/evidence.h"
#include "gyre/train/replay/step_result.h"

namespace gyre::internal::inline apps {

// One replay and what came out.
struct ReplayRow {
  Change change;
  StatusOr<Json> outcome;  // result.json (train/replay/replay.h)
};

struct ReplayReport {
  std::vector<ReplayRow> rows;  // the first is the replay without a change
  std::vector<ResultDifference> differences;  // of that one, from the original
  std::vector<std::string> notes;

  bool same() const { return differences.empty(); }
};

// "rank 1: log (forward) at losses.cc:41 made NaN from -0.38"; "" for none.
std::string FirstCauseOf(const Json& outcome);

Json ToJson(const ReplayReport& report, const Evidence& evidence);
std::string InWords(const ReplayReport& report, const Evidence& evidence);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_REPLAY_REPLAY_REPORT_H_
