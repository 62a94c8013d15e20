#include "apps/gyre/launch/attempt.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace gyre::internal::inline apps {
namespace {

// When one rank has failed, the others find out by themselves and say so;
// then they are asked to end.
constexpr double kSettleS = 0.5;
// How long output may still come when all ranks have ended.
constexpr double kDrainS = 0.2;

// How much later a process that was told to end its ranks is killed itself.
constexpr double kRemoteS = 2;

}  // namespace

Status Attempt::Start(const std::vector<RankCommand>& commands) {
  for (const RankCommand& command : commands) {
    auto started = RankProcess::Start(command);
    if (!started.ok()) {
      KillAll();
      Run();
      return started.status();
    }
    const int index = static_cast<int>(ranks_.size());
    ranks_.push_back(*std::move(started));
    watchdog_.Watch(ranks_.back().pid());
    if (!command.capture) continue;
    pipes_.push_back({index, Output::Stream::kOut, ranks_.back().out()});
    pipes_.push_back({index, Output::Stream::kErr, ranks_.back().err()});
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
    HandleRequests();
    CollectEnds();
    Escalate();
  }
  return ends_;
}

std::vector<pollfd> Attempt::Events() const {
  std::vector<pollfd> events;
  for (const OpenPipe& pipe : pipes_) events.push_back({pipe.fd, POLLIN, 0});
  events.push_back({signals_, POLLIN, 0});
  if (requests_ >= 0) events.push_back({requests_, POLLIN, 0});
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
        output_.Drain(pipe.index, pipe.stream, pipe.fd)) {
      open.push_back(pipe);
    }
  }
  pipes_ = std::move(open);
}

void Attempt::KillAll() {
  bool all = true;
  for (RankProcess& rank : ranks_) all = rank.Kill() && all;
  kill_at_ = all ? kNever : clock_.Seconds() + grace_s_ + kRemoteS;
}

void Attempt::HandleSignals() {
  signalfd_siginfo info;
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal != SIGCHLD) Handle(signal);
  }
}

void Attempt::HandleRequests() {
  char buffer[256];
  while (requests_ >= 0) {
    const ssize_t n = ::read(requests_, buffer, sizeof buffer);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      // Whoever sent requests is gone.
      requests_ = -1;
      term_at_ = clock_.Seconds();
      return;
    }
    for (const char c : std::string_view(buffer, static_cast<size_t>(n))) {
      if (c != '\n') {
        request_ += c;
        continue;
      }
      const int signal = std::atoi(request_.c_str());
      request_.clear();
      if (signal > 0) Handle(signal);
    }
  }
}

void Attempt::Handle(int signal) {
  if (signal == SIGUSR1 || signal == SIGCONT) {
    SignalAll(signal);
  } else if (stopped_by_ == 0) {
    stopped_by_ = signal;
    SignalAll(signal);
  } else {
    KillAll();
  }
}

void Attempt::CollectEnds() {
  const double now = clock_.Seconds();
  for (RankProcess& rank : ranks_) {
    auto end = rank.Poll();
    if (!end.has_value()) continue;
    watchdog_.Forget(rank.pid());
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
    kill_at_ = now + grace_s_;
    asked_to_end_ = true;
    SignalAll(SIGTERM);
    SignalAll(SIGCONT);  // one that is stopped would not hear it
  }
  if (now >= kill_at_) {
    KillAll();
  }
}

}  // namespace gyre::internal::inline apps
