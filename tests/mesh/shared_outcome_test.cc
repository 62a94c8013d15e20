#include "gyre/mesh/shared_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/support/backends.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// Ranks may be processes, which make no assertions.
Status WantEqual(const std::string& got, const std::string& wanted) {
  if (got == wanted) return OkStatus();
  return InternalError("got \"", got, "\", wanted \"", wanted, "\"");
}

// The error as all ranks have to have it.
Status WantError(const Status& got, const std::string& text) {
  if (got.ok()) return InternalError("no error, wanted ", text);
  if (KindOf(got) != ErrorKind::kCheckpoint ||
      got.code() != absl::StatusCode::kDataLoss) {
    return InternalError("another kind: ", Message(got));
  }
  return WantEqual(Message(got), text);
}

void OnEveryBackend(const std::function<Status(Communicator&)>& body) {
  for (const char* backend : {"local", "shm", "grpc", "hosts", "scattered"}) {
    for (const int ranks : {1, 2, 4}) {
      const Status status = RunOn(backend, ranks, body);
      EXPECT_TRUE(status.ok()) << backend << " " << ranks << ": " << status;
    }
  }
}

TEST(SharedOutcome, AnErrorOfOneRankIsTheErrorOfAll) {
  OnEveryBackend([](Communicator& world) -> Status {
    GYRE_RETURN_IF_ERROR(OutcomeOfAll(OkStatus(), world, "good"));
    const int last = world.size() - 1;
    const Status mine =
        world.rank() == last ? CheckpointError("no file ", last) : OkStatus();
    GYRE_RETURN_IF_ERROR(WantError(
        OutcomeOfAll(mine, world, "bad"),
        world.size() == 1 ? "no file 0"
                          : Cat("on rank ", last, ": no file ", last)));
    // And can go on talking.
    return OutcomeOfAll(OkStatus(), world, "good again");
  });
}

TEST(SharedOutcome, WhereAllFailEachHasItsOwn) {
  OnEveryBackend([](Communicator& world) -> Status {
    const std::string own = Cat("mine ", world.rank());
    return WantError(OutcomeOfAll(CheckpointError(own), world, "bad"), own);
  });
}

TEST(SharedOutcome, RankZeroWorksAndAllHaveItsText) {
  OnEveryBackend([](Communicator& world) -> Status {
    for (const std::string text : {"", "a text", "another, somewhat longer"}) {
      GYRE_ASSIGN_OR_RETURN(const std::string got,
                            OutcomeOfRankZero(
                                [&]() -> StatusOr<std::string> {
                                  if (world.rank() != 0)
                                    return InternalError("not my work");
                                  return text;
                                },
                                world,
                                "work"));
      GYRE_RETURN_IF_ERROR(WantEqual(got, text));
    }
    GYRE_RETURN_IF_ERROR(WantError(
        DoneByRankZero([] { return CheckpointError("full"); }, world, "work"),
        world.size() == 1 ? "full" : "on rank 0: full"));
    return OutcomeOfAll(OkStatus(), world, "good");
  });
}

// The others wait for it, not for a sign that never comes.
TEST(SharedOutcome, WorkMayTakeLongerThanTheDeadline) {
  const auto body = [](Communicator& world) {
    return DoneByRankZero(
        [] {
          std::this_thread::sleep_for(std::chrono::seconds(3));
          return OkStatus();
        },
        world,
        "long work");
  };
  const Status threads = LocalWorld(2, {.deadline_s = 2}).Run(body);
  EXPECT_TRUE(threads.ok()) << threads;
  ForkWorld processes(2, 2);
  processes.Start(body);
  const Status status = ForkRanks::FirstError(processes.Wait());
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gyre::internal::inline tests
