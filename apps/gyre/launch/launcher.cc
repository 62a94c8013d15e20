#include "apps/gyre/launch/launcher.h"

#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "apps/gyre/launch/output.h"
#include "apps/gyre/launch/program_lookup.h"
#include "apps/gyre/launch/rank_process.h"
#include "apps/gyre/launch/verdict.h"
#include "collectives/launch_env.h"
#include "collectives/membership.h"
#include "collectives/shm/shm_space.h"
#include "core/clock.h"
#include "core/hash.h"
#include "core/log.h"

namespace gyre {
namespace {

// When one rank has failed, the others find out by themselves and say so;
// then they are asked to end.
constexpr double kSettleS = 0.5;
// How long output may still come when all ranks have ended.
constexpr double kDrainS = 0.2;

constexpr double kNever = std::numeric_limits<double>::infinity();

std::string MakeToken() {
  std::uint64_t words[2] = {};
  [[maybe_unused]] const ssize_t n = ::getrandom(words, sizeof words, 0);
  return HexHash(words[0]) + HexHash(words[1]);
}

// Blocks what the launcher handles; they are read from the returned file.
StatusOr<FileHandle> CatchSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int s : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    sigaddset(&set, s);
  }
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const int fd = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) return InternalError("gyre launch: no signalfd");
  return FileHandle(fd);
}

class Launcher {
 public:
  Launcher(const LaunchOptions& options, Output output, FileHandle signals)
      : options_(options),
        output_(std::move(output)),
        signals_(std::move(signals)) {}

  Status Start(const std::string& program,
               int shm_fd,
               const std::string& token);
  // Until all have ended, in the order of their ends.
  std::vector<RankEnd> Run();
  int stopped_by() const { return stopped_by_; }

 private:
  void SignalAll(int signal);
  void HandleSignals();
  void CollectEnds();
  void Escalate();
  void DrainOutput(const std::vector<pollfd>& events);
  std::vector<pollfd> Events() const;
  double NextDeadline() const;
  bool AnyRunning() const;

  struct OpenPipe {
    int rank;
    Output::Stream stream;
    int fd;
  };

  const LaunchOptions& options_;
  Output output_;
  FileHandle signals_;
  std::vector<RankProcess> ranks_;
  std::vector<OpenPipe> pipes_;
  std::vector<RankEnd> ends_;
  Stopwatch clock_;
  double term_at_ = kNever;
  double kill_at_ = kNever;
  double drained_at_ = kNever;
  bool asked_to_end_ = false;
  int stopped_by_ = 0;
};

Status Launcher::Start(const std::string& program,
                       int shm_fd,
                       const std::string& token) {
  RankCommand command;
  command.program = program;
  command.arguments = options_.command;
  command.inherited_fd = shm_fd;
  // A single rank keeps the terminal, and with it its progress line.
  command.capture = options_.ranks > 1 || !options_.log_dir.empty();
  for (int r = 0; r < options_.ranks; ++r) {
    command.rank = r;
    command.env = LaunchVariables({r, options_.ranks, shm_fd, token});
    if (!ProcessEnv("OMP_NUM_THREADS").has_value()) {
      command.env.emplace_back("OMP_NUM_THREADS", "1");
    }
    if (options_.deadline_s.has_value()) {
      command.env.emplace_back("GYRE_DEADLINE_S", Cat(*options_.deadline_s));
    }
    for (const auto& own : options_.env) {
      std::erase_if(command.env,
                    [&](const auto& e) { return e.first == own.first; });
      command.env.push_back(own);
    }
    auto started = RankProcess::Start(command);
    if (!started.ok()) {
      SignalAll(SIGKILL);
      Run();
      return started.status();
    }
    ranks_.push_back(*std::move(started));
    if (!command.capture) continue;
    pipes_.push_back({r, Output::Stream::kOut, ranks_.back().out()});
    pipes_.push_back({r, Output::Stream::kErr, ranks_.back().err()});
  }
  return OkStatus();
}

std::vector<RankEnd> Launcher::Run() {
  CollectEnds();
  while (AnyRunning() || (!pipes_.empty() && clock_.Seconds() < drained_at_)) {
    std::vector<pollfd> events = Events();
    const double wait = NextDeadline() - clock_.Seconds();
    const int timeout =
        wait == kNever ? -1 : std::max(0, static_cast<int>(wait * 1000) + 1);
    ::poll(events.data(), events.size(), timeout);
    DrainOutput(events);
    HandleSignals();
    CollectEnds();
    Escalate();
  }
  return ends_;
}

