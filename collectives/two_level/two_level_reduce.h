// Reductions of much data where several ranks share a host. Every rank lays
// its input out in memory of the host; each part of the elements has an owner,
// which gets the sums that each other host can make on its own, adds up all in
// the tree order of all backends, and sends the result to each host once.
//
// A window goes through these steps; all but the messages marked with (*)
// have no body:
//   staged   to the ranks of the host: my input lies there
//   partial* to the owner of a part, from the rank of my host that works for
//            it: this host's sums
//   result*  from the owner to one rank of each other host, into the stage
//   ready    to the ranks of the host: the result of this part lies there
//   done     (reduce_scatter, which has no results to tell it) I have read
//            all inputs of this host

#ifndef GYRE_COLLECTIVES_TWO_LEVEL_TWO_LEVEL_REDUCE_H_
#define GYRE_COLLECTIVES_TWO_LEVEL_TWO_LEVEL_REDUCE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gyre/collectives/message/message_flow.h"
#include "gyre/collectives/two_level/host_link.h"
#include "gyre/collectives/two_level/host_peers.h"

namespace gyre::internal::inline collectives {

class TwoLevelReduce final : public MessageFlow {
 public:
  TwoLevelReduce(const MessageContext& context, const Exchange& exchange);

  Status Start() override;
  void Advance() override;
  bool Done() const override;
  bool Needs(int rank) const override;
  bool Next() override;

 private:
  const HostPlan& plan() const { return peers_.plan(); }
  bool all_reduce() const {
    return exchange_.kind == CollectiveKind::kAllReduce;
  }
  std::size_t element() const { return SizeOf(exchange_.dtype); }
  // The elements of the window's stage that rank r owns.
  Slice PartOf(int r) const;
  // The parts whose results local rank r announces.
  int Announces(int r) const;

  void StartWindow();
  void CopyIn();
  void Expect(int from);
  bool AllStaged() const;

  // This host's sum over a node of the tree, for one part.
  void SumNode(const RankRange& node, const Slice& part, std::byte* to) const;
  void SendPartials();
  bool PartialsCame() const;
  void FinishOwn();
  void TakeResults();

  MessageContext context_;
  Exchange exchange_;
  HostPeers peers_;
  HeadRound heads_;
  std::size_t window_;     // elements
  std::size_t first_ = 0;  // of the window
  std::size_t count_ = 0;
  std::byte* incoming_ = nullptr;  // partial sums of other hosts
  std::byte* outgoing_ = nullptr;  // partial sums for other hosts

  std::vector<bool> ready_;     // parts whose results lie in the stage
  std::vector<bool> copied_;    // parts that are in `out`
  std::deque<HostLink> links_;  // by rank
  std::vector<std::unique_ptr<MemoryBody>> partials_;  // by host
  std::vector<std::unique_ptr<MemoryBody>> results_;   // by rank
  bool sent_partials_ = false;
  bool finished_own_ = false;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_TWO_LEVEL_TWO_LEVEL_REDUCE_H_
