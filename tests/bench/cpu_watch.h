// Processor time of the calling thread: what counts on a machine that others
// share.

#ifndef GYRE_TESTS_BENCH_CPU_WATCH_H_
#define GYRE_TESTS_BENCH_CPU_WATCH_H_

#include <ctime>

namespace gyre::internal::inline tests::bench {

class CpuWatch {
 public:
  double Seconds() const { return Now() - start_; }

 private:
  static double Now() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) +
           1e-9 * static_cast<double>(t.tv_nsec);
  }

  double start_ = Now();
};

}  // namespace gyre::internal::inline tests::bench

#endif  // GYRE_TESTS_BENCH_CPU_WATCH_H_
