#include "gyre/collectives/roster/reply.h"

#include <gtest/gtest.h>

#include "gyre/core/exit_code.h"

namespace gyre::internal::inline collectives::roster {
namespace {

TEST(Reply, ARosterComesBack) {
  Roster roster;
  roster.backend = "shm";
  roster.shm_path = "/proc/1/fd/4";
  roster.cards.resize(2);
  roster.cards[1].rank = 1;
  const auto back =
      DecodeReply(Unpack(Pack(EncodeReply(StatusOr<Roster>(roster)))));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->backend, "shm");
  EXPECT_EQ(back->shm_path, "/proc/1/fd/4");
  ASSERT_EQ(back->cards.size(), 2u);
  EXPECT_EQ(back->cards[1].rank, 1);
}

TEST(Reply, AnErrorComesBackWithItsKind) {
  const Status why = DeadlineError("rank 3 has not come");
  const Status back = DecodeReply(EncodeReply(why)).status();
  EXPECT_EQ(Message(back), Message(why));
  EXPECT_EQ(ExitCodeOf(back), kExitPeer);
  EXPECT_EQ(back.code(), why.code());
}

TEST(Reply, OtherTextsAreErrors) {
  for (const char* text : {"",
                           "{}",
                           "[]",
                           R"({"error": 3})",
                           R"({"error": "x", "kind": 99, "code": 1})",
                           R"({"backend": "shm", "shm_path": ""})"}) {
    EXPECT_FALSE(DecodeReply(text).ok()) << text;
  }
}

}  // namespace
}  // namespace gyre::internal::inline collectives::roster
