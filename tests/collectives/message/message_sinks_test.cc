#include "gyre/collectives/message/message_sinks.h"

#include <gtest/gtest.h>

#include "gyre/collectives/exchange_communicator.h"
#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

CallHead HeadOf(std::uint64_t count) {
  ControlRecord record;
  record.count = count;
  record.check = CheckOf(record);
  return MakeCallHead(record, 0, 0, {});
}

TEST(EntrySinkTest, ABodyOfAnotherCallIsDropped) {
  RollCall roll({0, 1}, 0);
  roll.Begin(HeadOf(10));
  Bytes to(4);
  MemoryBody body(to.data(), to.size());
  EntrySink sink(&roll, 1, &body);
  EXPECT_EQ(sink.OnHead(BytesOf(HeadOf(20)), 1000), OkStatus());
  EXPECT_EQ(sink.Destination(), nullptr);
  const Bytes piece(1000, std::byte{1});
  sink.OnBody(0, piece);
  sink.OnEnd();
  EXPECT_EQ(to, Bytes(4));
  EXPECT_TRUE(roll.Failed());
}

TEST(EntrySinkTest, ABodyOfAnotherSizeIsAnError) {
  RollCall roll({5, 6}, 0);
  roll.Begin(HeadOf(10));
  MemoryBody body(nullptr, 0);
  EntrySink sink(&roll, 1, &body);
  const Status status = sink.OnHead(BytesOf(HeadOf(10)), 3);
  EXPECT_NE(Message(status).find("rank 6"), std::string::npos) << status;
}

TEST(PartSinkTest, PartsFillOneBodyInOrder) {
  Bytes to(6);
  MemoryBody body(to.data(), to.size());
  PartHead head;
  head.sequence = 3;
  PartSink sink(1, head, &body);
  EXPECT_EQ(sink.OnHead(BytesOf(head), 4), OkStatus());
  EXPECT_EQ(sink.Destination(), to.data());
  sink.OnBody(0, std::span(to).first(4));
  sink.OnEnd();
  // The first again is not the second.
  EXPECT_EQ(KindOf(sink.OnHead(BytesOf(head), 2)), ErrorKind::kInternal);
  head.index = 1;
  EXPECT_FALSE(sink.OnHead(BytesOf(head), 3).ok());  // too much
  EXPECT_FALSE(sink.OnHead({}, 2).ok());
}

TEST(LinkSinkTest, PartialSumsAndResultsTakeTurns) {
  Bytes to(4);
  MemoryBody partials(to.data(), 2);
  MemoryBody results(to.data() + 2, 2);
  PartHead partial;
  partial.kind = PartHead::kPartial;
  PartHead result;
  result.kind = PartHead::kResult;
  PartSink partial_sink(1, partial, &partials);
  PartSink result_sink(1, result, &results);
  LinkSink link(&partial_sink, &result_sink, 1);
  EXPECT_EQ(link.OnHead(BytesOf(result), 2), OkStatus());
  EXPECT_EQ(link.Destination(), to.data() + 2);
  EXPECT_EQ(link.OnHead(BytesOf(partial), 2), OkStatus());
  EXPECT_EQ(link.Destination(), to.data());
  LinkSink one(nullptr, &result_sink, 1);
  EXPECT_FALSE(one.OnHead(BytesOf(partial), 2).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