std::vector<pollfd> Launcher::Events() const {
  std::vector<pollfd> events;
  for (const OpenPipe& pipe : pipes_) events.push_back({pipe.fd, POLLIN, 0});
  events.push_back({signals_.get(), POLLIN, 0});
  return events;
}

double Launcher::NextDeadline() const {
  return std::min({term_at_, kill_at_, AnyRunning() ? kNever : drained_at_});
}

bool Launcher::AnyRunning() const {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& r) {
    return r.running();
  });
}

void Launcher::SignalAll(int signal) {
  for (const RankProcess& rank : ranks_) rank.Signal(signal);
}

void Launcher::DrainOutput(const std::vector<pollfd>& events) {
  std::vector<OpenPipe> open;
  for (std::size_t i = 0; i < pipes_.size(); ++i) {
    const OpenPipe& pipe = pipes_[i];
    if (events[i].revents == 0 ||
        output_.Drain(pipe.rank, pipe.stream, pipe.fd)) {
      open.push_back(pipe);
    }
  }
  pipes_ = std::move(open);
}

void Launcher::HandleSignals() {
  signalfd_siginfo info;
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) continue;
    if (signal == SIGUSR1) {
      SignalAll(SIGUSR1);
    } else if (stopped_by_ == 0) {
      stopped_by_ = signal;
      SignalAll(signal);
    } else {
      SignalAll(SIGKILL);
    }
  }
}

void Launcher::CollectEnds() {
  const double now = clock_.Seconds();
  for (RankProcess& rank : ranks_) {
    auto end = rank.Poll();
    if (!end.has_value()) continue;
    end->ended_by_us = asked_to_end_;
    ends_.push_back(*end);
    const bool failed = end->code != 0 || end->signal != 0;
    // A stopped run may take its time, to write a checkpoint.
    if (failed && stopped_by_ == 0 && term_at_ == kNever && !asked_to_end_) {
      term_at_ = now + kSettleS;
    }
  }
  if (!AnyRunning() && drained_at_ == kNever) drained_at_ = now + kDrainS;
}

void Launcher::Escalate() {
  const double now = clock_.Seconds();
  if (now >= term_at_) {
    term_at_ = kNever;
    kill_at_ = now + options_.grace_s;
    asked_to_end_ = true;
    SignalAll(SIGTERM);
    SignalAll(SIGCONT);  // one that is stopped would not hear it
  }
  if (now >= kill_at_) {
    kill_at_ = kNever;
    SignalAll(SIGKILL);
  }
}

// A program that is asked for JSON has a reader that wants nothing else.
Output::Marks MarksFor(const LaunchOptions& options) {
  if (options.ranks == 1) return Output::Marks::kNone;
  const auto& command = options.command;
  const bool json =
      std::find(command.begin(), command.end(), "--json") != command.end();
  return json ? Output::Marks::kNotRank0 : Output::Marks::kAll;
}

}  // namespace

StatusOr<int> Launch(const LaunchOptions& options) {
  GYRE_ASSIGN_OR_RETURN(
      const std::string program,
      FindProgram(options.command[0],
                  OwnFolder(),
                  ProcessEnv("PATH").value_or("/usr/bin:/bin")));
  GYRE_ASSIGN_OR_RETURN(
      Output output,
      Output::Open(options.ranks, MarksFor(options), options.log_dir));
  GYRE_ASSIGN_OR_RETURN(FileHandle signals, CatchSignals());
  const std::string token = MakeToken();
  GYRE_ASSIGN_OR_RETURN(const FileHandle shm,
                        CreateShmWorld(options.ranks, token));
  GYRE_ASSIGN_OR_RETURN(const Mapping area,
                        MapShmWorld(shm.get(), options.ranks));
  Launcher launcher(options, std::move(output), std::move(signals));
  GYRE_RETURN_IF_ERROR(launcher.Start(program, shm.get(), token));
  const std::vector<RankEnd> ends = launcher.Run();
  std::optional<GivingUp> gave_up;
  if (const auto notice =
          ReadAbort(*reinterpret_cast<const WorldHeader*>(area.data()))) {
    gave_up = GivingUp{notice->rank, notice->kind};
  }
  const Verdict verdict = Judge(ends, gave_up, launcher.stopped_by());
  if (!verdict.line.empty()) LogLine(Cat("gyre launch: ", verdict.line));
  return verdict.exit_code;
}

}  // namespace gyre
