#include "gyre/collectives/roster/meeting.h"

#include <unistd.h>

#include <utility>

#include "gyre/collectives/roster/guest_side.h"
#include "gyre/collectives/roster/host_side.h"

namespace gyre::internal::inline collectives {
namespace {

// Bodies travel by TCP also where the ranks meet at a unix socket: the
// system's buffers of that are small, and it takes three times as long.
constexpr char kLoopback[] = "127.0.0.1";

// Where a rank other than 0 listens: at any port of the loopback, or of all
// its addresses.
Address OwnAddress(const Address& coordinator) {
  Address own = coordinator;
  own.port = 0;
  switch (coordinator.kind) {
    case Address::Kind::kUnix:
      own = {Address::Kind::kIpv4, kLoopback, 0};
      break;
    case Address::Kind::kIpv4:
    case Address::Kind::kIpv6:
    case Address::Kind::kName:
      if (!coordinator.local()) own = {Address::Kind::kIpv6, "::", 0};
      break;
  }
  return own;
}

}  // namespace

StatusOr<Assembly> Meet(const MeetingOptions& options,
                        RankCard card,
                        const std::function<Status(Roster&)>& decide) {
  Assembly assembly;
  const bool host = card.rank == 0;
  const Address own =
      host ? options.coordinator : OwnAddress(options.coordinator);
  auto endpoint = Endpoint::Listen(
      own.ListenTarget(),
      options.security,
      own.kind == Address::Kind::kUnix ? Cat(kLoopback, ":0") : "");
  if (!endpoint.ok()) {
    return ConfigError("rank ",
                       card.rank,
                       " cannot listen at ",
                       own.Text(),
                       ": ",
                       WhyNotListen(own),
                       host ? "; give another address (GYRE_COORDINATOR)" : "");
  }
  assembly.endpoint = *std::move(endpoint);
  card.port = assembly.endpoint->port();
  const auto run = [&](auto side, const auto&... arguments) -> Status {
    StatusOr<Roster> roster = side.Run(arguments...);
    assembly.early = side.TakeEarly();
    if (!roster.ok()) {
      // They end with the endpoint.
      for (auto& stream : assembly.early) {
        assembly.endpoint->Keep(std::move(stream));
      }
      return roster.status();
    }
    assembly.roster = *std::move(roster);
    return OkStatus();
  };
  GYRE_RETURN_IF_ERROR(
      host ? run(roster::HostSide(options, card, *assembly.endpoint), decide)
           : run(roster::GuestSide(options, card, *assembly.endpoint)));
  const std::vector<RankCard>& cards = assembly.roster.cards;
  if (static_cast<int>(cards.size()) != card.size) {
    return InternalError(
        "a roster of ", cards.size(), " ranks came for a world of ", card.size);
  }
  return assembly;
}

std::vector<Address> DialAddresses(const Roster& roster,
                                   const Address& coordinator) {
  std::vector<Address> addresses;
  for (const RankCard& card : roster.cards) {
    Address address = coordinator;
    if (coordinator.kind == Address::Kind::kUnix) {
      address = {Address::Kind::kIpv4, kLoopback, card.port};
    } else if (card.rank != 0) {
      if (!card.address.empty()) {
        const auto seen =
            Address::Parse(card.address.find(':') == std::string::npos
                               ? Cat(card.address, ":", card.port)
                               : Cat("[", card.address, "]:", card.port));
        if (seen.ok()) address = *seen;
      }
      address.port = card.port;
    }
    addresses.push_back(address);
  }
  return addresses;
}

}  // namespace gyre::internal::inline collectives
