#include "gyre/collectives/message/call_head.h"

#include <gtest/gtest.h>

#include "gyre/collectives/exchange_communicator.h"

namespace gyre::internal::inline tests {
namespace {

CallHead MakeTestHead(std::uint64_t detail = 0, std::uint64_t plan = 0) {
  ControlRecord record;
  record.sequence = 3;
  record.kind = CollectiveKind::kBarrier;
  record.line = 88;
  record.step = 7;
  record.check = CheckOf(record);
  return MakeCallHead(record,
                      detail,
                      plan,
                      {.label = "end of epoch", .loc = {"a/train.cc", 88}});
}

TEST(CallHeadTest, ComesThroughBytes) {
  const CallHead head = MakeTestHead(5, 6);
  const auto parsed = ParseCallHead(BytesOf(head), 1);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_TRUE(parsed->Agrees(head));
  EXPECT_EQ(LastSeen(*parsed),
            "last seen in barrier #3 (end of epoch) at train.cc:88, step 7");
}

TEST(CallHeadTest, DamageIsNamedWithTheRank) {
  CallHead head = MakeTestHead();
  head.record.count ^= 1;
  for (const Status& status :
       {ParseCallHead(BytesOf(head), 4).status(),
        ParseCallHead(BytesOf(head).first(20), 4).status()}) {
    EXPECT_NE(Message(status).find("rank 4"), std::string::npos) << status;
    EXPECT_EQ(KindOf(status), ErrorKind::kInternal);
  }
}

TEST(CallHeadTest, DetailAndPlanMustAgreeToo) {
  EXPECT_FALSE(MakeTestHead(1).Agrees(MakeTestHead(2)));
  EXPECT_FALSE(MakeTestHead(1, 1).Agrees(MakeTestHead(1, 2)));
  const std::string root =
      Message(Disagreement(MakeTestHead(1), 0, MakeTestHead(2), 1));
  EXPECT_NE(root.find("root"), std::string::npos) << root;
  const std::string cut =
      Message(Disagreement(MakeTestHead(1, 1), 0, MakeTestHead(1, 2), 1));
  EXPECT_NE(cut.find("MessageOptions"), std::string::npos) << cut;
}

TEST(CallHeadTest, LongTextsAreCut) {
  const std::string label(500, 'x');
  const CallHead head = MakeCallHead({}, 0, 0, {.label = label.c_str()});
  EXPECT_EQ(TextOf(head, 0).label, std::string(95, 'x'));
}

}  // namespace
}  // namespace gyre::internal::inline tests
