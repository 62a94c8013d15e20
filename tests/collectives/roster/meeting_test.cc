#include "gyre/collectives/roster/meeting.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gyre/collectives/grpc/credentials.h"
#include "gyre/core/exit_code.h"
#include "tests/support/deaf_listener.h"
#include "tests/support/fork_ranks.h"
#include "tests/support/free_port.h"

namespace gyre::internal::inline tests {
namespace {

Address FreshUnix() {
  static int count = 0;
  return UnixAddress(Cat("gyre-meeting-", ::getpid(), "-", ++count));
}

RankCard Card(int rank, int size) {
  RankCard card;
  card.rank = rank;
  card.size = size;
  card.pid = 100 + rank;
  card.host = "host";
  card.host_name = "node1";
  card.build = "b1";
  card.isa = "avx2";
  card.collectives = "auto";
  return card;
}

MeetingOptions At(const Address& coordinator, double deadline_s = 20) {
  return {coordinator, "token", deadline_s, {}};
}

Status Decide(Roster& roster) {
  GYRE_ASSIGN_OR_RETURN(roster.backend, ChooseBackend(roster));
  return OkStatus();
}

// Every one must end with that error, and soon.
void ExpectAll(const std::vector<ForkOutcome>& ends,
               int code,
               const std::vector<std::string>& parts) {
  for (const ForkOutcome& end : ends) {
    EXPECT_EQ(end.exit_code, code) << end.message;
    EXPECT_LT(end.seconds, 10);
    for (const std::string& part : parts) {
      EXPECT_NE(end.message.find(part), std::string::npos)
          << "no \"" << part << "\" in: " << end.message;
    }
  }
}

TEST(Meeting, AllGetTheSameRoster) {
  for (const Address& where :
       {FreshUnix(),
        *Address::Parse(Cat("127.0.0.1:", FreePort())),
        *Address::Parse(Cat("localhost:", FreePort()))}) {
    ForkRanks ranks;
    ranks.Start({0, 1, 2, 3}, [&](int rank) -> Status {
      GYRE_ASSIGN_OR_RETURN(const Assembly assembly,
                            Meet(At(where), Card(rank, 4), Decide));
      const Roster& roster = assembly.roster;
      if (roster.cards.size() != 4 || roster.backend != "shm") {
        return InternalError("another roster");
      }
      for (int r = 0; r < 4; ++r) {
        if (roster.cards[r].pid != 100 + r) return InternalError("order");
      }
      const auto addresses = DialAddresses(roster, where);
      const bool moved = where.kind != Address::Kind::kUnix &&
                         addresses[0].Text() != where.Text();
      if (moved || addresses[2].Text() == addresses[1].Text()) {
        return InternalError(addresses[1].Text(), " ", addresses[2].Text());
      }
      return OkStatus();
    });
    EXPECT_EQ(ForkRanks::FirstError(ranks.Wait()), OkStatus());
  }
}

TEST(Meeting, ContradictionsAreToldToAll) {
  struct Case {
    const char* what;
    void (*change)(RankCard&);
    int code;
    std::vector<std::string> parts;
  };
  const Case cases[] = {
      {"twice",
       [](RankCard& c) { c.rank = 1; },
       kExitUsage,
       {"rank 1 is claimed twice: by process 10",
        "on node1",
        "rank 2 is absent"}},
      {"size",
       [](RankCard& c) { c.size = 3; },
       kExitMismatch,
       {"size of the world",
        "told of 4",
        "rank 2 (process 102 on node1) of 3"}},
      {"build",
       [](RankCard& c) { c.build = "b2"; },
       kExitMismatch,
       {"rank 2", "the program", "b1 against b2"}},
      {"isa",
       [](RankCard& c) { c.isa = "avx512"; },
       kExitMismatch,
       {"rank 2", "the instruction set", "avx2 against avx512"}},
      {"config",
       [](RankCard& c) { c.config = "other"; },
       kExitMismatch,
       {"rank 2", "the configuration"}},
      {"collectives",
       [](RankCard& c) { c.collectives = "grpc"; },
       kExitMismatch,
       {"GYRE_COLLECTIVES: auto against grpc"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const Address where = *Address::Parse(Cat("127.0.0.1:", FreePort()));
    ForkRanks ranks;
    ranks.Start({0, 1, 2, 3}, [&](int number) {
      RankCard card = Card(number, 4);
      if (number == 2) c.change(card);
      return Meet(At(where), card, Decide).status();
    });
    ExpectAll(ranks.Wait(), c.code, c.parts);
  }
}

TEST(Meeting, RanksThatDoNotComeAreNamedAtTheDeadline) {
  const Address where = FreshUnix();
  ForkRanks ranks;
  ranks.Start({0, 2}, [&](int rank) {
    return Meet(At(where, 0.5), Card(rank, 4), Decide).status();
  });
  ExpectAll(ranks.Wait(),
            kExitPeer,
            {"ranks 1 and 3 have not come", "2 of 4 ranks are there"});
}

TEST(Meeting, WithoutRankZeroItsAddressIsNamed) {
  const Address where = *Address::Parse(Cat("127.0.0.1:", FreePort()));
  ForkRanks ranks;
  ranks.Start({1, 2}, [&](int rank) {
    return Meet(At(where, 0.5), Card(rank, 3), Decide).status();
  });
  ExpectAll(ranks.Wait(),
            kExitPeer,
            {"rank 0 could not be reached at " + where.Text(), "refused"});
}

TEST(Meeting, ARankThatDiesMeanwhileIsNamed) {
  const Address where = FreshUnix();
  ForkRanks ranks;
  ranks.Start({0, 1, 2}, [&](int rank) {
    if (rank == 2) ::alarm(1);  // it kills
    return Meet(At(where), Card(rank, 4), Decide).status();
  });
  std::vector<ForkOutcome> ends = ranks.Wait();
  EXPECT_EQ(ends[2].signal, SIGALRM);
  ends.pop_back();
  ExpectAll(ends, kExitPeer, {"rank 2 (process 102 on node1) has ended"});
}

TEST(Meeting, StrangersAreRefused) {
  const Address where = FreshUnix();
  ForkRanks ranks;
  ranks.Start({0, 1}, [&](int rank) {
    MeetingOptions options = At(where, 1);
    if (rank == 1) options.token = "another run";
    return Meet(options, Card(rank, 2), Decide).status();
  });
  const std::vector<ForkOutcome> ends = ranks.Wait();
  EXPECT_EQ(ends[0].exit_code, kExitPeer);
  EXPECT_NE(ends[0].message.find("rank 1 has not come"), std::string::npos);
  EXPECT_EQ(ends[1].exit_code, kExitUsage);
  EXPECT_NE(ends[1].message.find("the run token differs"), std::string::npos)
      << ends[1].message;
}

TEST(Meeting, OtherCertificatesAreRefused) {
  const auto ours = MakeRunIdentity();
  const auto others = MakeRunIdentity();
  ASSERT_TRUE(ours.ok() && others.ok());
  for (const bool none : {false, true}) {
    const Address where = FreshUnix();
    ForkRanks ranks;
    ranks.Start({0, 1}, [&](int rank) {
      MeetingOptions options = At(where, 6);
      if (rank == 0) options.security = MakeSecurity(*ours);
      if (rank == 1 && !none) options.security = MakeSecurity(*others);
      return Meet(options, Card(rank, 2), Decide).status();
    });
    const std::vector<ForkOutcome> ends = ranks.Wait();
    EXPECT_EQ(ends[0].exit_code, kExitPeer) << ends[0].message;
    EXPECT_EQ(ends[1].exit_code, kExitUsage) << ends[1].message;
    EXPECT_NE(ends[1].message.find("--tls"), std::string::npos)
        << ends[1].message;
  }
}

TEST(Meeting, ATakenPortIsNamedOnAllRanks) {
  const DeafListener other;
  const Address where = *Address::Parse(Cat("127.0.0.1:", other.port()));
  ForkRanks ranks;
  ranks.Start({0, 1}, [&](int rank) {
    return Meet(At(where), Card(rank, 2), Decide).status();
  });
  ExpectAll(ranks.Wait(), kExitUsage, {where.Text(), "taken by another pro"});
}

TEST(Meeting, AnErrorOfTheDecisionIsThatOfAll) {
  const Address where = FreshUnix();
  ForkRanks ranks;
  ranks.Start({0, 1}, [&](int rank) {
    RankCard card = Card(rank, 2);
    card.collectives = "shm";
    card.host = Cat("host", rank);
    return Meet(At(where), card, Decide).status();
  });
  ExpectAll(ranks.Wait(), kExitUsage, {"are not on one host"});
}

}  // namespace
}  // namespace gyre::internal::inline tests
