#include "gyre/collectives/two_level/host_link.h"

#include <gtest/gtest.h>

#include "tests/support/reference.h"

namespace gyre::internal::inline tests {
namespace {

Status Head(HostLink& link,
            PartHead::Kind kind,
            std::uint32_t index,
            std::size_t bytes,
            std::uint64_t sequence = 9) {
  PartHead head;
  head.sequence = sequence;
  head.kind = kind;
  head.index = index;
  return link.OnHead(BytesOf(head), bytes);
}

TEST(HostLinkTest, MessagesGoWhereTheyBelongInAnyOrder) {
  std::vector<bool> ready(3);
  Bytes to(8);
  MemoryBody result(to.data(), to.size());
  HostLink link(4, 9, &ready);
  link.Expect(3, nullptr, &result);
  EXPECT_EQ(Head(link, PartHead::kReady, 2, 0), OkStatus());
  EXPECT_EQ(link.Destination(), nullptr);
  link.OnEnd();
  EXPECT_TRUE(ready[2]);
  EXPECT_EQ(Head(link, PartHead::kResult, 0, 8), OkStatus());
  EXPECT_EQ(link.Destination(), to.data());
  link.OnBody(0, to);
  link.OnEnd();
  EXPECT_TRUE(result.complete());
  EXPECT_FALSE(link.staged());
  EXPECT_EQ(Head(link, PartHead::kStaged, 0, 0), OkStatus());
  link.OnEnd();
  EXPECT_TRUE(link.staged());
  EXPECT_TRUE(link.complete());
}

TEST(HostLinkTest, WhatDoesNotBelongIsRefusedWithTheRank) {
  std::vector<bool> ready(3);
  HostLink link(4, 9, &ready);
  link.Expect(1, nullptr, nullptr);
  for (const Status& status : {Head(link, PartHead::kPartial, 0, 8),
                               Head(link, PartHead::kReady, 0, 1),
                               Head(link, PartHead::kReady, 0, 0, 10),
                               link.OnHead({}, 0)}) {
    EXPECT_EQ(KindOf(status), ErrorKind::kInternal);
    EXPECT_NE(Message(status).find("rank 4"), std::string::npos) << status;
  }
  EXPECT_EQ(Head(link, PartHead::kReady, 77, 0), OkStatus());  // no such part
}

}  // namespace
}  // namespace gyre::internal::inline tests
