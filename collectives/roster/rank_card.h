// What a rank tells of itself before the world begins, and what they must
// agree on.

#ifndef GYRE_COLLECTIVES_ROSTER_RANK_CARD_H_
#define GYRE_COLLECTIVES_ROSTER_RANK_CARD_H_

#include <span>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

struct RankCard {
  int rank = 0;
  int size = 1;
  std::string host;  // HostIdentity
  std::string host_name;
  int pid = 0;
  // Where it listens. Rank 0 puts the host in, as it saw the connection;
  // empty: where rank 0 is.
  std::string address;
  int port = 0;
  std::string build;  // ProgramIdentity
  std::string isa;
  std::string config;       // hash of what the user configured, or ""
  std::string collectives;  // "auto", "grpc", ...

  Json ToJson() const;
  static StatusOr<RankCard> FromJson(const Json& json);
  // "rank 2 (process 812 on node3)"
  std::string Describe() const;
};

// How the ranks of a world will talk, as rank 0 has decided.
struct Roster {
  std::vector<RankCard> cards;  // by rank
  std::string backend;          // "shm", "grpc", "two-level"
  std::string shm_path;         // for "shm"

  // For each rank the number of its host: hosts are numbered by their lowest
  // rank.
  std::vector<int> HostOfRanks() const;
};

// All that came, in any order. An error that names who contradicts whom: a
// rank that two processes claim, another size, another program.
Status CheckCards(std::span<const RankCard> cards, int size);

// What all of them asked for; for "auto", "shm" on one host, "two-level" where
// ranks share hosts, and else "grpc".
StatusOr<std::string> ChooseBackend(const Roster& roster);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_ROSTER_RANK_CARD_H_
