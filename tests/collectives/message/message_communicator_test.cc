// What a MessageCommunicator says when ranks do not go together. What it
// computes is in conformance_test.cc.

#include "gyre/collectives/message/message_communicator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "gyre/collectives/local/local_transport.h"
#include "gyre/core/clock.h"
#include "tests/support/backends.h"
#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Each rank's own error; `options` by rank.
std::vector<Status> RunThreads(
    int ranks,
    double deadline_s,
    const std::function<MessageOptions(int)>& options,
    const std::function<Status(Communicator&)>& body) {
  const auto hub = std::make_shared<LocalHub>(
      ranks,
      WaitPolicy{.deadline_ns = static_cast<std::int64_t>(deadline_s * 1e9)});
  std::vector<Status> results(ranks);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      auto comm = MessageCommunicator::Join(
          std::make_shared<LocalTransport>(hub, r), options(r));
      results[r] = comm.ok() ? body(**comm) : comm.status();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

MessageOptions Defaults(int) { return {}; }

void Sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

Status Sum(Communicator& comm, std::size_t count, const char* label) {
  std::vector<float> data(count, 1.0f);
  return comm.AllReduce(data.data(),
                        data.data(),
                        count,
                        DType::kF32,
                        ReduceOp::kSum,
                        {.label = label, .loc = {"a/train.cc", 88}});
}

TEST(MessageCommunicatorTest, ALateRankIsNamedWithItsLastCall) {
  const auto results =
      RunThreads(3, 0.3, Defaults, [](Communicator& comm) -> Status {
        GYRE_RETURN_IF_ERROR(Sum(comm, 5, "warm-up"));
        if (comm.rank() == 2) Sleep(2);
        return Sum(comm, 5, "bucket 3: encoder.w1");
      });
  for (const int r : {0, 1}) {
    EXPECT_EQ(KindOf(results[r]), ErrorKind::kPeer);
    const std::string text = Message(results[r]);
    EXPECT_TRUE(Contains(text,
                         "rank 2 has not entered all_reduce #3 (bucket 3: "
                         "encoder.w1) after 0."))
        << text;
    EXPECT_TRUE(
        Contains(text, "; last seen in all_reduce #2 (warm-up) at train.cc:88"))
        << text;
  }
}

TEST(MessageCommunicatorTest, AMismatchDoesNotWaitForALateRank) {
  const auto results =
      RunThreads(3, 20, Defaults, [](Communicator& comm) -> Status {
        if (comm.rank() == 2) {
          Sleep(3);
          return OkStatus();
        }
        const Stopwatch clock;
        const Status status = Sum(comm, comm.rank() == 0 ? 100'000 : 7, "x");
        if (clock.Seconds() > 2) return InternalError("it took too long");
        return status;
      });
  for (const int r : {0, 1}) {
    EXPECT_EQ(KindOf(results[r]), ErrorKind::kMismatch) << results[r];
    EXPECT_TRUE(Contains(Message(results[r]), "sum of 100000 f32"));
    EXPECT_TRUE(Contains(Message(results[r]), "sum of 7 f32"));
  }
}

TEST(MessageCommunicatorTest, OtherOptionsAreAMismatchOnJoining) {
  const auto options = [](int rank) {
    return MessageOptions{.block_bytes = rank == 0 ? 1024u : 2048u};
  };
  for (const Status& status :
       RunThreads(2, 20, options, [](Communicator&) { return OkStatus(); })) {
    EXPECT_EQ(KindOf(status), ErrorKind::kMismatch) << status;
    EXPECT_TRUE(Contains(Message(status), "MessageOptions")) << status;
  }
}

TEST(MessageCommunicatorTest, ARankThatNeverComesIsLateForTheJoin) {
  const auto hub =
      std::make_shared<LocalHub>(2, WaitPolicy{.deadline_ns = 200'000'000});
  const auto comm =
      MessageCommunicator::Join(std::make_shared<LocalTransport>(hub, 0), {});
  const std::string text = Message(comm.status());
  EXPECT_TRUE(Contains(text,
                       "rank 1 has not entered barrier #1 (joining the world) "
                       "after "))
      << text;
  EXPECT_TRUE(Contains(text, "it has never joined")) << text;
}

TEST(MessageCommunicatorTest, GroupsOfOtherLeadersDoNotMix) {
  const auto results =
      RunThreads(4, 20, Defaults, [](Communicator& comm) -> Status {
        const std::vector<int> all = {3, 2, 1, 0};
        const std::vector<int> low = {0, 1};
        const std::vector<int> high = {2, 3};
        for (int i = 0; i < 20; ++i) {
          GYRE_ASSIGN_OR_RETURN(const auto pair,
                                comm.Split(comm.rank() < 2 ? low : high, {}));
          GYRE_ASSIGN_OR_RETURN(const auto reverse, comm.Split(all, {}));
          float x = static_cast<float>(comm.rank());
          GYRE_RETURN_IF_ERROR(
              pair->AllReduce(&x, &x, 1, DType::kF32, ReduceOp::kSum, {}));
          GYRE_RETURN_IF_ERROR(
              reverse->Broadcast(&x, 1, DType::kF32, /*root=*/0, {}));
          if (x != 5) return InternalError("got ", x);
        }
        return OkStatus();
      });
  for (const Status& status : results) EXPECT_EQ(status, OkStatus());
}

TEST(MessageCommunicatorTest, ManyRanksUseTheRing) {
  const auto results = RunThreads(
      kMaxDirectRanks + 2, 20, Defaults, [](Communicator& comm) -> Status {
        if (comm.reduction_order() != "ring") return InternalError("order");
        std::vector<Bytes> inputs;
        for (int r = 0; r < comm.size(); ++r) {
          inputs.push_back(MakeInput(DType::kBF16, r, 20'000));
        }
        Bytes data = inputs[comm.rank()];
        GYRE_RETURN_IF_ERROR(comm.AllReduce(data.data(),
                                            data.data(),
                                            20'000,
                                            DType::kBF16,
                                            ReduceOp::kMean,
                                            {}));
        return SameBytes(
            data.data(),
            ReferenceReduce(DType::kBF16, ReduceOp::kMean, inputs, "ring"),
            "mean");
      });
  for (const Status& status : results) EXPECT_EQ(status, OkStatus());
}

// More than 2^31 bytes: minutes, and gigabytes of memory.
TEST(MessageCommunicatorTest, MoreBytesThanAnIntCounts) {
  if (std::getenv("GYRE_LONG_TESTS") == nullptr) {
    GTEST_SKIP() << "set GYRE_LONG_TESTS";
  }
  const auto results =
      RunThreads(2, 60, Defaults, [](Communicator& comm) -> Status {
        const std::size_t count = (std::size_t{1} << 31) + 12'345;
        std::vector<std::uint8_t> data(count);
        for (std::size_t i = 0; i < count; i += 4096) {
          data[i] = static_cast<std::uint8_t>(i / 4096 + comm.rank());
        }
        GYRE_RETURN_IF_ERROR(comm.AllReduce(
            data.data(), data.data(), count, DType::kU8, ReduceOp::kSum, {}));
        for (std::size_t i = 0; i < count; i += 4096) {
          const auto want = static_cast<std::uint8_t>(2 * (i / 4096) + 1);
          if (data[i] != want) return InternalError("element ", i);
        }
        return comm.Broadcast(data.data(), count, DType::kU8, 1, {});
      });
  for (const Status& status : results) EXPECT_EQ(status, OkStatus());
}

}  // namespace
}  // namespace gyre::internal::inline tests
