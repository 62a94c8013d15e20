// A rank under mpirun: runs one case, and prints what came of it.
//
//   mpirun -n 4 mpi_probe conformance
//
// WARNING 1: the cases that end in an error exit with 0 all the same, so that
// mpirun does not end the other ranks before they have said theirs.

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "gyre/collectives/host_limits.h"
#include "gyre/collectives/message/message_communicator.h"
#include "gyre/collectives/mpi/mpi_transport.h"
#include "gyre/collectives/shm/shm_space.h"
#include "gyre/collectives/two_level/host_plan.h"
#include "gyre/core/clock.h"
#include "gyre/core/exit_code.h"
#include "tests/support/conformance.h"
#include "tests/support/transport_checks.h"

namespace gyre::internal::inline tests {
namespace {

Status Sum(Communicator& comm, std::size_t count, const char* label) {
  std::vector<float> data(count, 1.0f);
  return comm.AllReduce(data.data(),
                        data.data(),
                        count,
                        DType::kF32,
                        ReduceOp::kSum,
                        {.label = label, .loc = {"a/train.cc", 88}});
}

void Sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

Status Conformance(Communicator& comm) {
  for (const ConformanceCase& test : kConformance) {
    const Status status = test.check(comm);
    if (!status.ok()) return Annotate(status, Cat(test.name, ": "));
  }
  const std::vector<int> low = {1, 0};
  std::vector<int> high;
  for (int r = 2; r < comm.size(); ++r) high.push_back(r);
  GYRE_ASSIGN_OR_RETURN(const auto group,
                        comm.Split(comm.rank() < 2 ? low : high, {}));
  return CheckReductionsOfLargeCounts(*group);
}

Status Mismatch(Communicator& comm) {
  return Sum(comm, comm.rank() == 1 ? 2'000'000 : 1'000'000, "gradients");
}

Status Late(Communicator& comm) {
  GYRE_RETURN_IF_ERROR(Sum(comm, 10, "warm-up"));
  if (comm.rank() == 1) Sleep(3);
  return Sum(comm, 10, "loss");
}

Status GiveUp(Communicator& comm) {
  if (comm.rank() == 1) return DataError("file x is damaged");
  return Sum(comm, 10, "loss");
}

Status LeaveEarly(Communicator& comm) {
  return comm.rank() == 1 ? OkStatus() : Sum(comm, 10, "loss");
}

double ProcessorSeconds() {
  timespec time = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + time.tv_nsec * 1e-9;
}

// What waiting for a slow rank costs of a processor.
Status Wait(Communicator& comm) {
  GYRE_RETURN_IF_ERROR(comm.Barrier({}));
  if (comm.rank() == 0) Sleep(2);
  const double before = ProcessorSeconds();
  const Stopwatch clock;
  GYRE_RETURN_IF_ERROR(comm.Barrier({}));
  const double share = (ProcessorSeconds() - before) / clock.Seconds();
  if (comm.rank() != 0 && share > 0.3) {
    return InternalError("waiting took ", share, " of a processor");
  }
  return OkStatus();
}

using Case = std::function<Status(Communicator&)>;

const std::map<std::string, Case>& Cases() {
  static const auto& cases = *new std::map<std::string, Case>{
      {"conformance", Conformance},
      {"mismatch", Mismatch},
      {"late", Late},
      {"give-up", GiveUp},
      {"leave-early", LeaveEarly},
      {"wait", Wait},
  };
  return cases;
}

// Shared memory of a made-up host, whose first rank makes it.
StatusOr<HostPlacement> ShareMemory(Communicator& comm,
                                    const std::vector<int>& hosts) {
  struct Maker {
    int pid = ::getpid();
    int fd = -1;
  };
  const HostPlan plan(hosts, comm.rank());
  const int local = static_cast<int>(plan.local_ranks().size());
  FileHandle file;
  Maker mine;
  if (plan.local_rank() == 0) {
    GYRE_ASSIGN_OR_RETURN(file, CreateShmWorld(local, "test"));
    mine.fd = file.get();
  }
  std::vector<Maker> all(comm.size());
  GYRE_RETURN_IF_ERROR(
      comm.AllGather(&mine, all.data(), sizeof mine, DType::kU8, {}));
  const Maker& maker = all[plan.local_ranks()[0]];
  const std::string path = Cat("/proc/", maker.pid, "/fd/", maker.fd);
  const int fd = ::open(path.c_str(), O_RDWR);
  if (fd < 0) return InternalError("no ", path);
  GYRE_ASSIGN_OR_RETURN(std::shared_ptr<SharedSpace> space,
                        ShmSpace::Open(fd, plan.local_rank(), local, "test"));
  GYRE_RETURN_IF_ERROR(comm.Barrier({}));
  return HostPlacement{hosts, std::move(space)};
}

Status TwoLevels(const std::shared_ptr<Transport>& transport) {
  std::vector<int> hosts;
  for (int r = 0; r < transport->size(); ++r) hosts.push_back(r / 2);
  HostPlacement placement;
  {
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    GYRE_ASSIGN_OR_RETURN(placement, ShareMemory(*comm, hosts));
  }
  GYRE_ASSIGN_OR_RETURN(
      const auto comm,
      MessageCommunicator::Join(transport, {}, std::move(placement)));
  return Conformance(*comm);
}

Status CheckMessages(Transport& transport) {
  GYRE_RETURN_IF_ERROR(CheckTransport(transport, 100));
  return CheckEarlyMessages(transport, 200);
}

Status Run(const std::string& name) {
  WaitPolicy policy = PolicyFor(/*local_ranks=*/4, /*deadline_s=*/20);
  if (name == "late") policy.deadline_ns = 500'000'000;
  GYRE_ASSIGN_OR_RETURN(const std::shared_ptr<Transport> transport,
                        MakeMpiTransport(policy));
  Status status;
  if (name == "transport") {
    status = CheckMessages(*transport);
  } else if (name == "two-level") {
    status = TwoLevels(transport);
  } else {
    GYRE_ASSIGN_OR_RETURN(const auto comm,
                          MessageCommunicator::Join(transport, {}));
    status = Cases().at(name)(*comm);
    if (!status.ok()) comm->Abort(status);
  }
  std::printf("rank %d: %s\n",
              transport->rank(),
              status.ok() ? "fine" : Message(status).c_str());
  std::fflush(stdout);
  return status;
}

}  // namespace
}  // namespace gyre::internal::inline tests

int main(int argc, char** argv) {
  const std::string name = argc == 2 ? argv[1] : "";
  if (name != "transport" && name != "two-level" &&
      gyre::internal::Cases().count(name) == 0) {
    std::fprintf(stderr, "usage: mpi_probe CASE\n");
    return gyre::kExitUsage;
  }
  const gyre::Status status = gyre::internal::Run(name);
  // A rank that has not finalised MPI must not outlive the report of others.
  if (!status.ok()) gyre::internal::Sleep(1);
  return 0;
}
