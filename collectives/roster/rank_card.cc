#include "gyre/collectives/roster/rank_card.h"

#include <algorithm>
#include <map>

#include "gyre/collectives/describe.h"

namespace gyre::internal::inline collectives {
namespace {

// Ranks that nobody has claimed, as " rank 3 is absent;", or nothing.
std::string Absent(std::span<const RankCard> cards, int size) {
  std::vector<int> absent;
  for (int r = 0; r < size; ++r) {
    const bool here =
        std::any_of(cards.begin(), cards.end(), [&](const RankCard& c) {
          return c.rank == r;
        });
    if (!here) absent.push_back(r);
  }
  if (absent.empty() || absent.size() > 8) return "";
  return Cat("; ",
             RankList(absent),
             absent.size() == 1 ? " is absent" : " are absent");
}

Status CheckSame(const RankCard& a,
                 const RankCard& b,
                 std::string_view what,
                 std::string RankCard::*member,
                 std::string_view advice) {
  if (a.*member == b.*member) return OkStatus();
  return MismatchError(a.Describe(),
                       " and ",
                       b.Describe(),
                       " differ in ",
                       what,
                       ": ",
                       a.*member,
                       " against ",
                       b.*member,
                       advice);
}

Status CheckAgainstFirst(const RankCard& first, const RankCard& card) {
  if (card.size != first.size) {
    return MismatchError("ranks disagree on the size of the world: ",
                         first.Describe(),
                         " was told of ",
                         first.size,
                         ", ",
                         card.Describe(),
                         " of ",
                         card.size);
  }
  GYRE_RETURN_IF_ERROR(CheckSame(first,
                                 card,
                                 "the program (hash of the executable)",
                                 &RankCard::build,
                                 "; start the same build on all hosts"));
  GYRE_RETURN_IF_ERROR(CheckSame(first,
                                 card,
                                 "the instruction set",
                                 &RankCard::isa,
                                 "; ranks must compute alike"));
  GYRE_RETURN_IF_ERROR(CheckSame(first,
                                 card,
                                 "the configuration (its hash)",
                                 &RankCard::config,
                                 "; give all ranks the same options"));
  return CheckSame(first,
                   card,
                   "GYRE_COLLECTIVES",
                   &RankCard::collectives,
                   "; give all ranks the same");
}

}  // namespace

Json RankCard::ToJson() const {
  return Json::Object({{"rank", rank},
                       {"size", size},
                       {"host", host},
                       {"host_name", host_name},
                       {"pid", pid},
                       {"address", address},
                       {"port", port},
                       {"build", build},
                       {"isa", isa},
                       {"config", config},
                       {"collectives", collectives}});
}

StatusOr<RankCard> RankCard::FromJson(const Json& json) {
  RankCard card;
  const auto read_int = [&](const char* key, int& value) -> Status {
    GYRE_ASSIGN_OR_RETURN(const std::int64_t number, json.GetInt(key));
    value = static_cast<int>(number);
    return OkStatus();
  };
  GYRE_RETURN_IF_ERROR(read_int("rank", card.rank));
  GYRE_RETURN_IF_ERROR(read_int("size", card.size));
  GYRE_RETURN_IF_ERROR(read_int("pid", card.pid));
  GYRE_RETURN_IF_ERROR(read_int("port", card.port));
  for (const auto& [key, member] :
       std::map<std::string, std::string RankCard::*>{
           {"host", &RankCard::host},
           {"host_name", &RankCard::host_name},
           {"address", &RankCard::address},
           {"build", &RankCard::build},
           {"isa", &RankCard::isa},
           {"config", &RankCard::config},
           {"collectives", &RankCard::collectives}}) {
    GYRE_ASSIGN_OR_RETURN(card.*member, json.GetString(key));
  }
  return card;
}

std::string RankCard::Describe() const {
  return Cat("rank ", rank, " (process ", pid, " on ", host_name, ")");
}

std::vector<int> Roster::HostOfRanks() const {
  std::map<std::string, int> numbers;
  std::vector<int> hosts;
  for (const RankCard& card : cards) {
    const int next = static_cast<int>(numbers.size());
    hosts.push_back(numbers.try_emplace(card.host, next).first->second);
  }
  return hosts;
}

Status CheckCards(std::span<const RankCard> cards, int size) {
  if (cards.empty()) return OkStatus();
  for (const RankCard& card : cards) {
    GYRE_RETURN_IF_ERROR(CheckAgainstFirst(cards.front(), card));
  }
  std::map<int, const RankCard*> by_rank;
  for (const RankCard& card : cards) {
    if (card.rank < 0 || card.rank >= size) {
      return ConfigError(card.Describe(),
                         " does not fit a world of ",
                         size,
                         ": ranks count from 0");
    }
    const auto [it, fresh] = by_rank.try_emplace(card.rank, &card);
    if (fresh) continue;
    return ConfigError("rank ",
                       card.rank,
                       " is claimed twice: by process ",
                       it->second->pid,
                       " on ",
                       it->second->host_name,
                       " and by process ",
                       card.pid,
                       " on ",
                       card.host_name,
                       Absent(cards, size),
                       ". Each process needs a rank of its own (does a "
                       "launcher give numbers of nodes, or local ranks?)");
  }
  return OkStatus();
}

StatusOr<std::string> ChooseBackend(const Roster& roster) {
  const std::vector<int> hosts = roster.HostOfRanks();
  const bool one_host =
      hosts.empty() || *std::max_element(hosts.begin(), hosts.end()) == 0;
  const std::string& asked = roster.cards.front().collectives;
  if (asked == "shm" && !one_host) {
    const auto other = std::find(hosts.begin(), hosts.end(), 1) - hosts.begin();
    return ConfigError("--collectives shm: ",
                       roster.cards.front().Describe(),
                       " and ",
                       roster.cards[other].Describe(),
                       " are not on one host (or are in containers of their "
                       "own, or run as two users), and cannot share memory");
  }
  if (asked != "auto") return asked;
  if (one_host) return std::string("shm");
  // Two levels pay where ranks share a host.
  const int last = *std::max_element(hosts.begin(), hosts.end());
  const bool shared = last + 1 < static_cast<int>(hosts.size());
  return std::string(shared ? "two-level" : "grpc");
}

}  // namespace gyre::internal::inline collectives
