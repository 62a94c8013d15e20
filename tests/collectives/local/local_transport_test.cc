#include "gyre/collectives/local/local_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/transport_checks.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The errors of all ranks, each on a thread.
std::vector<Status> RunThreads(
    int ranks,
    double deadline_s,
    const std::function<Status(LocalTransport&)>& body) {
  const auto hub = std::make_shared<LocalHub>(
      ranks,
      WaitPolicy{.deadline_ns = static_cast<std::int64_t>(deadline_s * 1e9)});
  std::vector<Status> results(ranks);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      LocalTransport transport(hub, r);
      results[r] = body(transport);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

void ExpectOk(const std::vector<Status>& results) {
  for (const Status& status : results) EXPECT_EQ(status, OkStatus());
}

// Waits for one message of `from` in the world's channel.
Status WaitFor(LocalTransport& transport, int from, LatePeer late) {
  GYRE_ASSIGN_OR_RETURN(const auto channel,
                        transport.Open(0, AllRanks(transport)));
  KeepingSink sink(false);
  channel->Receive(from, &sink);
  return channel->Drive([&] { return sink.ended(); },
                        true,
                        {CollectiveKind::kBarrier, 3, "end"},
                        [&] { return std::vector<LatePeer>{late}; });
}

TEST(LocalTransportTest, MessagesComeWholeAndInOrder) {
  for (const int ranks : {2, 3, 5}) {
    ExpectOk(RunThreads(ranks, 20, [](LocalTransport& transport) {
      return CheckTransport(transport, 7);
    }));
  }
}

TEST(LocalTransportTest, EarlyMessagesHoldUpNoOtherChannel) {
  ExpectOk(RunThreads(2, 20, [](LocalTransport& transport) {
    return CheckEarlyMessages(transport, 7);
  }));
}

TEST(LocalTransportTest, ALateRankIsNamedWithWhatItDoes) {
  const auto results = RunThreads(2, 0.2, [](LocalTransport& transport) {
    transport.SetActivity(412, "forward");
    if (transport.rank() == 0) return WaitFor(transport, 1, {1});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    return OkStatus();
  });
  EXPECT_THAT(Message(results[0]),
              AllOf(HasSubstr("rank 1 has not entered barrier #3 (end) after "),
                    HasSubstr("; last seen in step 412, forward")));
}

TEST(LocalTransportTest, ARankThatIsStuckInsideIsSaidToBe) {
  const auto results = RunThreads(2, 0.2, [](LocalTransport& transport) {
    if (transport.rank() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      return OkStatus();
    }
    return WaitFor(transport, 0, {0, true, "last seen in barrier #3"});
  });
  EXPECT_THAT(
      Message(results[1]),
      AllOf(HasSubstr("rank 0 has not come through barrier #3 (end) after "),
            HasSubstr("; last seen in barrier #3")));
}

TEST(LocalTransportTest, ARankThatGaveUpOrLeftIsNamed) {
  auto results = RunThreads(2, 20, [](LocalTransport& transport) {
    if (transport.rank() == 1) {
      transport.Abort(DataError("file x is damaged"));
      return OkStatus();
    }
    return WaitFor(transport, 1, {1});
  });
  EXPECT_NE(Message(results[0]).find("rank 1 gave up: file x is damaged"),
            std::string::npos)
      << results[0];
  results = RunThreads(2, 20, [](LocalTransport& transport) {
    return transport.rank() == 1 ? OkStatus() : WaitFor(transport, 1, {1});
  });
  EXPECT_NE(Message(results[0]).find("rank 1 has left the world"),
            std::string::npos)
      << results[0];
}

TEST(LocalTransportTest, ABodyIsFreeOnceItsChannelIsGone) {
  ExpectOk(RunThreads(2, 0.5, [](LocalTransport& transport) -> Status {
    if (transport.rank() == 0) {
      Bytes body(5'000'000, std::byte{1});
      GYRE_ASSIGN_OR_RETURN(auto channel,
                            transport.Open(0, AllRanks(transport)));
      channel->Send(1, TestHead(0, 1, 0), body);
      channel = nullptr;
      return OkStatus();  // the body is freed here
    }
    // The head comes all the same; the rest does not.
    GYRE_ASSIGN_OR_RETURN(const auto channel,
                          transport.Open(0, AllRanks(transport)));
    KeepingSink sink(true);
    channel->Receive(0, &sink);
    const Status status = channel->Drive([&] { return sink.ended(); },
                                         true,
                                         {CollectiveKind::kBarrier, 3, ""},
                                         NobodyLate);
    return KindOf(status) == ErrorKind::kPeer ? OkStatus() : status;
  }));
}

TEST(LocalTransportTest, OnlyMembersOpenAGroup) {
  ExpectOk(RunThreads(2, 20, [](LocalTransport& transport) -> Status {
    const std::vector<int> other = {1 - transport.rank()};
    const Status status = transport.Open(3, other).status();
    return status.ok() ? InternalError("it opened") : OkStatus();
  }));
}

}  // namespace
}  // namespace gyre::internal::inline tests
