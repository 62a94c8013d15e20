#include "apps/gyre/bench/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gyre/core/clock.h"

namespace gyre::internal::inline apps {
namespace {

constexpr int kWarmUp = 5;
constexpr int kFewestRounds = 7;
constexpr int kMostRounds = 5000;

float ValueOf(Payload payload) {
  switch (payload) {
    case Payload::kHuge:
      return 1e36f;  // sums over many ranks stay finite
    case Payload::kNaN:
      return std::numeric_limits<float>::quiet_NaN();
    case Payload::kDenormal:
      return 1e-40f;
    case Payload::kNormal:
      break;
  }
  return 1.0f;
}

}  // namespace

Times Summarize(std::vector<double>& us) {
  std::sort(us.begin(), us.end());
  const std::size_t n = us.size();
  return {us[n / 2],
          us[std::min(n - 1, n * 99 / 100)],
          us.front(),
          static_cast<int>(n)};
}

std::size_t WholeBytes(BenchOp op, std::size_t bytes, int ranks) {
  const std::size_t unit =
      sizeof(float) * (op == BenchOp::kAllReduce ? 1 : ranks);
  return (bytes + unit - 1) / unit * unit;
}

StatusOr<Measurement> Measurement::Create(Communicator& comm,
                                          std::size_t largest_bytes) {
  const std::size_t bytes =
      WholeBytes(BenchOp::kAllGather, largest_bytes, comm.size());
  const CallSite site = {.label = "bench", .loc = SourceLoc::Current()};
  GYRE_ASSIGN_OR_RETURN(const SharedBuffer in, comm.Allocate(bytes, site));
  GYRE_ASSIGN_OR_RETURN(const SharedBuffer out, comm.Allocate(bytes, site));
  return Measurement(comm, in, out);
}

Status Measurement::Call(const BenchCase& bench) {
  const CallSite site = {.label = "bench", .loc = SourceLoc::Current()};
  const std::size_t count = bench.bytes / sizeof(float);
  const std::size_t part = count / comm_->size();
  switch (bench.op) {
    case BenchOp::kAllReduce:
      if (bench.form == Form::kSum) {
        return comm_->AllReduce(
            in_.data, out_.data, count, DType::kF32, ReduceOp::kSum, site);
      }
      return comm_->AllReduce(
          in_.data, in_.data, count, DType::kF32, ReduceOp::kMean, site);
    case BenchOp::kAllGather:
      return comm_->AllGather(in_.data, out_.data, part, DType::kF32, site);
    case BenchOp::kReduceScatter:
      return comm_->ReduceScatter(
          in_.data, out_.data, part, DType::kF32, ReduceOp::kSum, site);
  }
  return OkStatus();
}

StatusOr<double> Measurement::Time(const BenchCase& bench) {
  const std::int64_t start = NowNanos();
  GYRE_RETURN_IF_ERROR(Call(bench));
  return static_cast<double>(NowNanos() - start) * 1e-3;
}

// From the time of the last warm-up, as rank 0 saw it.
StatusOr<int> Measurement::AgreeOnRounds(const BenchCase& bench) {
  double us = 1;
  for (int i = 0; i < kWarmUp; ++i) {
    GYRE_ASSIGN_OR_RETURN(us, Time(bench));
  }
  std::int32_t rounds = static_cast<std::int32_t>(std::clamp(
      bench.seconds * 1e6 / us, 1.0 * kFewestRounds, 1.0 * kMostRounds));
  GYRE_RETURN_IF_ERROR(
      comm_->Broadcast(&rounds, 1, DType::kI32, 0, {.label = "bench rounds"}));
  return rounds;
}

StatusOr<Times> Measurement::Run(const BenchCase& bench) {
  std::fill_n(reinterpret_cast<float*>(in_.data),
              bench.bytes / sizeof(float),
              ValueOf(bench.payload));
  GYRE_ASSIGN_OR_RETURN(const int rounds, AgreeOnRounds(bench));
  std::vector<double> us;
  us.reserve(rounds);
  for (int i = 0; i < rounds; ++i) {
    GYRE_ASSIGN_OR_RETURN(const double time, Time(bench));
    us.push_back(time);
  }
  return Summarize(us);
}

double CopyGbPerS(std::size_t bytes) {
  constexpr int kRounds = 7;
  constexpr double kLeastSeconds = 1e-4;  // a clock's tick is nothing to it
  const std::vector<char> from(bytes, 1);
  std::vector<char> to(bytes);
  std::vector<double> gb_per_s;
  int repeat = 1;
  while (gb_per_s.size() < kRounds) {
    const Stopwatch watch;
    for (int i = 0; i < repeat; ++i) {
      std::memcpy(to.data(), from.data(), bytes);
      // Or the compiler would see that nobody reads them.
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    const double seconds = watch.Seconds();
    if (seconds < kLeastSeconds) {
      repeat *= 2;
      continue;
    }
    gb_per_s.push_back(1e-9 * static_cast<double>(bytes) * repeat / seconds);
  }
  std::sort(gb_per_s.begin(), gb_per_s.end());
  return gb_per_s[kRounds / 2];
}

}  // namespace gyre::internal::inline apps
