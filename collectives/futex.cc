#include "gyre/collectives/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace gyre::internal::inline collectives {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace

bool FutexWait(const std::atomic<std::uint32_t>& word,
               std::uint32_t seen,
               std::int64_t deadline_ns) {
  timespec deadline;
  deadline.tv_sec = deadline_ns / 1'000'000'000;
  deadline.tv_nsec = deadline_ns % 1'000'000'000;
  // The bitset form takes an absolute time on CLOCK_MONOTONIC.
  const long result = syscall(SYS_futex,
                              &word,
                              FUTEX_WAIT_BITSET,
                              seen,
                              &deadline,
                              nullptr,
                              FUTEX_BITSET_MATCH_ANY);
  return result == 0 || errno != ETIMEDOUT;
}

void FutexWakeAll(const std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace gyre::internal::inline collectives
