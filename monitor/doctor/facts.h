// What the records say, counted once, for the doctor's rules.

#ifndef GYRE_MONITOR_DOCTOR_FACTS_H_
#define GYRE_MONITOR_DOCTOR_FACTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gyre/monitor/records/rank_timing.h"
#include "gyre/monitor/records/run_records.h"
#include "gyre/monitor/spikes/spike.h"

namespace gyre::internal::inline monitor {

struct Facts {
  std::string path;  // as the commands take it
  std::int64_t steps = 0;
  std::int64_t last_step = -1;
  int world = 1;
  bool one_host = false;  // all ranks share a machine
  bool summary = false;   // the run came to its end
  bool unguarded = false;

  std::vector<Spike> spikes;
  std::vector<RankTiming> timing;
  std::vector<Event> bad;        // the guard's verdicts that were not clean
  std::vector<Event> too_large;  // of them, those of finite gradients
  std::vector<Event> errors;     // what ended a rank
  std::vector<std::int64_t> injected;
  std::vector<std::int64_t> desyncs;
  std::string desync;  // of the first: tensors and ranks
  std::vector<std::int64_t> empty_masks;
  std::map<std::string, int> bad_samples;  // name: verdicts it was part of
  std::map<std::string, int> bad_ranks;
  std::vector<std::string> causes;  // of cause.json
  std::vector<std::int64_t> kept;   // steps that gyre replay can run again

  std::int64_t not_finite = 0;  // steps whose loss or gradient was not
  std::int64_t lr_rises = 0;    // spikes with a rise of lr before them
  std::int64_t clipped = 0;     // steps that were clipped
  std::int64_t long_steps = 0;  // longer than five medians
  std::int64_t machine = 0;     // events of the machine
  std::optional<double> lowest_loss_scale;
  std::optional<int> odd_rank;  // whose norm is far from the others'
  std::optional<double> plans;
  std::optional<bool> hashes_equal;
  std::optional<bool> params_finite;
  std::vector<std::string> worse_than_persistence;  // of "skill"
  bool fingerprint_changed = false;  // between run.json and a checkpoint
  std::string last_good;             // newest good checkpoint
};

Facts FactsOf(const RunRecords& records);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_DOCTOR_FACTS_H_
