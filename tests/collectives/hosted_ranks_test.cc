#include "gyre/collectives/hosted_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gyre/collectives/membership.h"
#include "gyre/collectives/shm/shm_space.h"
#include "gyre/core/clock.h"
#include "gyre/core/hash.h"
#include "tests/collectives/launch/environment.h"
#include "tests/support/fork_ranks.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

EnvReader Process(int first, int count, int size, int fd, const char* way) {
  Environment variables = {{"GYRE_COLLECTIVES", way}};
  for (const auto& [name, value] : LaunchVariables({.rank = first,
                                   .size = size,
                                   .shm_fd = fd,
                                   .token = "token",
                                   .local_rank = first,
                                   .local_size = size,
                                   .hosted = count})) {
    variables[name] = value;
  }
  return From(variables);
}

using Body = std::function<Status(World&)>;

// One process: `body` on each of its ranks. The first error by rank.
Status RunProcess(const EnvReader& env, const Body& body) {
  GYRE_ASSIGN_OR_RETURN(const auto ranks,
                        HostedRanks::Find({.deadline_s = 20, .env = env}));
  std::vector<Status> results(ranks->count());
  std::vector<std::thread> threads;
  for (int i = 0; i < ranks->count(); ++i) {
    threads.emplace_back([&, i] {
      const auto world = ranks->Join(i);
      results[i] = world.ok() ? body(**world) : world.status();
      if (world.ok() && !results[i].ok()) (*world)->Abort(results[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& result : results) GYRE_RETURN_IF_ERROR(result);
  return OkStatus();
}

// A sum whose order shows in its bits, large enough to go in chunks.
Status SumOf(World& world, std::vector<float>& sum) {
  sum.resize(100'000);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] = 1.0f / static_cast<float>(3 + world.rank() * 7 + i);
  }
  return world.comm().AllReduce(sum.data(),
                                sum.data(),
                                sum.size(),
                                DType::kF32,
                                ReduceOp::kSum,
                                {.label = "sum"});
}

std::uint64_t HashOf(const std::vector<float>& sum) {
  return Hash64(sum.data(), sum.size() * sizeof sum[0]);
}

// Its bits with `ranks` of one process, over `way`.
StatusOr<std::uint64_t> HashInOneProcess(int ranks, const char* way) {
  GYRE_ASSIGN_OR_RETURN(FileHandle file, CreateShmWorld(ranks, "token"));
  std::uint64_t hash = 0;
  GYRE_RETURN_IF_ERROR(RunProcess(
      Process(0, ranks, ranks, file.Release(), way),
      [&](World& world) -> Status {
        std::vector<float> sum;
        GYRE_RETURN_IF_ERROR(SumOf(world, sum));
        if (world.rank() == 0) hash = HashOf(sum);
        const std::string backend(world.comm().backend());
        if (backend != (std::string(way) == "shm" ? "shm" : "local")) {
          return InternalError("backend ", backend);
        }
        return OkStatus();
      }));
  return hash;
}

TEST(HostedRanksTest, AProgramThatWasNotLaunchedIsOneRank) {
  const auto ranks = HostedRanks::Find({.deadline_s = {}, .env = From({})});
  ASSERT_TRUE(ranks.ok()) << ranks.status();
  EXPECT_EQ((*ranks)->count(), 1);
  EXPECT_EQ((*ranks)->size(), 1);
  EXPECT_EQ((*(*ranks)->Join(0))->launched_by(), "");
}

TEST(HostedRanksTest, OneProcessMeetsInItsMemoryOrAsToldWithTheSameBits) {
  const auto local = HashInOneProcess(5, "auto");
  const auto shm = HashInOneProcess(5, "shm");
  ASSERT_TRUE(local.ok() && shm.ok()) << local.status() << shm.status();
  EXPECT_EQ(*local, *shm);
}

TEST(HostedRanksTest, SeveralProcessesShareMemoryWithTheSameBits) {
  const auto local = HashInOneProcess(5, "auto");
  ASSERT_TRUE(local.ok()) << local.status();
  const auto file = CreateShmWorld(5, "token");
  ASSERT_TRUE(file.ok());
  ForkRanks processes;
  processes.Start({0, 1}, [&](int process) {
    return RunProcess(
        Process(process == 0 ? 0 : 3,
                process == 0 ? 3 : 2,
                5,
                ::dup(file->get()),
                "auto"),
        [&](World& world) -> Status {
          std::vector<float> sum;
          GYRE_RETURN_IF_ERROR(SumOf(world, sum));
          if (world.comm().backend() != "shm" || HashOf(sum) != *local) {
            return InternalError("rank ", world.rank(), " has other bits");
          }
          return OkStatus();
        });
  });
  EXPECT_EQ(ForkRanks::FirstError(processes.Wait()), OkStatus());
}

TEST(HostedRanksTest, AKilledProcessIsTheLossOfAllItsRanks) {
  const auto file = CreateShmWorld(6, "token");
  ASSERT_TRUE(file.ok());
  ForkEvent met;
  ForkRanks processes;
  processes.Start({0, 1}, [&](int process) {
    return RunProcess(
        Process(3 * process, 3, 6, ::dup(file->get()), "auto"),
        [&](World& world) -> Status {
          GYRE_RETURN_IF_ERROR(world.comm().Barrier({.label = "first"}));
          if (world.rank() == 3) met.Set();
          if (world.rank() >= 3) ::pause();
          return world.comm().Barrier({.label = "second"});
        });
  });
  ASSERT_TRUE(met.Wait());
  const Stopwatch clock;
  processes.Signal(1, SIGKILL);
  const ForkOutcome end = processes.WaitForRanks({0})[0];
  EXPECT_LT(clock.Seconds(), 5);
  EXPECT_THAT(end.message,
              HasSubstr(Cat("ranks 3 to 5 are lost: their process (",
                            processes.pid(1),
                            ") has ended")));
}

TEST(HostedRanksTest, TheLauncherIsToldWhoGaveUpInOurMemory) {
  auto file = CreateShmWorld(3, "token");
  ASSERT_TRUE(file.ok());
  const auto view = MapShmWorld(file->get(), 3);
  ASSERT_TRUE(view.ok());
  const Status status = RunProcess(
      Process(0, 3, 3, file->Release(), "auto"), [&](World& world) -> Status {
        if (world.rank() == 1) return DataError("damaged");
        return world.comm().Barrier({.label = "wait"});
      });
  EXPECT_EQ(KindOf(status), ErrorKind::kPeer);  // of rank 0
  const auto notice =
      ReadAbort(*reinterpret_cast<const WorldHeader*>(view->data()));
  ASSERT_TRUE(notice.has_value());
  EXPECT_EQ(notice->rank, 1);
  EXPECT_EQ(notice->kind, ErrorKind::kData);
  EXPECT_EQ(notice->text, "damaged");
}

TEST(HostedRanksTest, WhatCannotBeIsAnError) {
  auto file = CreateShmWorld(4, "token");
  ASSERT_TRUE(file.ok());
  const auto find = [&](const EnvReader& env) {
    const auto ranks = HostedRanks::Find({.deadline_s = 1, .env = env});
    return ranks.ok() ? std::string() : Message(ranks.status());
  };
  EXPECT_THAT(find(Process(0, 2, 4, ::dup(file->get()), "mpi")),
              HasSubstr("a rank of MPI is a process"));
  EXPECT_THAT(find(Process(2, 3, 4, ::dup(file->get()), "auto")),
              HasSubstr("ranks that do not exist"));
  EXPECT_THAT(find(Process(0, 3, 3, ::dup(file->get()), "auto")),
              HasSubstr("for 4 ranks"));
  const auto alone = JoinWorld(
      {.deadline_s = 1, .env = Process(0, 2, 4, ::dup(file->get()), "auto")});
  EXPECT_THAT(Message(alone.status()), HasSubstr("use RunMain"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
