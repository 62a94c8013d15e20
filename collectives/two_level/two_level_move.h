// All_gather and broadcast of much data where several ranks share a host:
// what a rank gives goes to each other host once, and from the memory that
// the ranks of a host share into the output of each.
//
// A window goes through these steps:
//   staged   to the ranks of the host: my input lies there
//   result   my input, to one rank of each other host, into its memory
//   ready    to the ranks of the host: this rank's input lies there
//   done     to the ranks of the host: I have taken all that lay there

#ifndef GYRE_COLLECTIVES_TWO_LEVEL_TWO_LEVEL_MOVE_H_
#define GYRE_COLLECTIVES_TWO_LEVEL_TWO_LEVEL_MOVE_H_

#include <deque>
#include <memory>
#include <vector>

#include "gyre/collectives/message/message_flow.h"
#include "gyre/collectives/two_level/host_link.h"
#include "gyre/collectives/two_level/host_peers.h"

namespace gyre::internal::inline collectives {

class TwoLevelMove final : public MessageFlow {
 public:
  TwoLevelMove(const MessageContext& context, const Exchange& exchange);

  Status Start() override;
  void Advance() override;
  bool Done() const override;
  bool Needs(int rank) const override;
  bool Next() override;

 private:
  // True for a rank whose input goes to all.
  bool Gives(int rank) const {
    return exchange_.kind != CollectiveKind::kBroadcast ||
           rank == exchange_.source;
  }
  // Where the window of that rank's input lies on this host.
  std::byte* Lies(int rank) const;
  std::byte* Place(int rank) const;
  std::size_t bytes() const { return count_ * SizeOf(exchange_.dtype); }

  void StartWindow();
  void Expect(int from);
  // Into the host's memory, which nobody reads any more for an earlier
  // collective once all its ranks have entered this one.
  bool HostEntered() const;
  void ReceiveFromHosts();
  // How many parts local rank r announces as ready.
  int Announces(int r) const;
  bool Lying(int rank) const;

  MessageContext context_;
  Exchange exchange_;
  HostPeers peers_;
  HeadRound heads_;
  std::size_t window_;  // elements
  std::size_t first_ = 0;
  std::size_t count_ = 0;

  std::vector<bool> ready_;  // ranks elsewhere whose input lies here
  std::vector<bool> taken_;  // by rank
  std::deque<HostLink> links_;
  std::vector<std::unique_ptr<MemoryBody>> bodies_;  // by rank
  bool receives_ = false;                            // from other hosts
  bool told_ = false;                                // that this rank is done
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_TWO_LEVEL_TWO_LEVEL_MOVE_H_
