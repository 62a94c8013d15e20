#include "gyre/monitor/doctor/facts.h"

#include <algorithm>
#include <cmath>

#include "gyre/core/finite.h"
#include "gyre/monitor/records/causes.h"
#include "gyre/monitor/spikes/robust.h"

namespace gyre::internal::inline monitor {
namespace {

std::optional<bool> BoolIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  if (value == nullptr || !value->is_bool()) return std::nullopt;
  return value->AsBool().value_or(false);
}

void Count(const Json* names, std::map<std::string, int>& counts) {
  if (names == nullptr) return;
  for (const Json& name : names->elements()) {
    ++counts[name.AsString().value_or(name.Dump())];
  }
}

void AddBad(const Event& event, Facts& facts) {
  facts.bad.push_back(event);
  if (BoolIn(event.fields, "finite").value_or(false)) {
    facts.too_large.push_back(event);
  }
  const Json* samples = event.fields.Find("sample_names");
  if (samples == nullptr || samples->elements().empty()) {
    samples = event.fields.Find("samples");
  }
  Count(samples, facts.bad_samples);
  Count(event.fields.Find("ranks"), facts.bad_ranks);
}

void ReadEvents(const RunRecords& records, Facts& facts) {
  for (const Event& event : records.events) {
    if (event.kind == event_kind::kInjected) {
      facts.injected.push_back(event.step);
    } else if (event.kind == event_kind::kDesync) {
      facts.desyncs.push_back(event.step);
      if (facts.desync.empty()) facts.desync = TextIn(event.fields, "text");
    } else if (event.kind == event_kind::kEmptyMask) {
      facts.empty_masks.push_back(event.step);
    } else if (event.kind == event_kind::kError) {
      facts.errors.push_back(event);
    } else if (event.kind == event_kind::kSkip ||
               event.kind == event_kind::kHalt ||
               event.kind == event_kind::kObserved) {
      AddBad(event, facts);
    } else if (event.kind == event_kind::kCapture) {
      // One that could not be written has an error in place of the command.
      if (event.fields.Find("replay") != nullptr) {
        facts.kept.push_back(event.step);
      }
    } else if (event.kind == event_kind::kMachine || event.kind == "signal") {
      ++facts.machine;
    }
  }
}

void ReadMetrics(const RunRecords& records, Facts& facts) {
  std::vector<double> times;
  for (const Json& line : records.metrics) {
    const auto step = NumberIn(line, "step");
    if (!step.has_value()) continue;
    ++facts.steps;
    facts.last_step =
        std::max(facts.last_step, static_cast<std::int64_t>(*step));
    const double loss = NumberIn(line, "loss").value_or(0);
    const double norm = NumberIn(line, "grad_norm").value_or(0);
    const double bad = NumberIn(line, "bad_count").value_or(0);
    facts.not_finite += !IsFinite(loss) || !IsFinite(norm) || bad > 0;
    facts.clipped += NumberIn(line, "clip_scale").value_or(1) < 1;
    if (const auto ms = NumberIn(line, "step_ms")) times.push_back(*ms);
    if (const auto scale = NumberIn(line, "loss_scale")) {
      facts.lowest_loss_scale =
          std::min(*scale, facts.lowest_loss_scale.value_or(*scale));
    }
  }
  // Rank 0 was killed before it wrote: the others' records are left.
  for (const auto& [rank, lines] : records.ranks) {
    facts.steps =
        std::max(facts.steps, static_cast<std::int64_t>(lines.size()));
    if (lines.empty() || !records.metrics.empty()) continue;
    const double last = NumberIn(lines.back(), "step").value_or(-1);
    facts.last_step =
        std::max(facts.last_step, static_cast<std::int64_t>(last));
  }
  const double median = MedianOf(times);
  facts.long_steps = std::count_if(
      times.begin(), times.end(), [&](double t) { return t > 5 * median; });
}

// The rank whose own gradient norm is, in most steps, more than five times
// the median of all; the reduced norm hides that.
std::optional<int> OddRank(const RunRecords& records) {
  if (records.ranks.size() < 3) return std::nullopt;
  std::map<double, std::vector<std::pair<int, double>>> by_step;
  for (const auto& [rank, lines] : records.ranks) {
    for (const Json& line : lines) {
      const auto step = NumberIn(line, "step");
      const auto norm = NumberIn(line, "local_norm");
      if (step && norm && IsFinite(*norm)) {
        by_step[*step].emplace_back(rank, *norm);
      }
    }
  }
  std::map<int, std::size_t> odd;
  for (const auto& [step, norms] : by_step) {
    std::vector<double> all;
    for (const auto& [rank, norm] : norms) all.push_back(norm);
    const double median = MedianOf(std::move(all));
    for (const auto& [rank, norm] : norms) odd[rank] += norm > 5 * median;
  }
  for (const auto& [rank, count] : odd) {
    if (2 * count > by_step.size()) return rank;
  }
  return std::nullopt;
}

void ReadSummary(const RunRecords& records, Facts& facts) {
  facts.summary = !records.summary.is_null();
  const std::string way = TextIn(records.run, "collectives");
  facts.one_host = way == "shm" || way == "local";
  facts.plans = NumberIn(records.summary, "plans");
  facts.hashes_equal = BoolIn(records.summary, "hashes_equal");
  facts.params_finite = BoolIn(records.summary, "params_finite");
  const Json* skill = records.summary.Find("skill");
  if (skill == nullptr) return;
  for (const auto& [name, value] : skill->members()) {
    const auto number = value.AsDouble();
    if (number.ok() && !(*number > 0)) {
      facts.worse_than_persistence.push_back(name);
    }
  }
}

void ReadCheckpoints(const RunRecords& records, Facts& facts) {
  const std::string ours = TextIn(records.run, "fingerprint");
  for (const CheckpointRecord& checkpoint : records.checkpoints) {
    const std::string theirs = TextIn(checkpoint.manifest, "fingerprint");
    if (!ours.empty() && !theirs.empty() && ours != theirs) {
      facts.fingerprint_changed = true;
    }
    if (BoolIn(checkpoint.manifest, "good").value_or(false)) {
      facts.last_good = checkpoint.name;
    }
  }
}

}  // namespace

Facts FactsOf(const RunRecords& records) {
  Facts facts;
  facts.path = records.path;
  facts.world = records.world();
  facts.unguarded = BoolIn(records.run, "unguarded").value_or(false);
  facts.spikes = SpikesOf(records);
  facts.timing = TimingOf(records);
  facts.odd_rank = OddRank(records);
  for (const Json& cause : records.causes) {
    // Looked for, and no operation found: nothing that speaks for numerics.
    const Json* first = cause.Find("first");
    if (first != nullptr && !first->is_object()) continue;
    facts.causes.push_back(DescribeCause(cause));
  }
  for (const Spike& spike : facts.spikes) {
    // A NaN that was skipped in the warm-up has nothing to do with it.
    if (!IsFinite(spike.peak)) continue;
    for (const std::string& sentence : spike.evidence) {
      facts.lr_rises += sentence.rfind("lr rose", 0) == 0;
    }
  }
  ReadEvents(records, facts);
  ReadMetrics(records, facts);
  ReadSummary(records, facts);
  ReadCheckpoints(records, facts);
  return facts;
}

}  // namespace gyre::internal::inline monitor
