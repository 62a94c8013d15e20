// Which kind of problem it is: the rules, the gravest first.

#include <algorithm>
#include <string_view>

#include "gyre/core/status.h"
#include "gyre/monitor/doctor/doctor.h"

namespace gyre::internal::inline monitor {
namespace {

bool Mentions(const Event& event, std::string_view word) {
  return TextIn(event.fields, "message").find(word) != std::string::npos;
}

void Crash(const Facts& f, std::vector<Symptom>& out) {
  if (f.steps > 0) return;
  out.push_back(
      {"no_step",
       "no step was recorded",
       "an instant crash is nearly always a mismatch of configuration: "
       "builds, programs, meshes, paths or versions that differ between "
       "ranks or from the checkpoint"});
}

void Desync(const Facts& f, std::vector<Symptom>& out) {
  const bool differ = f.hashes_equal.has_value() && !*f.hashes_equal;
  if (f.desyncs.empty() && !differ) return;
  out.push_back({"desync",
                 f.desyncs.empty()
                     ? "the ranks ended with different parameters"
                     : Cat("the ranks' parameters differed before step ",
                           f.desyncs.front() + 1),
                 "distributed state or hardware: parameters that are the same "
                 "on all ranks by construction were changed on one of them"});
}

void Ended(const Facts& f, std::vector<Symptom>& out) {
  for (const Event& event : f.errors) {
    const std::string kind = TextIn(event.fields, "error");
    const std::string message = TextIn(event.fields, "message");
    if (kind == "peer") {
      const bool late =
          Mentions(event, "has not entered") || Mentions(event, "deadline");
      out.push_back({late ? "late_rank" : "lost_rank",
                     message,
                     late ? "a rank that is late now and then: a straggler, a "
                            "hidden recompilation, input that is slow on one "
                            "rank; a network fault is the last to suspect"
                          : "a rank is gone: look at its own output and at "
                            "the machine (memory, signals) before the "
                            "network"});
      return;
    }
    if (message.rfind("stopped by signal", 0) == 0) {
      out.push_back({"stopped", message, "it was asked to stop: no fault"});
      return;
    }
    if (kind == "mismatch" || kind == "guard") continue;
    out.push_back({"error", message, "the message names what failed"});
    return;
  }
  if (f.steps > 0 && !f.summary && f.errors.empty()) {
    out.push_back({"cut_off",
                   Cat("the records end at step ",
                       f.last_step,
                       " without a summary or an error"),
                   "it is still running, or it was killed from outside: "
                   "memory, a signal, a full disk, power"});
  }
}

void BadNumbers(const Facts& f, std::vector<Symptom>& out) {
  const std::size_t count =
      std::max<std::size_t>(f.bad.size() - f.too_large.size(),
                            static_cast<std::size_t>(f.not_finite));
  if (count == 0) return;
  out.push_back({"bad_numbers",
                 Cat(count, " step(s) had numbers that are not finite"),
                 "data or numerics: find the first operation that made one"});
}

// "step 301: rank 0, hidden0.w"
std::string PlaceOf(const Event& event) {
  std::string text = Cat("step ", event.step);
  const Json* const found = event.fields.Find("found");
  if (found == nullptr || found->elements().empty()) return text;
  const Json& first = found->elements().front();
  return Cat(text,
             ": rank ",
             first.GetInt("rank").value_or(-1),
             ", ",
             first.GetString("tensor").value_or(""));
}

void LargeNorms(const Facts& f, std::vector<Symptom>& out) {
  if (f.too_large.empty()) return;
  out.push_back(
      {"large_norms",
       Cat(f.too_large.size(),
           " step(s) had a gradient that was finite and far too large, first ",
           PlaceOf(f.too_large.front())),
       "data, numerics or hardware: one wrong number is enough; look at the "
       "tensor and the samples that are named"});
}

// Each came back by itself; together they say that little is left to spare.
void Fragile(const Facts& f, std::vector<Symptom>& out) {
  constexpr std::size_t kFewest = 3;
  std::vector<std::int64_t> first;
  for (const Spike& spike : f.spikes) {
    if (spike.spike_class != SpikeClass::kTransient) continue;
    first.push_back(spike.first_step);
  }
  if (first.size() < kFewest) return;
  const std::int64_t between = (first.back() - first.front()) /
                               static_cast<std::int64_t>(first.size() - 1);
  out.push_back({"fragile",
                 Cat(first.size(),
                     " transient spikes in ",
                     f.steps,
                     " steps, one in about ",
                     between,
                     ": a fragile margin"),
                 "optimization or data: a smaller step or a tighter clip makes "
                 "room, and the samples of the spikes may say why"});
}

void Spikes(const Facts& f, std::vector<Symptom>& out) {
  int of_class[4] = {};
  for (const Spike& spike : f.spikes) {
    ++of_class[static_cast<int>(spike.spike_class)];
  }
  const auto say = [&](SpikeClass c, const char* name, const char* route) {
    const int count = of_class[static_cast<int>(c)];
    if (count == 0) return;
    out.push_back({name, Cat(count, " ", NameOf(c), " spike(s)"), route});
  };
  say(SpikeClass::kDivergent,
      "divergence",
      "optimization first, then numerics: a step too large for where the "
      "parameters were");
  say(SpikeClass::kPersistent,
      "new_level",
      "optimization or data: the parameters, or what they are fed, changed "
      "for good");
  Fragile(f, out);
  say(SpikeClass::kMetricOnly,
      "metric_only",
      "software or data of the metric: training itself did not move");
}

bool LossFell(const Facts& f) {
  return f.steps > 0 &&
         std::none_of(f.spikes.begin(), f.spikes.end(), [](const auto& s) {
           return s.spike_class == SpikeClass::kDivergent;
         });
}

void BadModel(const Facts& f, std::vector<Symptom>& out) {
  const bool broken = f.params_finite.has_value() && !*f.params_finite;
  if (broken) {
    out.push_back({"bad_parameters",
                   "the parameters hold numbers that are not finite",
                   "numerics: nothing that is made with this model counts"});
  }
  if (broken || f.worse_than_persistence.empty() || !LossFell(f)) return;
  std::string names;
  for (const std::string& name : f.worse_than_persistence) {
    names += (names.empty() ? "" : ", ") + name;
  }
  out.push_back({"fine_curve_bad_model",
                 Cat("the curve is fine, but the forecast is no better than "
                     "persistence for ",
                     names),
                 "silent corruption: data and loss that do not mean what they "
                 "should (a mask, a unit, a shift in time), a test set that "
                 "is not like the training set, or too little training"});
}

void Slow(const Facts& f, std::vector<Symptom>& out) {
  const RankTiming* late = StragglerOf(f.timing);
  if (late == nullptr) return;
  out.push_back({"straggler",
                 Cat("rank ",
                     late->rank,
                     " came last in ",
                     static_cast<int>(100 * late->late_share),
                     "% of the steps"),
                 "that rank's machine, its neighbours on the machine, or "
                 "its share of the work"});
}

}  // namespace

std::vector<Symptom> SymptomsOf(const Facts& facts) {
  std::vector<Symptom> symptoms;
  for (const auto rule :
       {Crash, Desync, Ended, BadNumbers, LargeNorms, Spikes, BadModel, Slow}) {
    rule(facts, symptoms);
  }
  if (symptoms.empty()) {
    symptoms.push_back({"none",
                        "the records show nothing wrong",
                        "if the model is bad all the same, suspect the data "
                        "and the meaning of the loss"});
  }
  return symptoms;
}

}  // namespace gyre::internal::inline monitor
