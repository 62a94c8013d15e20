// The ranks of launch_test: does what its first argument says. The second, if
// any, is the rank that misbehaves.

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gyre/mesh/mesh.h"
#include "gyre/runtime/run_main.h"

namespace gyre::internal::inline tests {
namespace {

Status Reduce(Communicator& comm, std::int64_t step) {
  float x = static_cast<float>(comm.rank() + 1);
  GYRE_RETURN_IF_ERROR(comm.AllReduce(&x,
                                      &x,
                                      1,
                                      DType::kF32,
                                      ReduceOp::kSum,
                                      {.label = "probe", .step = step}));
  const float want = comm.size() * (comm.size() + 1) * 0.5f;
  if (x != want) return InternalError("sum ", x, ", expected ", want);
  return OkStatus();
}

// Collectives until something happens; bounded, should nothing ever.
Status Loop(Communicator& comm) {
  for (int step = 0; step < 6000; ++step) {
    GYRE_RETURN_IF_ERROR(Reduce(comm, step));
    if (comm.rank() == 0) usleep(10'000);
  }
  return OkStatus();
}

Status Misbehave(const std::string& what) {
  if (what == "data") return DataError("the file is damaged");
  if (what == "exit") std::_Exit(42);
  if (what == "crash") ::raise(SIGKILL);
  // "hang": alive, deaf to requests, and never in a collective again.
  ::signal(SIGTERM, SIG_IGN);
  for (int i = 0; i < 60; ++i) ::sleep(1);
  return OkStatus();
}

// What programs get wrong about their mesh, one of them on one rank only.
Status MakeMesh(Communicator& comm, const std::string& what, int culprit) {
  std::vector<MeshAxis> axes = {{"data", comm.size() / 2}, {"model", -1}};
  if (what == "mesh_size") axes = {{"data", comm.size() - 1}};
  if (what == "mesh_differs" && comm.rank() == culprit) axes = {{"data", -1}};
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, axes));
  if (what == "mesh_axis") return mesh.Axes({"dta"}).status();
  return Loop(comm);
}

// As many steps as the others have, and one more.
Status Longer(Communicator& comm, bool longer) {
  for (int step = 0; step < (longer ? 11 : 10); ++step) {
    GYRE_RETURN_IF_ERROR(Reduce(comm, step));
  }
  return comm.Barrier({.label = "end of the epoch"});
}

// Leaves a process behind that has moved to a session of its own.
void LeaveOrphan() {
  int ends[2];
  if (::pipe(ends) != 0) return;
  if (::fork() != 0) {
    ::close(ends[1]);
    char done;
    [[maybe_unused]] const ssize_t n = ::read(ends[0], &done, 1);
    return;
  }
  ::setsid();
  std::printf("orphan %d\n", getpid());
  std::fflush(stdout);
  ::close(ends[0]);
  ::close(ends[1]);
  for (int i = 0; i < 60; ++i) ::sleep(1);
  std::_Exit(0);
}

// A child in the rank's own group, as shells and data loaders are.
void StartChild() {
  if (::fork() != 0) return;
  std::printf("child %d\n", getpid());
  std::fflush(stdout);
  for (int i = 0; i < 60; ++i) ::sleep(1);
  std::_Exit(0);
}

void PrintPlace() {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  std::printf("processors %d, threads %s\n",
              CPU_COUNT(&set),
              std::getenv("OMP_NUM_THREADS"));
}

Status Body(World& world, const std::string& what, int culprit) {
  Communicator& comm = world.comm();
  GYRE_RETURN_IF_ERROR(Reduce(comm, 0));
  std::printf("rank %d of %d, pid %d\n", world.rank(), world.size(), getpid());
  std::fflush(stdout);
  if (what == "sum") return OkStatus();
  if (what == "backend") {
    std::printf("backend %s\n", std::string(comm.backend()).c_str());
    return OkStatus();
  }
  if (what == "env") {
    const char* threads = std::getenv("OMP_NUM_THREADS");
    const char* extra = std::getenv("PROBE_EXTRA");
    std::printf("threads %s, extra %s\n",
                threads == nullptr ? "?" : threads,
                extra == nullptr ? "?" : extra);
    return OkStatus();
  }
  if (what.rfind("mesh_", 0) == 0) return MakeMesh(comm, what, culprit);
  if (what == "longer") return Longer(comm, world.rank() == culprit);
  if (what == "orphan") LeaveOrphan();
  if (what == "place") PrintPlace();
  if (what == "family") StartChild();
  if (what == "orphan" || what == "place") return OkStatus();
  // "flaky": well from the second restart on.
  if (what == "flaky") {
    const int restart = std::atoi(std::getenv("GYRE_RESTART"));
    if (restart >= 2) return OkStatus();
    if (world.rank() == culprit) ::raise(SIGKILL);
    return Loop(comm);
  }
  if (what != "loop" && world.rank() == culprit) return Misbehave(what);
  return Loop(comm);
}

// "whoami": what the environment tells, without meeting the others.
int PrintLaunch() {
  const auto launch = ReadLaunchEnv(ProcessEnv);
  if (!launch.ok()) return ReportError(launch.status(), 0, 1);
  if (!launch->has_value()) {
    std::puts("not launched");
    return 0;
  }
  const LaunchEnv& l = **launch;
  const std::string text = Cat(l.source,
                               ": ",
                               l.rank,
                               " of ",
                               l.size,
                               ", local ",
                               l.local_rank,
                               " of ",
                               l.local_size,
                               ", at ",
                               l.coordinator);
  std::puts(text.c_str());
  return 0;
}

}  // namespace
}  // namespace gyre::internal::inline tests

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "sum";
  const int culprit = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "whoami") return gyre::internal::PrintLaunch();
  return gyre::RunMain([&](gyre::World& world) {
    return gyre::internal::Body(world, what, culprit);
  });
}
