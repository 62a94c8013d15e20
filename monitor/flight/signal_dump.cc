#include "monitor/flight/signal_dump.h"

#include <atomic>
#include <cerrno>

namespace gyre {
namespace {

// A handler gets nothing but a number, so what it needs has to be global.
std::atomic<SignalDump*> g_active = nullptr;

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
  SignalDump* none = nullptr;
  active_ = g_active.compare_exchange_strong(none, this);
  if (!active_) return;
  struct sigaction action = {};
  action.sa_handler = &SignalDump::Handle;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &before_[i]);
  }
}

SignalDump::~SignalDump() {
  if (!active_) return;
  for (const int signal : kSignals) Restore(signal);
  g_active.store(nullptr);
}

void SignalDump::Restore(int signal) const {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) ::sigaction(signal, &before_[i], nullptr);
  }
}

void SignalDump::Write(int signal) const {
  flight_.Dump(path_.c_str(), NameOf(signal));
}

void SignalDump::Handle(int signal) {
  const int saved = errno;
  const SignalDump* dump = g_active.load();
  if (dump != nullptr) {
    dump->Write(signal);
    if (signal != SIGUSR2) {
      // With what held before: it comes again as soon as we return.
      dump->Restore(signal);
      ::raise(signal);
    }
  }
  errno = saved;
}

}  // namespace gyre
