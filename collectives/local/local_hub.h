// Where the threads of one process leave messages for each other.

#ifndef GYRE_COLLECTIVES_LOCAL_LOCAL_HUB_H_
#define GYRE_COLLECTIVES_LOCAL_LOCAL_HUB_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gyre/collectives/group_failure.h"
#include "gyre/collectives/rendezvous.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// One message on its way. All but the head is guarded by the hub's mutex.
struct LocalMessage {
  std::vector<std::byte> head;
  std::vector<std::byte> copy;  // of a small body
  std::span<const std::byte> body;
  bool being_read = false;  // by the receiver, without the mutex
  bool done = false;        // the body is not needed any more
  bool lost = false;        // its sender's channel is gone
};

class LocalHub {
 public:
  LocalHub(int ranks, const WaitPolicy& policy);

  int ranks() const { return static_cast<int>(peers_.size()); }
  const WaitPolicy& policy() const { return policy_; }

  void Join(int rank);
  void Leave(int rank);
  void Abort(int rank, const Status& why);
  void FailGroup(std::uint32_t group, const GroupFailure& failure);
  void SetActivity(int rank, std::int64_t step, std::string_view what);

  // The first rank that failed.
  std::optional<int> failed() const;

  // (group, from, to): messages in order.
  using Line = std::deque<std::shared_ptr<LocalMessage>>;

  void Put(std::uint32_t group,
           int from,
           int to,
           std::shared_ptr<LocalMessage> message);
  // The first message in line, to be read by the caller alone; null when
  // there is none. Mark it with EndPiece.
  std::shared_ptr<LocalMessage> BeginPiece(std::uint32_t group,
                                           int from,
                                           int to);
  // `news`: something was read. `last`: all, and the message leaves the line.
  void EndPiece(std::uint32_t group, int from, int to, bool news, bool last);

  // True when the receiver is done with it.
  bool IsDone(const LocalMessage& message) const;
  // The sender takes its body back.
  void Withdraw(int rank, LocalMessage& message);

  // Sleeps until something has happened to the rank since `seen`, at most
  // 20 ms. `seen`: a number that news() gave before the caller looked around.
  void WaitForNews(int rank, std::uint64_t seen) const;
  std::uint64_t news(int rank) const;

  // An error when another rank failed in the group or gave up, or when one of
  // `needed` has left.
  Status Check(int rank,
               std::uint32_t group,
               std::span<const int> needed,
               const Waiting& waiting) const;
  // "last seen in step 412, forward", or `last_call`.
  std::string LastSeen(int rank, const std::string& last_call) const;

 private:
  struct Peer {
    bool joined = false;
    bool left = false;
    std::int64_t step = -1;
    std::string activity;
    std::uint64_t news = 0;
    mutable std::condition_variable changed;
  };

  // With the mutex held.
  static void Tell(Peer& peer);
  void TellAll();

  const WaitPolicy policy_;
  mutable std::mutex mutex_;
  std::deque<Peer> peers_;
  std::optional<int> failed_;
  std::string why_;
  GroupFailures failures_;
  std::map<std::tuple<std::uint32_t, int, int>, Line> lines_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_LOCAL_LOCAL_HUB_H_
