// The all-reduce over MPI against MPI_Allreduce itself, in turns in one run.
//
//   mpirun -n 2 mpi_all_reduce_bench
//
// Rank 0 prints one line a size: bytes, the median time of both in
// microseconds, and their ratio. WARNING 1: the two do not do the same: ours
// checks that all ranks mean the same, and gives the same bits everywhere.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "collectives/host_limits.h"
#include "collectives/message/message_communicator.h"
#include "collectives/mpi/mpi_transport.h"
#include "core/clock.h"

namespace gyre {
namespace {

constexpr std::size_t kSizes[] = {8,
                                  std::size_t{4} << 10,
                                  std::size_t{64} << 10,
                                  std::size_t{512} << 10,
                                  std::size_t{4} << 20,
                                  std::size_t{32} << 20};

double Median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Status Measure(Communicator& comm, std::size_t bytes) {
  const std::size_t count = bytes / sizeof(float);
  std::vector<float> data(count, 1.0f);
  std::vector<float> out(count);
  const int rounds = bytes >= (std::size_t{1} << 20) ? 30 : 300;
  std::vector<double> ours;
  std::vector<double> theirs;
  for (int i = -5; i < rounds; ++i) {
    const std::int64_t start = NowNanos();
    GYRE_RETURN_IF_ERROR(comm.AllReduce(data.data(),
                                        out.data(),
                                        count,
                                        DType::kF32,
                                        ReduceOp::kSum,
                                        {.label = "bench"}));
    const std::int64_t middle = NowNanos();
    MPI_Allreduce(data.data(),
                  out.data(),
                  static_cast<int>(count),
                  MPI_FLOAT,
                  MPI_SUM,
                  MPI_COMM_WORLD);
    if (i < 0) continue;
    ours.push_back((middle - start) * 1e-3);
    theirs.push_back((NowNanos() - middle) * 1e-3);
  }
  if (comm.rank() == 0) {
    const double a = Median(ours);
    const double b = Median(theirs);
    std::printf("%10zu %12.1f %12.1f %8.2f\n", bytes, a, b, a / b);
    std::fflush(stdout);
  }
  return OkStatus();
}

Status Run() {
  int level = 0;
  int ranks = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    GYRE_ASSIGN_OR_RETURN(const std::shared_ptr<Transport> transport,
                          MakeMpiTransport(PolicyFor(ranks, 30)));
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    if (comm->rank() == 0) {
      std::printf(
          "%10s %12s %12s %8s\n", "bytes", "gyre us", "MPI us", "ratio");
    }
    for (const std::size_t bytes : kSizes) {
      GYRE_RETURN_IF_ERROR(Measure(*comm, bytes));
    }
  }
  MPI_Finalize();
  return OkStatus();
}

}  // namespace
}  // namespace gyre

int main() {
  const gyre::Status status = gyre::Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", gyre::Message(status).c_str());
  return status.ok() ? 0 : 1;
}
