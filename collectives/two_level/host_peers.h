// What flows in two levels ask about ranks and send to them.

#ifndef GYRE_COLLECTIVES_TWO_LEVEL_HOST_PEERS_H_
#define GYRE_COLLECTIVES_TWO_LEVEL_HOST_PEERS_H_

#include <cstddef>
#include <span>

#include "gyre/collectives/message/message_flow.h"
#include "gyre/collectives/two_level/host_stage.h"

namespace gyre::internal::inline collectives {

class HostPeers {
 public:
  explicit HostPeers(const MessageContext& context) : context_(context) {}

  const HostPlan& plan() const { return context_.host->plan(); }
  bool IsMe(int rank) const { return rank == context_.me(); }
  bool IsLocal(int rank) const {
    return plan().host_of(rank) == plan().my_host();
  }
  // I work on this host for that rank of another one.
  bool WorksFor(int rank) const {
    return !IsLocal(rank) && IsMe(plan().AgentOf(plan().my_host(), rank));
  }

  void Send(int to,
            PartHead::Kind kind,
            int index,
            std::span<const std::byte> body) const {
    PartHead head;
    head.sequence = context_.roll->mine().record.sequence;
    head.kind = kind;
    head.index = static_cast<std::uint32_t>(index);
    context_.channel->Send(to, BytesOf(head), body);
  }
  // To the other ranks of this host.
  void Signal(PartHead::Kind kind, int index) const {
    for (const int r : plan().local_ranks()) {
      if (!IsMe(r)) Send(r, kind, index, {});
    }
  }
  // To the rank of each other host that works for `owner`, which is me.
  void SendToHosts(int owner, std::span<const std::byte> body) const {
    for (int h = 0; h < plan().hosts(); ++h) {
      if (h == plan().my_host()) continue;
      Send(plan().AgentOf(h, owner), PartHead::kResult, 0, body);
    }
  }

 private:
  MessageContext context_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_TWO_LEVEL_HOST_PEERS_H_
