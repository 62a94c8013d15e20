// Sleeping on a word that processes or threads share.
//
// WARNING 1: std::atomic::wait of libstdc++ asks the kernel for a wait that
// is private to the process, so that a store by another process never wakes
// it. These two do not.

#ifndef GYRE_COLLECTIVES_FUTEX_H_
#define GYRE_COLLECTIVES_FUTEX_H_

#include <atomic>
#include <cstdint>

namespace gyre::internal::inline collectives {

// Sleeps while `word` holds `seen`, at most until `deadline_ns` on the clock
// of NowNanos(). False when the deadline has passed; true otherwise, also
// when nothing has happened: look at the word again.
bool FutexWait(const std::atomic<std::uint32_t>& word,
               std::uint32_t seen,
               std::int64_t deadline_ns);

// Wakes all that sleep on `word`.
void FutexWakeAll(const std::atomic<std::uint32_t>& word);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_FUTEX_H_
