// How the ranks of a world find each other, before anything else: rank 0
// waits at an address that all know, the others tell it who they are, and
// all get the same roster, or the same error.
//
//   GYRE_ASSIGN_OR_RETURN(Assembly assembly, Meet(options, card, decide));
//   assembly.roster.cards[3].address ...
//
// Within the deadline, whatever happens; a contradiction ends it within
// seconds.

#ifndef GYRE_COLLECTIVES_ROSTER_MEETING_H_
#define GYRE_COLLECTIVES_ROSTER_MEETING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gyre/collectives/grpc/endpoint.h"
#include "gyre/collectives/roster/address.h"
#include "gyre/collectives/roster/rank_card.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

struct MeetingOptions {
  Address coordinator;  // where rank 0 is to be found
  std::string token;    // of the run: strangers are refused
  double deadline_s = 30;
  Security security;
};

struct Assembly {
  Roster roster;
  std::unique_ptr<Endpoint> endpoint;  // this rank's, listening
  // Streams that others have dialed already.
  std::vector<std::unique_ptr<ServerStream>> early;
};

// `decide`: called on rank 0 when all are there, to fill in how they will
// talk; its error is that of all ranks. `card`: this rank's; its addresses are
// filled in here.
StatusOr<Assembly> Meet(const MeetingOptions& options,
                        RankCard card,
                        const std::function<Status(Roster&)>& decide);

// Where to dial each rank, from the point of view of one that reached rank 0
// at `coordinator`.
std::vector<Address> DialAddresses(const Roster& roster,
                                   const Address& coordinator);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_ROSTER_MEETING_H_
