#include "gyre/collectives/roster/rank_card.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

RankCard CardRankCard(int rank, const std::string& host) {
  RankCard card;
  card.rank = rank;
  card.size = 4;
  card.pid = 10 + rank;
  card.host = host;
  card.host_name = "name of " + host;
  card.collectives = "auto";
  return card;
}

Roster Four(const std::string& asked, const std::vector<std::string>& hosts) {
  Roster roster;
  for (int r = 0; r < 4; ++r) {
    roster.cards.push_back(CardRankCard(r, hosts[r]));
    roster.cards.back().collectives = asked;
  }
  return roster;
}

TEST(RankCard, ComesBackFromJson) {
  RankCard card = CardRankCard(3, "h");
  card.address = "fd00::1";
  card.port = 4000;
  card.build = "b";
  card.isa = "i";
  card.config = "c";
  const auto back = RankCard::FromJson(card.ToJson());
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->ToJson(), card.ToJson());
  EXPECT_FALSE(RankCard::FromJson(Json::Object({{"rank", 1}})).ok());
}

TEST(RankCard, HostsAreNumberedByTheirLowestRank) {
  EXPECT_EQ(Four("auto", {"b", "a", "b", "c"}).HostOfRanks(),
            (std::vector<int>{0, 1, 0, 2}));
}

TEST(RankCard, TheBackendFitsTheHosts) {
  const std::vector<std::string> one = {"a", "a", "a", "a"};
  const std::vector<std::string> two = {"a", "a", "b", "b"};
  EXPECT_EQ(*ChooseBackend(Four("auto", one)), "shm");
  EXPECT_EQ(*ChooseBackend(Four("shm", one)), "shm");
  EXPECT_EQ(*ChooseBackend(Four("grpc", one)), "grpc");
  EXPECT_EQ(*ChooseBackend(Four("grpc", two)), "grpc");
  EXPECT_EQ(*ChooseBackend(Four("auto", two)), "two-level");
  EXPECT_EQ(*ChooseBackend(Four("auto", {"a", "b", "c", "d"})), "grpc");
  const auto status = ChooseBackend(Four("shm", two)).status();
  EXPECT_NE(Message(status).find("rank 2 (process 12 on name of b)"),
            std::string::npos)
      << status;
}

TEST(RankCard, RanksOutsideOfTheWorldAreNamed) {
  const RankCard cards[] = {CardRankCard(0, "a"), CardRankCard(4, "a")};
  const Status status = CheckCards(cards, 4);
  EXPECT_NE(Message(status).find("rank 4"), std::string::npos) << status;
  EXPECT_TRUE(CheckCards(std::span(cards, 1), 4).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
