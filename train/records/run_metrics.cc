#include "gyre/train/records/run_metrics.h"

#include <algorithm>

namespace gyre {
namespace {

// What a line of metrics.jsonl or of a rank's record has of its own.
constexpr std::string_view kTaken[] = {
    "step",     "loss",          "grad_norm", "clip_scale",     "lr",
    "verdict",  "applied",       "skipped",   "bad_count",      "step_ms",
    "wait_ms",  "loss_scale",    "last_rank", "last_behind_ms", "layers",
    "masks",    "micro_batches", "groups",    "machine",        "local_norm",
    "decision", "bad_elements"};

}  // namespace

void RunMetrics::CheckName(std::string_view name) {
  const bool taken =
      std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
  if (!status_.ok() || (!name.empty() && !taken)) return;
  status_ = ConfigError(
      "a metric cannot be called \"",
      name,
      "\": ",
      taken ? "every record has a number of that name" : "a name was expected",
      "; give it another one, such as \"skill\"");
}

void RunMetrics::Set(std::string_view name, double value) {
  CheckName(name);
  if (!status_.ok()) return;  // it would stand twice in the line
  shared_.insert_or_assign(std::string(name), value);
}

void RunMetrics::SetLocal(std::string_view name, double value) {
  CheckName(name);
  if (!status_.ok()) return;  // it would stand twice in the line
  local_.insert_or_assign(std::string(name), value);
}

std::optional<double> RunMetrics::Find(std::string_view name) const {
  for (const Numbers* numbers : {&shared_, &local_, &of_step_}) {
    const auto found = numbers->find(name);
    if (found != numbers->end()) return found->second;
  }
  return std::nullopt;
}

void RunMetrics::Begin(const StepReport& report) {
  of_step_ = {{"loss", report.loss},
              {"grad_norm", report.verdict.norm},
              {"lr", report.lr}};
  for (const auto& [name, value] : report.terms) Set(name, value);
}

void RunMetrics::Clear() {
  shared_.clear();
  local_.clear();
  status_ = OkStatus();
}

}  // namespace gyre
