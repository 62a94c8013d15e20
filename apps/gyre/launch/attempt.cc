#include "apps/gyre/launch/attempt.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "apps/gyre/launch/binding.h"
#include "collectives/launch_env.h"

namespace gyre {
namespace {

// When one rank has failed, the others find out by themselves and say so;
// then they are asked to end.
constexpr double kSettleS = 0.5;
// How long output may still come when all ranks have ended.
constexpr double kDrainS = 0.2;

// What --bind adds to a rank's command.
void Bind(const LaunchOptions& options, RankCommand& command) {
  const std::vector<Processor> all = AllowedProcessors();
  const std::vector<Share> shares = Divide(all, options.ranks);
  if (shares.empty()) return;
  const Share& share = shares[command.rank];
  command.processors = share.processors;
  // So that ranks know whether each of them has one, of all that there are.
  command.env.emplace_back("GYRE_HOST_CPUS", Cat(all.size()));
  command.env.emplace_back("OMP_NUM_THREADS", Cat(share.cores));
}

void SetVariable(RankCommand& command,
                 const std::pair<std::string, std::string>& variable) {
  std::erase_if(command.env,
                [&](const auto& e) { return e.first == variable.first; });
  command.env.push_back(variable);
}

}  // namespace

RankCommand Attempt::CommandFor(int rank,
                                const std::string& program,
                                const Meeting& meeting) const {
  RankCommand command;
  command.rank = rank;
  command.program = program;
  command.arguments = options_.command;
  command.inherited_fd = meeting.shm_fd;
  // A single rank keeps the terminal, and with it its progress line.
  command.capture = options_.ranks > 1 || !options_.log_dir.empty();
  command.env = LaunchVariables({.rank = rank,
                                 .size = options_.ranks,
                                 .shm_fd = meeting.shm_fd,
                                 .token = meeting.token,
                                 .local_rank = rank,
                                 .local_size = options_.ranks});
  for (const auto& variable : NetworkVariables(options_.network)) {
    command.env.push_back(variable);
  }
  command.env.emplace_back("GYRE_RESTART", Cat(meeting.restart));
  command.env.emplace_back("OMP_NUM_THREADS", "1");
  if (options_.bind) Bind(options_, command);
  if (const auto own = ProcessEnv("OMP_NUM_THREADS")) {
    SetVariable(command, {"OMP_NUM_THREADS", *own});
  }
  if (options_.deadline_s.has_value()) {
    command.env.emplace_back("GYRE_DEADLINE_S", Cat(*options_.deadline_s));
  }
  for (const auto& own : options_.env) SetVariable(command, own);
  return command;
}

Status Attempt::Start(const std::string& program, const Meeting& meeting) {
  for (int r = 0; r < options_.ranks; ++r) {
    const RankCommand command = CommandFor(r, program, meeting);
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

std::vector<RankEnd> Attempt::Run() {
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

std::vector<pollfd> Attempt::Events() const {
  std::vector<pollfd> events;
  for (const OpenPipe& pipe : pipes_) events.push_back({pipe.fd, POLLIN, 0});
  events.push_back({signals_, POLLIN, 0});
  return events;
}

double Attempt::NextDeadline() const {
  return std::min({term_at_, kill_at_, AnyRunning() ? kNever : drained_at_});
}

bool Attempt::AnyRunning() const {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& r) {
    return r.running();
  });
}

void Attempt::SignalAll(int signal) {
  for (const RankProcess& rank : ranks_) rank.Signal(signal);
}

void Attempt::DrainOutput(const std::vector<pollfd>& events) {
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

void Attempt::HandleSignals() {
  signalfd_siginfo info;
  while (::read(signals_, &info, sizeof info) == sizeof info) {
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

void Attempt::CollectEnds() {
  const double now = clock_.Seconds();
  for (RankProcess& rank : ranks_) {
    auto end = rank.Poll();
    if (!end.has_value()) continue;
    end->ended_by_us = asked_to_end_;
    ends_.push_back(*end);
    const bool failed = end->code != 0 || end->signal != 0;
    // A stopped run may take its time, to write a checkpoint.
    const bool stopped = stopped_by_ != 0 || WasStopped(*end);
    if (failed && !stopped && term_at_ == kNever && !asked_to_end_) {
      term_at_ = now + kSettleS;
    }
  }
  if (!AnyRunning() && drained_at_ == kNever) drained_at_ = now + kDrainS;
}

void Attempt::Escalate() {
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

}  // namespace gyre
