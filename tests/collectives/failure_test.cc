// Ranks that call something else, come late, die or give up: on every other
// rank an error, soon, that names them.

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/backends.h"

namespace gyre::internal::inline tests {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Status Sum(Communicator& comm,
           std::size_t count,
           const char* label,
           SourceLoc loc = SourceLoc::Current()) {
  std::vector<float> data(count, 1.0f);
  return comm.AllReduce(data.data(),
                        data.data(),
                        count,
                        DType::kF32,
                        ReduceOp::kSum,
                        {.label = label, .loc = loc});
}

// An error that does not say `parts` becomes one that says what it said.
Status Expect(const Status& status,
              ErrorKind kind,
              const std::vector<std::string>& parts) {
  if (status.ok()) return InternalError("no error came");
  if (KindOf(status) != kind) {
    return InternalError("the wrong kind of error: ", Message(status));
  }
  for (const std::string& part : parts) {
    if (!Contains(Message(status), part)) {
      return InternalError("\"", part, "\" is not in: ", Message(status));
    }
  }
  return OkStatus();
}

class FailureTest : public testing::TestWithParam<std::string> {
 protected:
  Status RunRanks(int ranks, const std::function<Status(Communicator&)>& body) {
    return RunOn(GetParam(), ranks, body);
  }
};

TEST_P(FailureTest, AnotherCountIsAMismatchOnAllRanks) {
  EXPECT_EQ(
      RunRanks(3,
               [](Communicator& comm) {
                 const Status status =
                     Sum(comm,
                         comm.rank() == 1 ? 200 : 100,
                         comm.rank() == 1 ? "loss" : "gradients",
                         {"a/train.cc", 88});
                 return Expect(
                     status,
                     ErrorKind::kMismatch,
                     {"rank 0 called all_reduce #2 (gradients): sum of 100 f32",
                      "rank 1 called all_reduce #2 (loss): sum of 200 f32",
                      "train.cc:88"});
               }),
      OkStatus());
}

TEST_P(FailureTest, LargeAgainstSmallIsAMismatchToo) {
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) {
                       return Expect(
                           Sum(comm, comm.rank() == 0 ? 1'000'000 : 1, "x"),
                           ErrorKind::kMismatch,
                           {"1000000 f32", "1 f32"});
                     }),
            OkStatus());
}

TEST_P(FailureTest, AnotherOperationTypeOpOrBucketIsAMismatch) {
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) {
                       const Status status =
                           comm.rank() == 0
                               ? comm.Barrier({.label = "end of epoch"})
                               : Sum(comm, 3, "loss");
                       return Expect(status,
                                     ErrorKind::kMismatch,
                                     {"rank 0 called barrier #2 (end of epoch)",
                                      "rank 1 called all_reduce"});
                     }),
            OkStatus());
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) {
                       std::int64_t data[2] = {};
                       const bool first = comm.rank() == 0;
                       const Status status = comm.AllReduce(
                           data,
                           data,
                           2,
                           first ? DType::kI64 : DType::kI32,
                           first ? ReduceOp::kMax : ReduceOp::kSum,
                           {});
                       return Expect(status,
                                     ErrorKind::kMismatch,
                                     {"max of 2 i64", "sum of 2 i32"});
                     }),
            OkStatus());
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) {
                       float x = 0;
                       return Expect(comm.AllReduce(&x,
                                                    &x,
                                                    1,
                                                    DType::kF32,
                                                    ReduceOp::kSum,
                                                    {.bucket = comm.rank()}),
                                     ErrorKind::kMismatch,
                                     {"bucket 0", "bucket 1"});
                     }),
            OkStatus());
}

TEST_P(FailureTest, AnotherRootOrPermutationIsAMismatch) {
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) {
                       float x = 0;
                       return Expect(
                           comm.Broadcast(&x, 1, DType::kF32, comm.rank(), {}),
                           ErrorKind::kMismatch,
                           {"broadcast", "root"});
                     }),
            OkStatus());
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) {
                       float x = 0;
                       const std::vector<int> sources(2, comm.rank());
                       return Expect(
                           comm.Permute(&x, &x, 1, DType::kF32, sources, {}),
                           ErrorKind::kMismatch,
                           {"permute", "sources"});
                     }),
            OkStatus());
}

TEST_P(FailureTest, AfterAnErrorEveryCallFailsAtOnce) {
  EXPECT_EQ(RunRanks(2,
                     [](Communicator& comm) {
                       const Status first = Sum(comm, comm.rank() + 1, "x");
                       if (first.ok()) return InternalError("no error came");
                       return Expect(comm.Barrier({}),
                                     ErrorKind::kMismatch,
                                     {"has failed before", "rank 1 called"});
                     }),
            OkStatus());
}

