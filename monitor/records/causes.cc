#include "gyre/monitor/records/causes.h"

#include <algorithm>

#include "gyre/monitor/number_text.h"
#include "gyre/monitor/spikes/classifier.h"

namespace gyre::internal::inline monitor {
namespace {

std::string Plain(const Json& value) {
  const auto text = value.AsString();
  if (text.ok()) return *text;
  const auto number = value.AsDouble();
  return number.ok() && !value.is_int() ? NumberText(*number) : value.Dump();
}

std::string BadNumbers(const Event& event) {
  const std::string ranks = JoinedNames(event.fields.Find("ranks"), 8);
  const std::string tensors = JoinedNames(event.fields.Find("tensors"));
  if (ranks.empty() && tensors.empty()) return TextIn(event.fields, "reason");
  const Json* const finite = event.fields.Find("finite");
  const bool large = finite != nullptr && finite->AsBool().value_or(false);
  std::string text = Cat(large ? "a gradient far too large on rank(s) "
                               : "bad numbers on rank(s) ",
                         ranks);
  if (!tensors.empty()) text += " in " + tensors;
  const Json* samples = event.fields.Find("sample_names");
  if (samples == nullptr || samples->elements().empty()) {
    samples = event.fields.Find("samples");
  }
  const std::string names = JoinedNames(samples, 4);
  if (!names.empty()) text += "; sample(s) " + names;
  return text;
}

// "begun", "verified" or "diverged" (train/replay/rewind.h).
std::string Rewound(const Event& event) {
  const std::string state = TextIn(event.fields, "state");
  const std::string steps = TextIn(event.fields, "steps");
  if (state == "not compared") {
    return "no step could be compared with the original run";
  }
  if (state == "verified") {
    return steps + " step(s) came out as in the original run, to the bit";
  }
  if (state == "diverged") {
    return Cat("loss ",
               TextIn(event.fields, "loss"),
               " where the original run has ",
               TextIn(event.fields, "original_loss"),
               ", after ",
               steps,
               " step(s) that were equal");
  }
  const std::string out = JoinedNames(event.fields.Find("left_out"), 8);
  return Cat("goes on from ",
             TextIn(event.fields, "original"),
             " before step ",
             event.step,
             out.empty() ? "" : ", without sample(s) " + out,
             "; ",
             TextIn(event.fields, "note"));
}

// At its beginning: what comes later did not cause it.
bool Within(const Spike& spike, std::int64_t step) {
  constexpr std::int64_t kSteps = 8;
  return step >= spike.first_step - 1 &&
         step <= std::min(spike.last_step, spike.first_step + kSteps);
}

// The learning rate of the last step before `step`, and of it.
std::string RateChange(const RunRecords& records, std::int64_t step) {
  std::optional<double> then, now;
  for (const auto* lines : {&records.before, &records.metrics}) {
    for (const Json& line : *lines) {
      const auto at = NumberIn(line, "step");
      if (!at.has_value()) continue;
      const auto lr = NumberIn(line, "lr");
      if (*at < static_cast<double>(step)) then = lr;
      if (*at == static_cast<double>(step)) now = lr;
    }
  }
  if (!then || !now || *then == *now) return "";
  return Cat("lr ", NumberText(*then), " -> ", NumberText(*now));
}

// What was another thing after a resume shortly before the spike: "lr 0.003 ->
// 3 at the resume of step 300". "": there was none, or nothing had changed.
std::string ChangeAtResume(const RunRecords& records, const Spike& spike) {
  // A spike may seem to begin with a high value just before.
  constexpr std::int64_t kNear = 50, kSlack = 8;  // steps
  for (const Event& event : records.EventsOf(event_kind::kResume)) {
    if (event.step > spike.first_step + kSlack ||
        spike.first_step > event.step + kNear) {
      continue;
    }
    std::string changes = RateChange(records, event.step);
    const auto add = [&](const std::string& text) {
      changes += (changes.empty() ? "" : ", ") + text;
    };
    if (const Json* changed = event.fields.Find("changed")) {
      for (const Json& change : changed->elements()) {
        const std::string what = TextIn(change, "what");
        // The rate says more than the chain's text, of which it is a part.
        if (what == "optimizer" && !changes.empty()) continue;
        if (what == "fingerprint") continue;
        add(Cat("another ", what));
      }
    }
    const Json* const same = event.fields.Find("same_samples");
    if (same != nullptr && !same->AsBool().value_or(true)) {
      add("other samples");
    }
    if (changes.empty()) continue;
    return Cat(changes, " at the resume of step ", event.step);
  }
  return "";
}

std::string CauseOf(const RunRecords& records, const Spike& spike) {
  std::string cause;
  for (const Event& event : records.events) {
    if (!Within(spike, event.step)) continue;
    if (event.kind == event_kind::kInjected) {
      return Cat("a fault was injected at step ", event.step);
    }
    const bool verdict = event.kind == event_kind::kSkip ||
                         event.kind == event_kind::kHalt ||
                         event.kind == event_kind::kObserved;
    if (cause.empty() && verdict) {
      cause = BadNumbers(event) + "; what made them is not known";
    }
  }
  for (const Json& found : records.causes) {
    const auto step = NumberIn(found, "step");
    if (step.has_value() && Within(spike, static_cast<std::int64_t>(*step))) {
      return DescribeCause(found);
    }
  }
  if (cause.empty()) cause = ChangeAtResume(records, spike);
  return cause.empty() ? "unknown" : cause;
}

}  // namespace

std::string JoinedNames(const Json* array, std::size_t most) {
  if (array == nullptr) return "";
  std::string text;
  const auto& elements = array->elements();
  for (std::size_t i = 0; i < std::min(elements.size(), most); ++i) {
    text += (i > 0 ? ", " : "") + Plain(elements[i]);
  }
  if (elements.size() > most) {
    text += Cat(" and ", elements.size() - most, " more");
  }
  return text;
}

std::string DescribeCause(const Json& cause) {
  // As the trainer writes it: the first rank's own, as a sentence.
  if (const Json* first = cause.Find("first"); first != nullptr) {
    if (!first->is_object()) {
      return "no operation: the number appeared after the backward pass";
    }
    return Cat("rank ", TextIn(*first, "rank"), ": ", TextIn(*first, "text"));
  }
  std::string text;
  const auto add = [&](const char* before, const char* key) {
    const std::string value = TextIn(cause, key);
    if (value.empty()) return;
    text += (text.empty() ? "" : ", ") + std::string(before) + value;
  };
  add("", "op");
  add("", "operation");
  add("", "direction");
  add("at ", "line");
  add("at ", "location");
  add("on rank ", "rank");
  add("element ", "element");
  add("sample ", "sample_name");
  add("", "message");
  return text.empty() ? cause.Dump().substr(0, 300) : text;
}

std::string DescribeEvent(const Event& event) {
  if (event.kind == event_kind::kSkip || event.kind == event_kind::kHalt ||
      event.kind == event_kind::kObserved) {
    return BadNumbers(event);
  }
  if (event.kind == event_kind::kCause) return TextIn(event.fields, "text");
  if (event.kind == event_kind::kDesync) {
    const std::string text = TextIn(event.fields, "text");
    return "the ranks differ" + (text.empty() ? "" : ": " + text);
  }
  if (event.kind == event_kind::kRewind) return Rewound(event);
  std::string text;
  for (const auto& [key, value] : event.fields.members()) {
    text += (text.empty() ? "" : ", ") + key + " " + Plain(value);
  }
  return text.size() > 300 ? text.substr(0, 300) + "..." : text;
}

std::vector<Spike> SpikesOf(const RunRecords& records) {
  std::vector<Spike> spikes = ClassifyTrace(TraceOf(records));
  if (!records.before.empty()) {
    // Those of the runs before are told of in their own records.
    const auto last = NumberIn(records.before.back(), "step").value_or(-1);
    std::erase_if(spikes, [&](const Spike& spike) {
      return static_cast<double>(spike.last_step) <= last;
    });
  }
  for (Spike& spike : spikes) spike.cause = CauseOf(records, spike);
  return spikes;
}

}  // namespace gyre::internal::inline monitor
