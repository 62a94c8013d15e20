// How long a collective takes, over a communicator.
//
//   GYRE_ASSIGN_OR_RETURN(Measurement m, Measurement::Prepare(
//       comm, {.op = BenchOp::kAllReduce, .bytes = 4096}));
//   GYRE_ASSIGN_OR_RETURN(const Times times, m.Run());
//
// f32 in memory of the communicator, one call after the other. `bytes` is the
// whole vector: what an all-reduce reduces, what an all-gather has gathered,
// what a reduce-scatter is given.

#ifndef GYRE_APPS_GYRE_BENCH_MEASURE_H_
#define GYRE_APPS_GYRE_BENCH_MEASURE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline apps {

enum class BenchOp { kAllReduce, kAllGather, kReduceScatter };

// What the numbers are. Their kind must not change the time.
enum class Payload { kNormal, kHuge, kNaN, kDenormal };

// What an all-reduce does: the mean, over and over in place, whose numbers
// stay what they are; or sums of the same input.
enum class Form { kMeanInPlace, kSum };

struct BenchCase {
  BenchOp op = BenchOp::kAllReduce;
  std::size_t bytes = 0;
  Payload payload = Payload::kNormal;
  Form form = Form::kMeanInPlace;
  double seconds = 0.4;  // about how long to measure
};

struct Times {
  double median_us = 0;
  double p99_us = 0;
  double best_us = 0;
  int rounds = 0;
};

// Sorts them.
Times Summarize(std::vector<double>& us);

// `bytes` as the next multiple that the op can split over the ranks.
std::size_t WholeBytes(BenchOp op, std::size_t bytes, int ranks);

// Buffers for cases up to a size, allocated once.
class Measurement {
 public:
  // Collective.
  static StatusOr<Measurement> Create(Communicator& comm,
                                      std::size_t largest_bytes);

  // Collective. The times of this rank.
  StatusOr<Times> Run(const BenchCase& bench);

 private:
  Measurement(Communicator& comm, SharedBuffer in, SharedBuffer out)
      : comm_(&comm), in_(in), out_(out) {}
  Status Call(const BenchCase& bench);
  StatusOr<double> Time(const BenchCase& bench);
  StatusOr<int> AgreeOnRounds(const BenchCase& bench);

  Communicator* comm_;
  SharedBuffer in_;
  SharedBuffer out_;
};

// What this machine copies in memory, one thread, in GB/s; of `bytes`.
double CopyGbPerS(std::size_t bytes);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_BENCH_MEASURE_H_
