#include "gyre/monitor/flight/signal_dump.h"

#include <signal.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>

namespace gyre::internal::inline monitor {
namespace {

constexpr std::array<int, 6> kSignals = {
    SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR2};

// A handler gets nothing but a number, so what it needs has to be global.
std::array<std::atomic<const SignalDump*>, SignalDump::kMost> g_dumps = {};
std::atomic<int> g_handling = 0;  // handlers that may use one of g_dumps

// Who comes and goes; the handler only reads `before`.
struct Users {
  std::mutex mutex;
  int count = 0;
  std::array<struct sigaction, kSignals.size()> before = {};
};
Users g_users;

void SetUp(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &g_users.before[i]);
  }
}

void Restore(int signal) {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) {
      ::sigaction(signal, &g_users.before[i], nullptr);
    }
  }
}

const char* NameOf(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGABRT:
      return "SIGABRT";
    default:
      return "SIGUSR2";
  }
}

}  // namespace

SignalDump::SignalDump(const FlightRecorder& flight, const std::string& path)
    : flight_(flight), path_(path) {
  const std::lock_guard<std::mutex> lock(g_users.mutex);
  for (int i = 0; i < kMost && slot_ < 0; ++i) {
    const SignalDump* none = nullptr;
    if (g_dumps[i].compare_exchange_strong(none, this)) slot_ = i;
  }
  if (active() && g_users.count++ == 0) SetUp(&SignalDump::Handle);
}

SignalDump::~SignalDump() {
  if (!active()) return;
  const std::lock_guard<std::mutex> lock(g_users.mutex);
  g_dumps[slot_].store(nullptr);
  // A handler in another thread may still write this one.
  while (g_handling.load() != 0) std::this_thread::yield();
  if (--g_users.count > 0) return;
  for (const int signal : kSignals) Restore(signal);
}

void SignalDump::Handle(int signal) {
  const int saved = errno;
  g_handling.fetch_add(1);
  for (const auto& slot : g_dumps) {
    const SignalDump* const dump = slot.load();
    if (dump == nullptr) continue;
    dump->flight_.Dump(dump->path_.c_str(), NameOf(signal));
  }
  g_handling.fetch_sub(1);
  if (signal != SIGUSR2) {
    // With what held before: it comes again as soon as we return.
    Restore(signal);
    ::raise(signal);
  }
  errno = saved;
}

}  // namespace gyre::internal::inline monitor
