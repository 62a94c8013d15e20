// Endpoints and their streams, both ends in one process: a child, as gRPC in
// the test program itself would not survive the forks of other tests.

#include "gyre/collectives/grpc/endpoint.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "gyre/collectives/grpc/control_message.h"
#include "gyre/collectives/grpc/queue_driver.h"
#include "gyre/core/clock.h"
#include "tests/support/deaf_listener.h"

namespace gyre::internal::inline tests {
namespace {

// The next event of an endpoint; no stream when there is none for a second.
StreamEvent Next(Endpoint& endpoint) {
  void* raw = nullptr;
  bool ok = false;
  if (endpoint.queue().AsyncNext(
          &raw, &ok, gpr_time_from_seconds(1, GPR_TIMESPAN)) !=
      ::grpc::CompletionQueue::GOT_EVENT) {
    return {};
  }
  const StreamTag& tag = *static_cast<StreamTag*>(raw);
  tag.stream->Ended(tag.op);
  return {tag.stream, tag.op, ok};
}

std::string FreshAddress() {
  static int count = 0;
  return Cat("unix-abstract:gyre-test-endpoint-", ::getpid(), "-", ++count);
}

void InChild(void (*body)()) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    std::fflush(nullptr);
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int state = 0;
  ::waitpid(child, &state, 0);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

void CheckAFreePortIsTold() {
  const auto endpoint = Endpoint::Listen("127.0.0.1:0", {});
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_GT((*endpoint)->port(), 0);
}

void CheckATakenOneIsAnError() {
  const DeafListener other;
  const std::string address = Cat("127.0.0.1:", other.port());
  EXPECT_FALSE(Endpoint::Listen(address, {}).ok());
  const auto first = Endpoint::Listen("127.0.0.1:0", {});
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(Endpoint::Listen(Cat("127.0.0.1:", (*first)->port()), {}).ok());
}

void CheckAStreamSaysWhatItIsForAndCarriesMessages() {
  const std::string address = FreshAddress();
  const auto server = Endpoint::Listen(address, {});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto channel = (*server)->Dial(address);
  ClientStream client(
      channel, (*server)->queue(), {"/gyre/data", 3, 17, "token"});
  std::unique_ptr<ServerStream> accepted;
  bool started = false;
  while (accepted == nullptr || !started) {
    const StreamEvent event = Next(**server);
    ASSERT_NE(event.stream, nullptr);
    ASSERT_TRUE(event.ok);
    if ((*server)->IsAccept(event.stream)) {
      accepted = (*server)->Accepted(event.ok);
    } else {
      started = event.op == StreamOp::kStart;
    }
  }
  const StreamName name = accepted->name();
  EXPECT_EQ(name.method, "/gyre/data");
  EXPECT_EQ(name.rank, 3);
  EXPECT_EQ(name.group, 17u);
  EXPECT_EQ(name.token, "token");

  accepted->Read();
  client.Write(Encode({ControlKind::kActivity, 5, "forward"}));
  EXPECT_FALSE(accepted->idle());
  while (!accepted->idle() || !client.idle()) {
    ASSERT_NE(Next(**server).stream, nullptr);
  }
  const auto message = DecodeControl(accepted->received());
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->text, "forward");

  // The end comes with the server's reason.
  accepted->Finish(
      ::grpc::Status(::grpc::StatusCode::FAILED_PRECONDITION, "enough"));
  client.Read();
  bool over = false;
  while (!over) {
    const StreamEvent event = Next(**server);
    ASSERT_NE(event.stream, nullptr);
    if (event.stream == &client && event.op == StreamOp::kRead) {
      EXPECT_FALSE(event.ok);
      client.Finish({});
    }
    over = event.stream == &client && event.op == StreamOp::kFinish;
  }
  EXPECT_EQ(client.status().error_message(), "enough");
  (*server)->Close();
}

void CheckEventsGoToTheirInboxOrAreShared() {
  const std::string address = FreshAddress();
  const auto server = Endpoint::Listen(address, {});
  ASSERT_TRUE(server.ok());
  int shared = 0;
  QueueDriver driver((*server)->queue(),
                     [&](const StreamEvent&) { ++shared; },
                     [](const StreamEvent&) {});
  const auto channel = (*server)->Dial(address);
  EventInbox inbox;
  inbox.at_once = [](const StreamEvent&) { return false; };
  std::unique_lock<std::mutex> lock(driver.mutex());
  ClientStream client(channel, (*server)->queue(), {"/gyre/data", 0, 0, ""});
  client.inbox = &inbox;
  std::vector<StreamEvent> events;
  const Stopwatch watch;
  while ((events.empty() || shared == 0) && watch.Seconds() < 10) {
    driver.Wait(lock, &inbox, NowNanos() + 50'000'000, events);
  }
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].stream, &client);
  EXPECT_EQ(events[0].op, StreamOp::kStart);
  EXPECT_EQ(shared, 1);  // the stream was accepted

  // Nothing more happens: the wait is over when it is.
  const std::int64_t until = NowNanos() + 20'000'000;
  events.clear();
  driver.Wait(lock, &inbox, until, events);
  EXPECT_GE(NowNanos(), until - 1'000'000);
  EXPECT_TRUE(events.empty());
  client.Cancel();
  (*server)->Close();
}

TEST(Endpoint, AFreePortIsTold) { InChild(CheckAFreePortIsTold); }
TEST(Endpoint, ATakenOneIsAnError) { InChild(CheckATakenOneIsAnError); }
TEST(Endpoint, AStreamSaysWhatItIsForAndCarriesMessages) {
  InChild(CheckAStreamSaysWhatItIsForAndCarriesMessages);
}
TEST(QueueDriver, EventsGoToTheirInboxOrAreShared) {
  InChild(CheckEventsGoToTheirInboxOrAreShared);
}

}  // namespace
}  // namespace gyre::internal::inline tests
