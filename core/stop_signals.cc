#include "gyre/core/stop_signals.h"

#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <iterator>
#include <mutex>

#include "absl/strings/cord.h"

namespace gyre::internal::inline core {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGUSR1};
constexpr char kSignalUrl[] = "gyre/stop_signal";

// A signal handler can reach nothing but what is global.
std::atomic<int> requested_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

void Remember(int signal) {
  int none = 0;
  requested_signal.compare_exchange_strong(none, signal);
}

// How many objects there are, and what they have replaced.
struct Handlers {
  std::mutex mutex;
  int users = 0;
  struct sigaction former[std::size(kSignals)];
};

Handlers& TheHandlers() {
  static Handlers handlers;
  return handlers;
}

}  // namespace

StopSignals::StopSignals() {
  Handlers& handlers = TheHandlers();
  const std::lock_guard<std::mutex> lock(handlers.mutex);
  if (handlers.users++ > 0) return;
  requested_signal = 0;
  struct sigaction action = {};
  action.sa_handler = &Remember;
  action.sa_flags = SA_RESTART;  // no call of ours is the wiser
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &action, &handlers.former[i]);
  }
}

StopSignals::~StopSignals() {
  Handlers& handlers = TheHandlers();
  const std::lock_guard<std::mutex> lock(handlers.mutex);
  if (--handlers.users > 0) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    ::sigaction(kSignals[i], &handlers.former[i], nullptr);
  }
}

int StopSignals::requested() const { return requested_signal; }

Status StoppedBySignal(int signal, const std::string& message) {
  Status status =
      MakeError(ErrorKind::kPeer, absl::StatusCode::kCancelled, message);
  status.SetPayload(kSignalUrl, absl::Cord(std::to_string(signal)));
  return status;
}

std::optional<int> StopSignalOf(const Status& status) {
  const auto payload = status.GetPayload(kSignalUrl);
  if (!payload.has_value()) return std::nullopt;
  return std::atoi(std::string(*payload).c_str());
}

}  // namespace gyre::internal::inline core
