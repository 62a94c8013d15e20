#include "apps/gyre/replay/program_run.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "apps/gyre/launch/rank_process.h"
#include "gyre/core/clock.h"
#include "gyre/core/io/file.h"

namespace gyre::internal::inline apps {
namespace {

constexpr std::size_t kKeptOutput = std::size_t{1} << 16;
constexpr int kShownLines = 12;

// Variables that would change what the program does; those of the evidence
// are set anew.
constexpr const char* kUnset[] = {"GYRE_INJECT",
                                  "GYRE_JIT",
                                  "OMP_NUM_THREADS",
                                  "GYRE_RESTART",
                                  "TORCHELASTIC_RESTART_COUNT",
                                  "SLURM_RESTART_COUNT",
                                  "GYRE_COLLECTIVES"};

// Reads what there is. False: the other end is closed.
bool Drain(int fd, std::string& text) {
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return false;
    if (n < 0) return true;  // nothing now
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > 2 * kKeptOutput) {
      text.erase(0, text.size() - kKeptOutput);
    }
  }
}

std::string LastLines(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::size_t begin = text.size();
  for (int i = 0; i < kShownLines && begin != std::string::npos; ++i) {
    begin = begin == 0 ? std::string::npos : text.rfind('\n', begin - 1);
  }
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

struct Ended {
  RankEnd end;
  std::string output;
};

// Asks the launcher, which then ends all that the program has started; makes
// it, should it not listen.
void End(RankProcess& process) {
  constexpr double kPatienceS = 5;
  process.Signal(SIGTERM);
  const Stopwatch watch;
  while (!process.Poll().has_value()) {
    if (watch.Seconds() > kPatienceS) process.Kill();
    ::poll(nullptr, 0, 5);
  }
}

StatusOr<Ended> RunToEnd(const RankCommand& command, double timeout_s) {
  GYRE_ASSIGN_OR_RETURN(RankProcess process, RankProcess::Start(command));
  const Stopwatch watch;
  std::string output;
  for (;;) {
    pollfd events[] = {{process.out(), POLLIN, 0}, {process.err(), POLLIN, 0}};
    ::poll(events, 2, 20);
    Drain(process.out(), output);
    Drain(process.err(), output);
    if (const std::optional<RankEnd> end = process.Poll()) {
      Drain(process.out(), output);
      Drain(process.err(), output);
      return Ended{*end, std::move(output)};
    }
    if (watch.Seconds() < timeout_s) continue;
    End(process);
    return DeadlineError("the program did not end within ",
                         timeout_s,
                         " s (--timeout); its output ended with:\n",
                         LastLines(std::move(output)));
  }
}

RankCommand CommandFor(const ProgramRun& run,
                       const Evidence& evidence,
                       const Change& change,
                       const std::string& out) {
  const int ranks = change.ranks > 0 ? change.ranks : evidence.world;
  RankCommand command;
  command.program = run.gyre;
  command.arguments = {"gyre",
                       "launch",
                       "-n",
                       std::to_string(ranks),
                       "--processes",
                       "1",
                       "--",
                       run.program};
  auto& arguments = command.arguments;
  const auto& own = evidence.start.start.arguments;
  arguments.insert(arguments.end(), own.begin(), own.end());
  arguments.insert(arguments.end(), change.extra.begin(), change.extra.end());
  command.env = evidence.start.environment;
  command.env.emplace_back("GYRE_REPLAY", evidence.folder);
  command.env.emplace_back("GYRE_REPLAY_OUT", out);
  command.env.emplace_back("GYRE_REPLAY_WITH", change.with);
  return command;
}

}  // namespace

StatusOr<ScratchFolder> ScratchFolder::Make() {
  std::error_code error;
  const std::filesystem::path base =
      std::filesystem::temp_directory_path(error);
  std::string name = (base / "gyre-replay-").string() + std::string(6, 'X');
  if (error || ::mkdtemp(name.data()) == nullptr) {
    return ConfigError("cannot make a folder in ",
                       base.string(),
                       " for what the program writes (TMPDIR names it)");
  }
  return ScratchFolder(std::move(name));
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

ScratchFolder::~ScratchFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

StatusOr<Json> RunProgram(const ProgramRun& run,
                          const Evidence& evidence,
                          const Change& change) {
  GYRE_ASSIGN_OR_RETURN(const ScratchFolder scratch, ScratchFolder::Make());
  for (const char* name : kUnset) ::unsetenv(name);
  // The program's relative paths begin there; they may all be absolute.
  [[maybe_unused]] const int moved =
      ::chdir(evidence.start.start.directory.c_str());
  const RankCommand command = CommandFor(run, evidence, change, scratch.path());
  GYRE_ASSIGN_OR_RETURN(Ended ended, RunToEnd(command, run.timeout_s));
  const std::string result = scratch.path() + "/result.json";
  if (!FileExists(result)) {
    return ConfigError("the program ended with code ",
                       ended.end.code,
                       " and did not run the step (programs that train with "
                       "RunTraining do); its output ended with:\n",
                       LastLines(std::move(ended.output)));
  }
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(result));
  return Json::Parse(text, result);
}

}  // namespace gyre::internal::inline apps
