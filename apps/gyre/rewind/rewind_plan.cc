#include "apps/gyre/rewind/rewind_plan.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <system_error>

#include "gyre/core/log.h"
#include "gyre/monitor/records/causes.h"
#include "gyre/train/checkpoint/checkpoint_files.h"

namespace gyre::internal::inline apps {
namespace {

// How far from a step its records may lie.
constexpr std::int64_t kAround = 8;

std::string Absolute(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  if (error) return path;
  std::string text = absolute.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

struct Window {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool Has(std::int64_t step) const { return step >= first && step <= last; }
};

// The spike that the step belongs to, and a little around.
Window WindowOf(const RunRecords& records, std::int64_t step) {
  Window window{step - kAround, step + kAround};
  for (const Spike& spike : SpikesOf(records)) {
    if (step < spike.first_step - kAround || step > spike.last_step) continue;
    window.first = std::min(window.first, spike.first_step - 1);
    // What comes late in a long one did not cause it.
    window.last = std::max(
        window.last, std::min(spike.last_step, spike.first_step + kAround));
  }
  return window;
}

void AddIds(const Json* ids, std::set<std::int64_t>& found) {
  if (ids == nullptr) return;
  for (const Json& element : ids->elements()) {
    const auto id = element.AsInt();
    if (id.ok()) found.insert(*id);
  }
}

// Of a cause.json: the samples of all ranks whose own operation made the
// number. (A rank that only received it has done nothing.)
void AddCause(const Json& cause, std::set<std::int64_t>& found) {
  const Json* const ranks = cause.Find("ranks");
  if (ranks == nullptr) return;
  for (const Json& rank : ranks->elements()) {
    const Json* const received = rank.Find("received");
    const Json* const sample = rank.Find("sample");
    if (sample == nullptr || received == nullptr) continue;
    const auto id = sample->AsInt();
    if (!received->AsBool().value_or(true) && id.ok()) found.insert(*id);
  }
}

Status CheckStep(const RewindOptions& options, const RunRecords& records) {
  if (options.before < 0) {
    return ConfigError("gyre rewind needs --before-spike N, a step of ",
                       options.run,
                       "; gyre spikes ",
                       options.run,
                       " lists its spikes");
  }
  std::int64_t last = -1;
  for (const Json& line : records.metrics) {
    last = std::max(
        last, static_cast<std::int64_t>(NumberIn(line, "step").value_or(-1)));
  }
  if (options.before <= last + 1) return OkStatus();
  return ConfigError("--before-spike ",
                     options.before,
                     ": the last step of ",
                     options.run,
                     " is ",
                     last);
}

Status ChooseCheckpoint(const RewindOptions& options, RewindRequest& request) {
  if (options.from_start) return OkStatus();
  const std::string folder = request.original + "/checkpoints";
  GYRE_ASSIGN_OR_RETURN(std::vector<CheckpointEntry> entries,
                        ListCheckpoints(folder));
  std::stable_sort(entries.begin(),
                   entries.end(),
                   [](const CheckpointEntry& a, const CheckpointEntry& b) {
                     return a.step > b.step;
                   });
  std::string there;
  for (const CheckpointEntry& entry : entries) {
    const std::string candidate = folder + "/" + entry.name;
    const bool early = entry.step <= options.before;
    there += Cat(
        there.empty() ? "" : ", ", entry.step, entry.good ? "" : " (not good)");
    if (!early || !entry.good) continue;
    const Status whole = VerifyCheckpoint(candidate);
    if (whole.ok()) {
      request.checkpoint = candidate;
      request.step = entry.step;
      return OkStatus();
    }
    LogWarning(candidate, " is passed over: ", Message(whole));
  }
  return CheckpointError(
      "no good checkpoint of ",
      options.run,
      " is of step ",
      options.before,
      " or earlier; ",
      there.empty() ? "there is none at all"
                    : "there are checkpoints before steps " + there,
      ". --from-start begins anew, with the same seed; keep more of them by "
      "LoopOptions::checkpoint_every and keep_checkpoints");
}

StatusOr<const Json*> Member(const Json& json, const char* key) {
  const Json* const value = json.Find(key);
  if (value != nullptr) return value;
  return ConfigError("\"", key, "\" is missing");
}

Status ReadStart(const Json& started, RewindPlan& plan) {
  GYRE_ASSIGN_OR_RETURN(plan.program, started.GetString("program_path"));
  GYRE_ASSIGN_OR_RETURN(plan.directory, started.GetString("directory"));
  GYRE_ASSIGN_OR_RETURN(const Json* arguments, Member(started, "arguments"));
  for (const Json& argument : arguments->elements()) {
    GYRE_ASSIGN_OR_RETURN(plan.arguments.emplace_back(), argument.AsString());
  }
  const Json* const environment = started.Find("environment");
  if (environment == nullptr) return OkStatus();
  for (const auto& [name, value] : environment->members()) {
    GYRE_ASSIGN_OR_RETURN(std::string text, value.AsString());
    plan.environment.emplace_back(name, std::move(text));
  }
  return OkStatus();
}

Status FindProgramOf(const RewindOptions& options,
                     const RunRecords& records,
                     RewindPlan& plan) {
  const Json* const started = records.run.Find("started");
  if (started == nullptr) {
    return ConfigError(options.run,
                       "/run.json does not say how the program was started "
                       "(\"started\"): the run is too old to be rewound; "
                       "start its program with --resume");
  }
  if (const Status read = ReadStart(*started, plan); !read.ok()) {
    return Annotate(read, Cat(options.run, "/run.json, \"started\": "));
  }
  if (!options.program.empty()) plan.program = Absolute(options.program);
  if (::access(plan.program.c_str(), X_OK) != 0) {
    return ConfigError("the program of the run, ",
                       plan.program,
                       ", is not there any more, or cannot be run: build it "
                       "again, or name it with --program PATH");
  }
  std::error_code error;
  if (!std::filesystem::is_directory(plan.directory, error)) {
    return ConfigError("the folder that the run was started in, ",
                       plan.directory,
                       ", is gone: its paths may be relative to that; make it "
                       "again");
  }
  plan.arguments.insert(
      plan.arguments.end(), options.extra.begin(), options.extra.end());
  return OkStatus();
}

Status ChooseSamples(const RewindOptions& options,
                     const RunRecords& records,
                     RewindRequest& request) {
  if (options.skip_samples.empty()) return OkStatus();
  if (options.skip_samples == "auto") {
    GYRE_ASSIGN_OR_RETURN(
        request.leave_out,
        SamplesNamedAround(records, options.before, request.why));
    return OkStatus();
  }
  request.why = "named by the user";
  GYRE_ASSIGN_OR_RETURN(request.leave_out, ParseIds(options.skip_samples));
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<std::int64_t>> ParseIds(const std::string& text) {
  std::vector<std::int64_t> ids;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    std::int64_t id = 0;
    const auto [stop, error] = std::from_chars(at, end, id);
    if (error != std::errc() || (stop != end && *stop != ',')) {
      return ConfigError("--skip-samples ",
                         text,
                         ": expected ids of samples such as 12,17, or auto");
    }
    ids.push_back(id);
    if (stop == end) return ids;
    at = stop + 1;
  }
}

StatusOr<std::vector<std::int64_t>> SamplesNamedAround(
    const RunRecords& records, std::int64_t step, std::string& why) {
  const Window window = WindowOf(records, step);
  std::set<std::int64_t> found;
  for (const Json& cause : records.causes) {
    const auto at = NumberIn(cause, "step");
    if (at.has_value() && window.Has(static_cast<std::int64_t>(*at))) {
      AddCause(cause, found);
    }
  }
  why = "named by the first causes around the step";
  if (found.empty()) {
    why = "of the bad batches around the step: no first cause names one";
    for (const Event& event : records.events) {
      const bool verdict = event.kind == event_kind::kSkip ||
                           event.kind == event_kind::kHalt ||
                           event.kind == event_kind::kObserved ||
                           event.kind == event_kind::kRepaired ||
                           event.kind == event_kind::kSpike;
      if (verdict && window.Has(event.step)) {
        AddIds(event.fields.Find("samples"), found);
      }
    }
  }
  if (!found.empty()) return std::vector(found.begin(), found.end());
  return ConfigError("--skip-samples auto: no record of steps ",
                     window.first,
                     " to ",
                     window.last,
                     " names a sample; name them yourself, or rewind with "
                     "another change (arguments after --)");
}

StatusOr<RewindPlan> MakeRewindPlan(const RewindOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const RunRecords records, ReadRunRecords(options.run));
  GYRE_RETURN_IF_ERROR(CheckStep(options, records));
  RewindPlan plan;
  RewindRequest& request = plan.request;
  request.original = Absolute(options.run);
  request.before = options.before;
  request.out = options.out.empty()
                    ? Cat(request.original, "-before-", options.before)
                    : Absolute(options.out);
  if (request.out == request.original) {
    return ConfigError("--out is the run itself; it stays as it is");
  }
  GYRE_RETURN_IF_ERROR(FindProgramOf(options, records, plan));
  GYRE_RETURN_IF_ERROR(ChooseCheckpoint(options, request));
  GYRE_RETURN_IF_ERROR(ChooseSamples(options, records, request));
  request.compare = options.extra.empty();
  request.strict = !options.keep_going;
  plan.world = records.world();
  return plan;
}

std::string RewindPlan::Describe() const {
  std::string text =
      Cat("goes on from ",
          request.checkpoint.empty() ? "the start" : request.checkpoint,
          "\n  step            ",
          request.step,
          ", before step ",
          request.before,
          "\n  samples         ");
  for (std::size_t i = 0; i < request.leave_out.size(); ++i) {
    text += Cat(i == 0 ? "without " : ",", request.leave_out[i]);
  }
  text +=
      request.leave_out.empty() ? "as they were" : Cat(" (", request.why, ")");
  text += Cat("\n  program         ", program);
  for (const std::string& argument : arguments) text += " " + argument;
  return text + Cat("\n  ranks           ",
                    world,
                    "\n  run directory   ",
                    request.out,
                    "\n");
}

}  // namespace gyre::internal::inline apps
