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
  std::string text = Cat("bad numbers on rank(s) ", ranks);
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
  for (Spike& spike : spikes) spike.cause = CauseOf(records, spike);
  return spikes;
}

}  // namespace gyre::internal::inline monitor
