// For each family of causes: what speaks for it, against it, and what to try.

#include <algorithm>
#include <optional>
#include <string>

#include "gyre/core/status.h"
#include "gyre/monitor/doctor/doctor.h"
#include "gyre/monitor/number_text.h"

namespace gyre::internal::inline monitor {
namespace {

// The step that is worth looking at: the first bad one, or the first spike.
std::int64_t FirstBadStep(const Facts& f) {
  if (!f.bad.empty()) return f.bad.front().step;
  return f.spikes.empty() ? -1 : f.spikes.front().first_step;
}

// The same numbers come again from the same seed, ranks and build.
std::string RunAgain(const Facts& f, std::string_view change) {
  return Cat("run it again to step ",
             FirstBadStep(f),
             " with the same seed",
             change,
             ": is the step bad again?");
}

// The first bad step that was kept; nothing: none was.
std::optional<std::int64_t> KeptStep(const Facts& f) {
  for (const Event& event : f.bad) {
    if (std::find(f.kept.begin(), f.kept.end(), event.step) != f.kept.end()) {
      return event.step;
    }
  }
  if (f.kept.empty()) return std::nullopt;
  return f.kept.front();
}

// What a person can do to see whether a change cures the bad step: `options`
// of gyre replay where the step was kept, else `change`.
std::string TryAgain(const Facts& f,
                     std::string_view options,
                     std::string_view question,
                     std::string_view change) {
  const auto step = KeptStep(f);
  if (!step.has_value()) return RunAgain(f, change);
  return Cat("gyre replay ", f.path, " --step ", *step, options, question);
}

// Goes on from before the first bad step, with something changed.
std::string Rewind(const Facts& f, std::string_view change) {
  return Cat("gyre rewind ",
             f.path,
             " --before-spike ",
             FirstBadStep(f),
             f.last_good.empty() ? " --from-start" : "",
             change);
}

// Every bad step had a fault put into it on purpose.
bool AllInjected(const Facts& f) {
  return !f.bad.empty() &&
         std::all_of(f.bad.begin(), f.bad.end(), [&](const Event& event) {
           return std::find(f.injected.begin(), f.injected.end(), event.step) !=
                  f.injected.end();
         });
}

Family Data(const Facts& f) {
  Family family{"data", {}, {}, {}};
  const bool injected = AllInjected(f);
  for (const auto& [sample, count] : f.bad_samples) {
    // Once is what any sample of a bad batch shows.
    const bool always =
        count >= 2 && 2 * count > static_cast<int>(f.bad.size());
    if (injected || !always) continue;
    family.supports.push_back(
        Cat(sample, " was in ", count, " of ", f.bad.size(), " bad steps"));
    family.next.push_back(
        Cat("look at ",
            sample,
            " (evidence/*/cause.json has element and operands); leave it "
            "out: ",
            Rewind(f, " --skip-samples auto")));
  }
  if (!f.empty_masks.empty()) {
    family.supports.push_back(Cat(f.empty_masks.size(),
                                  " masked mean(s) had no valid cell, first "
                                  "in step ",
                                  f.empty_masks.front()));
  }
  for (const Spike& spike : f.spikes) {
    if (spike.spike_class != SpikeClass::kMetricOnly) continue;
    family.supports.push_back(
        Cat("a metric moved by itself at step ", spike.first_step));
    break;
  }
  if (injected) {
    family.excludes.push_back(
        "every bad step had a fault that was injected on purpose");
  }
  if (f.bad.empty() && f.spikes.empty() && f.steps > 0) {
    family.excludes.push_back("no step was bad and no number left its band");
  }
  if (family.next.empty() && FirstBadStep(f) >= 0 && !injected) {
    family.next.push_back("without the samples of that step: " +
                          Rewind(f, " --skip-samples auto"));
  }
  return family;
}

Family Numerics(const Facts& f) {
  Family family{"numerics", {}, {}, {}};
  for (const std::string& cause : f.causes) {
    if (AllInjected(f)) break;
    family.supports.push_back("first bad operation: " + cause);
  }
  if (AllInjected(f)) {
    family.excludes.push_back(
        "every bad step had a fault that was injected on purpose");
  } else if (f.not_finite > 0 || f.bad.size() > f.too_large.size()) {
    family.supports.push_back(Cat(
        std::max<std::int64_t>(f.not_finite, f.bad.size() - f.too_large.size()),
        " step(s) with numbers that are not finite"));
    family.next.push_back(
        "try the loss alone on numbers that break losses: StressLoss "
        "(train/step/stress_loss.h) names operation and line");
    family.next.push_back(
        TryAgain(f,
                 "",
                 " (which of f64, plain kernels, one rank and no generated "
                 "code makes the bad number disappear?)",
                 " and plain kernels (TrainSpec::kernels)"));
  } else if (!f.too_large.empty()) {
    family.next.push_back(TryAgain(
        f,
        "",
        " (is the gradient as large in f64, with plain kernels, on one rank?)",
        " and plain kernels (TrainSpec::kernels)"));
  } else if (f.steps > 0 && f.spikes.empty()) {
    family.excludes.push_back(
        "every recorded number is finite, and none left its band");
  }
  if (f.lowest_loss_scale.has_value() && *f.lowest_loss_scale < 1) {
    family.supports.push_back(
        Cat("the loss scale fell to ", NumberText(*f.lowest_loss_scale)));
  }
  if (f.unguarded && f.not_finite > 0) {
    family.supports.push_back("the run was unguarded: they got through");
  }
  return family;
}

Family Optimization(const Facts& f) {
  Family family{"optimization", {}, {}, {}};
  for (const Spike& spike : f.spikes) {
    const bool hurt = spike.spike_class == SpikeClass::kDivergent ||
                      spike.spike_class == SpikeClass::kPersistent;
    if (!hurt) continue;
    family.supports.push_back(Cat("a ",
                                  NameOf(spike.spike_class),
                                  " spike from step ",
                                  spike.first_step,
                                  " on, peak ",
                                  NumberText(spike.peak)));
  }
  for (const Spike& spike : f.spikes) {
    if (spike.cause.find(" at the resume of step ") == std::string::npos) {
      continue;
    }
    family.supports.push_back(spike.cause);
    break;
  }
  if (f.lr_rises > 0) {
    family.supports.push_back(
        Cat("the learning rate rose just before ", f.lr_rises, " spike(s)"));
  }
  if (f.steps > 0 && 2 * f.clipped > f.steps) {
    family.supports.push_back(Cat("the gradient was clipped in ",
                                  f.clipped,
                                  " of ",
                                  f.steps,
                                  " steps: the limit sets the step size"));
  }
  if (!family.supports.empty()) {
    family.next.push_back(
        Cat("resume from ",
            f.path,
            f.last_good.empty() ? "" : "/checkpoints/" + f.last_good,
            " with half the learning rate (--resume, --lr)"));
    if (FirstBadStep(f) >= 0) {
      family.next.push_back("from before it, with half the rate: " +
                            Rewind(f, " -- --lr RATE"));
    }
    family.next.push_back("the same with a lower --clip, the rate as it was");
  } else if (f.spikes.empty() && f.steps > 0) {
    family.excludes.push_back("the loss and the norm stayed in their bands");
  }
  return family;
}

Family DistributedState(const Facts& f) {
  Family family{"distributed state", {}, {}, {}};
  if (f.world == 1) {
    family.excludes.push_back("there is one rank only");
    return family;
  }
  if (!f.desyncs.empty()) {
    family.supports.push_back(Cat("the ranks differed before step ",
                                  f.desyncs.front(),
                                  f.desync.empty() ? "" : ": " + f.desync));
  } else if (f.hashes_equal.value_or(false)) {
    family.excludes.push_back(
        "the ranks' parameters were compared and stayed equal");
  }
  if (f.odd_rank.has_value()) {
    family.supports.push_back(Cat("rank ",
                                  *f.odd_rank,
                                  "'s own gradient norm is five times that of "
                                  "the others in most steps"));
  }
  if (f.bad.size() >= 3 && f.bad_ranks.size() == 1) {
    family.supports.push_back(Cat("all ",
                                  f.bad.size(),
                                  " bad steps began on rank ",
                                  f.bad_ranks.begin()->first));
  }
  if (!family.supports.empty()) {
    if (FirstBadStep(f) >= 0) {
      family.next.push_back(TryAgain(
          f, " --ranks 1", " (is it bad on one rank, too?)", " on one rank"));
    }
    family.next.push_back(
        Cat("resume from ", f.path, "/checkpoints/last-good (--resume)"));
  }
  return family;
}

Family Software(const Facts& f) {
  Family family{"software", {}, {}, {}};
  if (f.steps == 0) {
    family.supports.push_back("the run ended before its first step");
    family.next.push_back(
        "read the first error of the ranks: gyre launch --log-dir logs ...");
    family.next.push_back(Cat("gyre inspect ", f.path, " WORKING_RUN"));
  }
  if (f.plans.has_value() && *f.plans > 2) {
    family.supports.push_back(Cat(*f.plans,
                                  " plans were compiled: something "
                                  "recompiles, and the others wait"));
  } else if (f.plans.has_value()) {
    family.excludes.push_back(
        Cat("one plan was compiled",
            *f.plans > 1 ? ", and one that evaluates" : "",
            ": nothing recompiles"));
  }
  if (f.fingerprint_changed) {
    family.supports.push_back(
        "a checkpoint is of another program than the run (fingerprint)");
    family.next.push_back(Cat("gyre inspect ", f.path, " OTHER_RUN"));
  }
  for (const Event& event : f.errors) {
    const std::string kind = TextIn(event.fields, "error");
    if (kind != "internal" && kind != "config" && kind != "mismatch") continue;
    family.supports.push_back(TextIn(event.fields, "message"));
    break;
  }
  return family;
}

Family Hardware(const Facts& f) {
  Family family{"hardware", {}, {}, {}};
  if (f.machine > 0) {
    family.supports.push_back(Cat(
        f.machine, " event(s) of the machine (memory, signals, throttling)"));
  }
  if (!f.desyncs.empty() && f.injected.empty()) {
    family.supports.push_back(
        "parameters changed on one rank alone, and no fault was injected: a "
        "flipped bit does that");
  }
  if (const RankTiming* late = StragglerOf(f.timing)) {
    family.supports.push_back(Cat("rank ",
                                  late->rank,
                                  " keeps the others waiting in ",
                                  static_cast<int>(100 * late->late_share),
                                  "% of the steps"));
    family.next.push_back(
        f.one_host
            ? "look what else runs on this machine; give each rank processors "
              "of its own: gyre launch --bind"
            : "swap the hosts of that rank and another: does it stay with the "
              "host or with the rank?");
  }
  for (const Event& event : f.errors) {
    const std::string message = TextIn(event.fields, "message");
    const bool full = message.find("No space left") != std::string::npos ||
                      message.find("File too large") != std::string::npos ||
                      message.find("quota exceeded") != std::string::npos;
    const bool gone = TextIn(event.fields, "error") == "peer";
    if (!full && !gone) continue;
    family.supports.push_back(message);
    family.next.push_back(full ? "df -h " + f.path
                               : "dmesg | grep -i -E 'oom|killed', on the "
                                 "host of the rank that is named");
    break;
  }
  if (f.steps > 0 && !f.summary && f.errors.empty()) {
    family.supports.push_back("the run may have been killed from outside");
    family.next.push_back("dmesg | grep -i -E 'oom|killed'; df -h " + f.path);
  }
  // One in two hundred may be a page that was read from disk.
  if (f.long_steps > 4 && 200 * f.long_steps > f.steps) {
    family.supports.push_back(
        Cat(f.long_steps, " step(s) took more than five times the median"));
  }
  if (FirstBadStep(f) >= 0) {
    family.next.push_back(
        TryAgain(f,
                 " --plain",
                 " (here and on another machine: the same bits?)",
                 " on another machine"));
  }
  return family;
}

}  // namespace

std::vector<Family> FamiliesOf(const Facts& facts) {
  std::vector<Family> families;
  for (const auto rule :
       {Data, Numerics, Optimization, DistributedState, Software, Hardware}) {
    families.push_back(rule(facts));
  }
  return families;
}

}  // namespace gyre::internal::inline monitor
