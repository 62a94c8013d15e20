// The collectives of an MPI library, measured as `gyre bench` measures ours:
// f32, in place, one call after the other, the times of rank 0.
//
//   mpirun -n 2 mpi_collectives all-reduce 4K,4M [seconds a size]
//
// Prints the lines of `gyre bench --json`.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "apps/gyre/bench/byte_sizes.h"
#include "apps/gyre/bench/measure.h"

namespace gyre::internal::inline tests {
namespace {

constexpr int kWarmUp = 5;

void Call(BenchOp op, std::vector<float>& in, std::vector<float>& out) {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int count = static_cast<int>(in.size());
  switch (op) {
    case BenchOp::kAllReduce:
      MPI_Allreduce(
          MPI_IN_PLACE, in.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      break;
    case BenchOp::kAllGather:
      MPI_Allgather(in.data(),
                    count / ranks,
                    MPI_FLOAT,
                    out.data(),
                    count / ranks,
                    MPI_FLOAT,
                    MPI_COMM_WORLD);
      break;
    case BenchOp::kReduceScatter:
      MPI_Reduce_scatter_block(in.data(),
                               out.data(),
                               count / ranks,
                               MPI_FLOAT,
                               MPI_SUM,
                               MPI_COMM_WORLD);
      break;
  }
}

double TimeUs(BenchOp op, std::vector<float>& in, std::vector<float>& out) {
  const double start = MPI_Wtime();
  Call(op, in, out);
  return (MPI_Wtime() - start) * 1e6;
}

Times Measure(BenchOp op, std::size_t bytes, double seconds) {
  // Zeros: sums in place would leave the range of normal numbers.
  std::vector<float> in(bytes / sizeof(float));
  std::vector<float> out(in.size());
  double us = 1;
  for (int i = 0; i < kWarmUp; ++i) us = TimeUs(op, in, out);
  int rounds = static_cast<int>(std::clamp(seconds * 1e6 / us, 7.0, 5000.0));
  MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) times.push_back(TimeUs(op, in, out));
  return Summarize(times);
}

int Run(const std::string& name, const std::string& list, double seconds) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const BenchOp op = name == "all-gather"       ? BenchOp::kAllGather
                     : name == "reduce-scatter" ? BenchOp::kReduceScatter
                                                : BenchOp::kAllReduce;
  const auto sizes = ParseByteSizes(list);
  if (!sizes.ok()) return 2;
  for (const std::size_t size : *sizes) {
    const std::size_t bytes = WholeBytes(op, size, ranks);
    const Times times = Measure(op, bytes, seconds);
    if (rank != 0) continue;
    std::printf(
        "{\"backend\":\"mpi library\",\"op\":\"%s\",\"ranks\":%d,\"bytes\":%zu,"
        "\"median_us\":%.3f,\"p99_us\":%.3f,\"gb_per_s\":%.4f,"
        "\"best_us\":%.3f,\"rounds\":%d}\n",
        name.c_str(),
        ranks,
        bytes,
        times.median_us,
        times.p99_us,
        1e-3 * static_cast<double>(bytes) / times.median_us,
        times.best_us,
        times.rounds);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace gyre::internal::inline tests

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = gyre::Run(argc > 1 ? argv[1] : "all-reduce",
                             argc > 2 ? argv[2] : "4K,64K,512K,4M,32M",
                             argc > 3 ? std::atof(argv[3]) : 0.4);
  MPI_Finalize();
  return code;
}
