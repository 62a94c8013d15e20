#include "apps/gyre/spikes/spikes_command.h"

#include <vector>

#include "apps/gyre/common/command_line.h"
#include "gyre/core/io/file.h"
#include "gyre/core/log.h"
#include "gyre/monitor/number_text.h"
#include "gyre/monitor/records/causes.h"
#include "gyre/monitor/spikes/classifier.h"
#include "gyre/monitor/spikes/trace_reader.h"

namespace gyre::internal::inline apps {
namespace {

constexpr char kDescription[] =
    R"(Finds where the loss, the gradient norm or the evaluation of a run left
its band, and sorts it: transient, persistent, divergent or metric-only.

RUN is a run directory; FILE a log of any framework: JSON lines or CSV with
a step and a loss and, where there, grad_norm, eval_loss and lr.)";

struct Options {
  std::vector<std::string> paths;
  TraceColumns columns;
  bool json = false;
};

Flags MakeFlags(Options& options) {
  Flags flags("gyre spikes", kDescription);
  flags.AllowPositional("RUN|FILE", &options.paths, "what to look at");
  flags.Add("step-column", &options.columns.step, "name of the step's column");
  flags.Add("loss-column", &options.columns.loss, "of the loss");
  flags.Add(
      "grad-norm-column", &options.columns.grad_norm, "of the gradient's norm");
  flags.Add(
      "eval-loss-column", &options.columns.eval_loss, "of the evaluation");
  flags.Add("lr-column", &options.columns.lr, "of the learning rate");
  flags.Add("json", &options.json, "print a list of objects");
  return flags;
}

std::string Level(const std::optional<double>& value) {
  return value.has_value() ? NumberText(*value) : "n/a";
}

std::string Text(const Spike& spike) {
  std::string text = Cat(NameOf(spike.spike_class),
                         spike.open ? " (so far)" : "",
                         "  steps ",
                         spike.first_step,
                         " to ",
                         spike.last_step,
                         "  peak ",
                         NumberText(spike.peak),
                         "  level ",
                         Level(spike.baseline_before),
                         " -> ",
                         Level(spike.baseline_after),
                         "  cause ",
                         spike.cause,
                         "\n");
  for (const std::string& sentence : spike.evidence) {
    text += "    " + sentence + "\n";
  }
  return text;
}

// The records of a run may show causes, which a log does not.
StatusOr<std::vector<Spike>> Classify(const std::string& path,
                                      const Trace& trace) {
  if (!DirectoryExists(path)) return ClassifyTrace(trace);
  GYRE_ASSIGN_OR_RETURN(const RunRecords records, ReadRunRecords(path));
  return SpikesOf(records);
}

Status Run(const Options& options) {
  GYRE_RETURN_IF_ERROR(
      CheckCount(options.paths, 1, 1, "gyre spikes RUN|FILE [--json]"));
  GYRE_ASSIGN_OR_RETURN(const Trace trace,
                        ReadTrace(options.paths[0], options.columns));
  for (const std::string& note : trace.notes) LogInfo("note: ", note);
  GYRE_ASSIGN_OR_RETURN(const std::vector<Spike> spikes,
                        Classify(options.paths[0], trace));
  if (options.json) {
    Json list = Json::Array();
    for (const Spike& spike : spikes) list.Append(ToJson(spike));
    Print(list.Pretty());
    return OkStatus();
  }
  std::string text = Cat(trace.rows.size(), " steps, ");
  text += spikes.empty() ? "no spike\n" : Cat(spikes.size(), " spike(s)\n");
  for (const Spike& spike : spikes) text += Text(spike);
  Print(text);
  return OkStatus();
}

}  // namespace

int RunSpikes(std::span<const std::string> args) {
  Options options;
  return RunCommand(MakeFlags(options), args, [&] { return Run(options); });
}

}  // namespace gyre::internal::inline apps
