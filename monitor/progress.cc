#include "gyre/monitor/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "gyre/core/clock.h"
#include "gyre/core/io/file_descriptor.h"

namespace gyre::internal::inline monitor {
namespace {

// "\r" goes back to the start of the line, the rest clears it.
constexpr std::string_view kRenew = "\r\x1b[K";

std::string Formatted(const char* format, double value) {
  // printf would write a NaN with its sign: "-nan".
  if (std::isnan(value)) value = std::abs(value);
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string Duration(double seconds) {
  // Bounded, so that an early guess of years stays a number.
  const auto s =
      static_cast<std::int64_t>(std::ceil(std::clamp(seconds, 0.0, 1e9)));
  char text[64];
  if (s < 60) {
    std::snprintf(text, sizeof text, "%d s", static_cast<int>(s));
  } else if (s < 3600) {
    std::snprintf(text,
                  sizeof text,
                  "%d min %02d s",
                  static_cast<int>(s / 60),
                  static_cast<int>(s % 60));
  } else {
    std::snprintf(text,
                  sizeof text,
                  "%d h %02d min",
                  static_cast<int>(s / 3600),
                  static_cast<int>(s % 3600 / 60));
  }
  return text;
}

std::string ProgressLine(const ProgressState& state,
                         std::int64_t first_step,
                         std::int64_t total_steps,
                         double seconds) {
  const std::int64_t done = state.step + 1;
  std::string line = "step " + std::to_string(done) + "/" +
                     std::to_string(total_steps) +
                     Formatted("  loss %.4g", state.loss) +
                     Formatted("  norm %.3g", state.grad_norm) + "  skipped " +
                     std::to_string(state.skipped);
  for (const auto& [name, value] : state.metrics) {
    line += "  " + name + Formatted(" %.4g", value);
  }
  const double rate = seconds > 0 ? (done - first_step) / seconds : 0;
  if (rate > 0) {
    line += Formatted(rate < 9.95 ? "  %.2f steps/s" : "  %.0f steps/s", rate);
    line += done < total_steps
                ? "  " + Duration((total_steps - done) / rate) + " left"
                : "  " + Duration(seconds);
  }
  return line;
}

Progress::Progress(ProgressOptions options)
    : options_(std::move(options)), start_ns_(options_.now_ns()) {}

ProgressOptions ProgressOptions::ToStderr(std::int64_t total_steps,
                                          std::int64_t first_step) {
  ProgressOptions options;
  options.first_step = first_step;
  options.total_steps = total_steps;
  options.terminal = ::isatty(STDERR_FILENO) == 1;
  // A failure to show progress is no reason to stop.
  options.write = [](std::string_view text) {
    internal::WriteAll(STDERR_FILENO, text);
  };
  options.now_ns = NowNanos;
  return options;
}

void Progress::Report(const ProgressState& state) {
  state_ = state;
  const double period =
      options_.terminal ? options_.terminal_period_s : options_.log_period_s;
  const double since = (options_.now_ns() - shown_ns_) * 1e-9;
  if (!any_ || since >= period) Show();
  any_ = true;
}

void Progress::Show() {
  shown_ns_ = options_.now_ns();
  shown_step_ = state_.step;
  const double seconds = (shown_ns_ - start_ns_) * 1e-9;
  const std::string line =
      ProgressLine(state_, options_.first_step, options_.total_steps, seconds);
  options_.write(options_.terminal ? std::string(kRenew) + line : line + "\n");
}

void Progress::Finish() {
  if (!any_) return;
  if (shown_step_ != state_.step) Show();
  if (options_.terminal) options_.write("\n");
  any_ = false;
}

}  // namespace gyre::internal::inline monitor
