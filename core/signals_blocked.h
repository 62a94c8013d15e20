// For the start of a thread that works behind the one that the program's
// signals are for.
//
//   {
//     const AllSignalsBlocked blocked;
//     thread = std::thread(work);
//   }
//
// A thread inherits the mask of the one that starts it: signals that ask the
// run to stop go to the main thread, and SIGXFSZ, blocked, is the error EFBIG
// instead of the program's end.

#ifndef GYRE_CORE_SIGNALS_BLOCKED_H_
#define GYRE_CORE_SIGNALS_BLOCKED_H_

#include <signal.h>

namespace gyre::internal::inline core {

class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_SIGNALS_BLOCKED_H_