TEST_P(FailureTest, ARankThatReturnsEarlyIsNamed) {
  EXPECT_EQ(RunRanks(3,
                     [](Communicator& comm) -> Status {
                       if (comm.rank() == 1) return OkStatus();
                       return Expect(Sum(comm, 5, "loss"),
                                     ErrorKind::kPeer,
                                     {"rank 1 has left the world",
                                      "all_reduce #2 (loss)"});
                     }),
            OkStatus());
}

TEST_P(FailureTest, TheFirstErrorReachesTheOthers) {
  const Status status = RunRanks(4, [](Communicator& comm) -> Status {
    if (comm.rank() == 2) return DataError("file x is damaged");
    for (int i = 0; i < 1000; ++i) {
      GYRE_RETURN_IF_ERROR(Sum(comm, 5, "loss"));
    }
    return OkStatus();
  });
  EXPECT_TRUE(Contains(Message(status), "file x is damaged")) << status;
}

INSTANTIATE_TEST_SUITE_P(Backends,
                         FailureTest,
                         testing::ValuesIn(kAllBackends),
                         [](const auto& info) { return info.param; });

// What follows needs processes, to stop them and to kill them.

TEST(ShmFailureTest, AStoppedRankIsLateOnAllOthersAndIsDescribed) {
  ForkEvent entered;
  ForkEvent stopped;
  ForkWorld world(3, /*deadline_s=*/0.6);
  world.Start([&](Communicator& comm) -> Status {
    GYRE_RETURN_IF_ERROR(Sum(comm, 5, "warm-up"));
    comm.SetActivity(412, "forward");
    if (comm.rank() == 2) {
      entered.Set();
      ::pause();  // stopped here, and then killed
    }
    if (comm.rank() == 0 && !stopped.Wait()) return InternalError("no stop");
    return Sum(comm, 5, "bucket 3: encoder.w1");
  });
  ASSERT_TRUE(entered.Wait());
  world.Signal(2, SIGSTOP);
  stopped.Set();
  std::vector<ForkOutcome> ends = world.WaitForRanks({0, 1});
  world.Signal(2, SIGKILL);
  for (const ForkOutcome& end : ends) {
    EXPECT_EQ(end.exit_code, kExitPeer) << end.message;
    EXPECT_TRUE(Contains(end.message,
                         "rank 2 has not entered all_reduce #3 (bucket 3: "
                         "encoder.w1) after 0.6 s; last seen in step 412, "
                         "forward"))
        << end.message;
    EXPECT_LT(end.seconds, 20);
  }
}

TEST(ShmFailureTest, AKilledRankIsNamedOnAllOthers) {
  ForkEvent looping;
  ForkWorld world(4);
  world.Start([&](Communicator& comm) -> Status {
    for (int i = 0; i < 1'000'000; ++i) {
      GYRE_RETURN_IF_ERROR(Sum(comm, 1000, "loss"));
      if (i == 10 && comm.rank() == 0) looping.Set();
    }
    return OkStatus();
  });
  ASSERT_TRUE(looping.Wait());
  const Stopwatch clock;
  world.Signal(1, SIGKILL);
  const std::vector<ForkOutcome> ends = world.Wait();
  EXPECT_LT(clock.Seconds(), 5);
  EXPECT_EQ(ends[1].signal, SIGKILL);
  for (const int r : {0, 2, 3}) {
    EXPECT_EQ(ends[r].exit_code, kExitPeer);
    EXPECT_TRUE(Contains(ends[r].message, "rank 1 is lost")) << ends[r].message;
  }
}

TEST(ShmFailureTest, AKilledRankIsNamedInASubGroupThatItIsNotIn) {
  ForkEvent waiting;
  ForkWorld world(3);
  world.Start([&](Communicator& comm) -> Status {
    const std::vector<int> pair = {0, 1};
    const std::vector<int> alone = {2};
    GYRE_ASSIGN_OR_RETURN(const auto group,
                          comm.Split(comm.rank() < 2 ? pair : alone, {}));
    if (comm.rank() == 0) {
      waiting.Set();
      return group->Barrier({.label = "pair"});
    }
    ::pause();
    return OkStatus();
  });
  ASSERT_TRUE(waiting.Wait());
  world.Signal(2, SIGKILL);
  const auto ends = world.WaitForRanks({0});
  world.Signal(1, SIGKILL);
  EXPECT_TRUE(Contains(ends[0].message, "rank 2 is lost")) << ends[0].message;
  EXPECT_TRUE(Contains(ends[0].message, "barrier #1 (pair)"));
}

TEST(ShmFailureTest, ARankThatNeverComesIsLateForTheJoin) {
  ForkWorld world(2, /*deadline_s=*/0.2);
  world.StartSome({0}, [](Communicator&) { return OkStatus(); });
  const auto ends = world.Wait();
  EXPECT_EQ(ends[0].exit_code, kExitPeer);
  EXPECT_TRUE(Contains(ends[0].message,
                       "rank 1 has not entered barrier #1 (joining the "
                       "world) after 0.2 s; it has never joined"))
      << ends[0].message;
}

}  // namespace
}  // namespace gyre::internal::inline tests
