// All calls of MPI, one at a time, whatever thread they come from.
//
// A message travels as an envelope (head, and the body when that is small),
// then as chunks of the body with a tag that only this message has at the
// time. Envelopes are taken in at any time and wait here for their channel,
// so no channel holds up another one.

#ifndef GYRE_COLLECTIVES_MPI_MPI_ENGINE_H_
#define GYRE_COLLECTIVES_MPI_MPI_ENGINE_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/collectives/describe.h"
#include "gyre/collectives/group_failure.h"
#include "gyre/collectives/rendezvous.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// Bodies above kMpiInlineBytes travel in chunks of this size.
inline constexpr std::size_t kMpiChunkBytes = std::size_t{256} << 10;
inline constexpr std::size_t kMpiInlineBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMpiHeadBytes = 1024;

// A message that has been announced.
struct MpiIncoming {
  std::vector<std::byte> head;
  std::vector<std::byte> body;  // of a small message
  std::uint64_t body_bytes = 0;
  int tag = 0;  // of its chunks
};

class MpiEngine {
 public:
  static StatusOr<std::shared_ptr<MpiEngine>> Start(const WaitPolicy& policy);
  // In peace: tells the others that this rank leaves, and finalises.
  ~MpiEngine();

  int rank() const { return rank_; }
  int size() const { return size_; }
  const WaitPolicy& policy() const { return policy_; }

  // Sends the envelope. The tag for the chunks, or 0: the body went with it.
  StatusOr<int> SendEnvelope(int to,
                             std::uint32_t group,
                             std::span<const std::byte> head,
                             std::span<const std::byte> body);
  // Sends a copy of the chunk. `in_flight` counts those of one message.
  Status SendChunk(int to,
                   int tag,
                   std::span<const std::byte> chunk,
                   const std::shared_ptr<int>& in_flight);
  // Chunks that are not out yet. Under the engine's mutex.
  int InFlight(const std::shared_ptr<int>& in_flight) const;

  // The next message in a group's line from a rank, if it has come.
  std::optional<MpiIncoming> Next(std::uint32_t group, int from);

  Status StartReceive(int from,
                      int tag,
                      std::span<std::byte> to,
                      MPI_Request* request);
  StatusOr<bool> Test(MPI_Request* request);
  // Takes the memory of a receive back. After a second in vain nothing more
  // is asked of MPI, by anyone.
  void Cancel(MPI_Request* request);

  // Takes in what has come. True: something has.
  StatusOr<bool> Poll();

  void Abort(const Status& why);
  void FailGroup(std::uint32_t group,
                 std::span<const int> members,
                 const GroupFailure& failure);
  // An error when another rank failed in the group or gave up, or one of
  // `needed` has left.
  Status Check(std::uint32_t group,
               std::span<const int> needed,
               const Waiting& waiting);

 private:
  struct ControlHeader;
  struct Outgoing {
    std::vector<std::byte> bytes;
    MPI_Request request;
    std::shared_ptr<int> in_flight;  // may be null
  };
  // A receive that is always open, for envelopes or control messages.
  struct Mailbox {
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  MpiEngine(MPI_Comm comm, bool finalizes, const WaitPolicy& policy);

  // The following with the mutex held.
  Status Call(int code, const char* what);
  Status Send(int to,
              int tag,
              std::vector<std::byte> bytes,
              std::shared_ptr<int> in_flight);
  Status Open(Mailbox* box, int tag);
  // The mailbox's message, if one has come; opens it again.
  StatusOr<std::optional<std::vector<std::byte>>> Collect(Mailbox* box,
                                                          int tag);
  StatusOr<bool> CollectEnvelopes();
  StatusOr<bool> CollectControl();
  Status Reap();
  void TakeEnvelope(std::span<const std::byte> bytes);
  void TakeControl(std::span<const std::byte> bytes);
  void SendToAll(const ControlHeader& header, const std::string& text);
  void SendControl(int to,
                   const ControlHeader& header,
                   const std::string& text);
  bool Finished();
  void Leave();

  const WaitPolicy policy_;
  MPI_Comm comm_;
  bool finalizes_;
  int rank_ = 0;
  int size_ = 0;

  mutable std::mutex mutex_;
  Status broken_;
  bool silent_ = false;  // a request hangs: no more calls of MPI
  std::deque<Mailbox> envelopes_;
  std::deque<Mailbox> control_;
  std::list<Outgoing> outgoing_;
  std::vector<std::uint32_t> sent_;  // messages, by rank
  std::map<std::pair<std::uint32_t, int>, std::deque<MpiIncoming>> inboxes_;
  bool gave_up_ = false;  // this rank
  GroupFailures failures_;
  std::optional<int> failed_;
  std::string why_;
  std::vector<bool> left_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MPI_MPI_ENGINE_H_
