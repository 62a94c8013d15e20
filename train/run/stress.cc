#include "gyre/train/run/stress.h"

#include <cstdio>

#include "gyre/core/finite.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

using namespace internal;

namespace {

// One row of the table.
std::string Row(std::string_view name, const StressCount& c) {
  char line[128];
  std::snprintf(line,
                sizeof(line),
                "  %-14s %9lld %9lld %9lld %9lld %9lld\n",
                std::string(name).c_str(),
                static_cast<long long>(c.injected),
                static_cast<long long>(c.local),
                static_cast<long long>(c.reduced),
                static_cast<long long>(c.update),
                static_cast<long long>(c.harmless));
  return line;
}

void Count(const optim::Verdict& verdict, StressCount& count) {
  constexpr std::uint32_t kLocal = optim::kReasonGradient | optim::kReasonLoss;
  constexpr std::uint32_t kReduced = optim::kReasonReduced |
                                     optim::kReasonSpike |
                                     optim::kReasonAbsurd | optim::kReasonFloor;
  ++count.injected;
  if (verdict.reasons & kLocal) {
    ++count.local;
  } else if (verdict.reasons & kReduced) {
    ++count.reduced;
  } else if (verdict.reasons & optim::kReasonUpdate) {
    ++count.update;
  } else {
    ++count.harmless;
  }
}

// The verdict that a fault of the step met: of its micro-batch, the first,
// where the step itself was clean.
const optim::Verdict& VerdictOf(const StepReport& report) {
  if (report.verdict.reasons == 0 && !report.micro.empty()) {
    return report.micro[0].verdict;
  }
  return report.verdict;
}

}  // namespace

void StressCount::Add(const StressCount& other) {
  injected += other.injected;
  local += other.local;
  reduced += other.reduced;
  update += other.update;
  harmless += other.harmless;
}

StressCount StressReport::Total() const {
  StressCount total;
  for (const auto& place : counts) {
    for (const StressCount& count : place) total.Add(count);
  }
  return total;
}

std::string StressReport::Table() const {
  std::string text = Cat("stress: ",
                         steps,
                         " steps, ",
                         applied,
                         " applied\n"
                         "                  injected  in local  in the    in "
                         "the    finite,\n"
                         "                            gradient  sum       "
                         "update    applied\n");
  for (int place = 0; place < kFaultPlaces; ++place) {
    for (int value = 0; value < kFaultValues; ++value) {
      const StressCount& count = counts[place][value];
      if (count.injected == 0) continue;
      text += Row(Cat(Name(static_cast<FaultValue>(value)),
                      "_",
                      Name(static_cast<FaultPlace>(place))),
                  count);
    }
  }
  text += Row("all", Total());
  return text + Cat("  steps with a parameter, moment or buffer that was not "
                    "finite: ",
                    escapes,
                    "\n");
}

Json StressReport::ToJson() const {
  Json rows = Json::Array();
  for (int place = 0; place < kFaultPlaces; ++place) {
    for (int value = 0; value < kFaultValues; ++value) {
      const StressCount& c = counts[place][value];
      if (c.injected == 0) continue;
      rows.Append(Json::Object({{"place", Name(static_cast<FaultPlace>(place))},
                                {"value", Name(static_cast<FaultValue>(value))},
                                {"injected", c.injected},
                                {"local", c.local},
                                {"reduced", c.reduced},
                                {"update", c.update},
                                {"harmless", c.harmless}}));
    }
  }
  return Json::Object({{"steps", steps},
                       {"applied", applied},
                       {"escapes", escapes},
                       {"faults", std::move(rows)}});
}

void Observe(const TrainStep& step,
             const StepReport& report,
             StressReport& stress) {
  ++stress.steps;
  if (report.applied) ++stress.applied;
  const std::span<const float> all = step.state().front().all();
  if (CountNonFinite(all.data(), all.size()) > 0) ++stress.escapes;
  for (const FaultHit& hit : report.faults) {
    // Finite, and not the guard's to find (train/step/consistency.h).
    if (hit.value == FaultValue::kFlip) continue;
    Count(VerdictOf(report),
          stress.counts[static_cast<int>(hit.place)]
                       [static_cast<int>(hit.value)]);
  }
}

StatusOr<StressReport> Stress(TrainStep& step,
                              BatchSource& source,
                              std::int64_t steps) {
  StressReport stress;
  for (std::int64_t i = 0; i < steps; ++i) {
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch,
                          source.Load(step.next_step()));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step.Run(batch));
    Observe(step, report, stress);
    if (!report.outcome.ok()) break;
  }
  return stress;
}

}  // namespace gyre
