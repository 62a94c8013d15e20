#include "gyre/runtime/run_environment.h"

#include <charconv>
#include <optional>
#include <string>
#include <system_error>

namespace gyre::internal::inline runtime {
namespace {

constexpr const char* kRestarts[] = {
    "GYRE_RESTART", "TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"};

constexpr const char* kNumbers[] = {
    "GYRE_INJECT", "GYRE_JIT", "OMP_NUM_THREADS"};

StatusOr<int> ReadRestarts(const EnvReader& env) {
  for (const char* const name : kRestarts) {
    const std::optional<std::string> text = env(name);
    if (!text.has_value()) continue;
    int number = 0;
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, number);
    if (error != std::errc() || stop != end || number < 0) {
      return ConfigError(name,
                         "=\"",
                         *text,
                         "\": a number of restarts was expected; launchers "
                         "set it, unset it otherwise");
    }
    if (number > 0) return number;
  }
  return 0;
}

}  // namespace

StatusOr<RunContext> ReadRunContext(const EnvReader& env) {
  const auto text = [&](const char* name) { return env(name).value_or(""); };
  RunContext context = {.replay = text("GYRE_REPLAY"),
                        .replay_out = text("GYRE_REPLAY_OUT"),
                        .replay_with = text("GYRE_REPLAY_WITH"),
                        .rewind = text("GYRE_REWIND"),
                        .inject = text("GYRE_INJECT")};
  GYRE_ASSIGN_OR_RETURN(context.restarts, ReadRestarts(env));
  for (const char* const name : kNumbers) {
    if (auto value = env(name)) context.variables.emplace_back(name, *value);
  }
  return context;
}

}  // namespace gyre::internal::inline runtime
