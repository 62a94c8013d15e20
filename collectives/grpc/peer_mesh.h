// All ranks of a world as one of them sees them: a control stream with each,
// by which it learns who is there, lost, gone in peace or giving up; and the
// data streams that others dial.
//
// The higher rank of a pair dials the lower one. A rank whose control stream
// ends without a word is lost: its process or its connection is gone.

#ifndef GYRE_COLLECTIVES_GRPC_PEER_MESH_H_
#define GYRE_COLLECTIVES_GRPC_PEER_MESH_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gyre/collectives/describe.h"
#include "gyre/collectives/grpc/control_message.h"
#include "gyre/collectives/grpc/endpoint.h"
#include "gyre/collectives/grpc/queue_driver.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// One rank, and where to dial it.
struct PeerAddress {
  std::string target;       // "ipv4:10.0.0.2:41234"
  std::string description;  // "its process (812 on node3)", or empty
};

struct MeshOptions {
  int rank = 0;
  std::vector<PeerAddress> peers;  // by rank, this one included
  std::string token;
  std::int64_t deadline_ns = 0;
};

class PeerMesh {
 public:
  struct Incoming {
    int rank;
    std::unique_ptr<ServerStream> stream;
  };

  // `early`: streams that were dialed before the mesh was there.
  PeerMesh(MeshOptions options,
           std::unique_ptr<Endpoint> endpoint,
           std::vector<std::unique_ptr<ServerStream>> early = {});
  // Goes in peace, after Leave; else without a word.
  ~PeerMesh();

  // Meets all others. Errors: one refused, or did not come in time.
  Status Connect();
  // Tells the others, and waits until they have taken all that was sent, for
  // no longer than the deadline.
  void Leave();

  int rank() const { return options_.rank; }
  int size() const { return static_cast<int>(peers_.size()); }
  std::int64_t deadline_ns() const { return options_.deadline_ns; }
  QueueDriver& driver() { return driver_; }

  // An error in a process that was forked off: gRPC does not work there.
  Status CheckProcess() const;

  // The following take the driver's mutex themselves.

  // An error when a rank failed in the group and that concerns who waits for
  // `needed`.
  Status CheckGroup(std::uint32_t group,
                    std::span<const int> needed,
                    const Waiting& waiting);
  // An error when a rank gave up or is lost, or one of `needed` has left, and
  // all that it sent is in.
  Status Check(std::span<const int> needed, const Waiting& waiting);
  // "last seen in step 412, forward", or that nothing is known.
  std::string LastSeen(int rank);
  void Abort(const Status& why);
  void FailGroup(std::uint32_t group,
                 std::span<const int> members,
                 const GroupFailure& failure);
  void SetActivity(std::int64_t step, std::string_view what);

  // The streams that others have dialed for `group`, from ranks that are
  // `wanted`; they report to `inbox` from now on.
  std::vector<Incoming> TakeIncoming(
      std::uint32_t group,
      EventInbox* inbox,
      const std::function<bool(int rank)>& wanted);

  // For these, the driver's mutex must be held.

  // A stream that nobody needs any more: it goes when all of it has ended.
  void Retire(std::unique_ptr<Stream> stream);
  std::unique_ptr<ClientStream> DialData(int rank,
                                         std::uint32_t group,
                                         EventInbox* inbox);
  // It was given up before it started; the other one will not see it.
  void ForgetDial(int rank) { --peers_[rank].dialed; }

 private:
  enum class State { kAbsent, kHere, kLeft, kLost };
  struct Peer {
    State state = State::kAbsent;
    std::int64_t gone_ns = 0;  // since when it has left or is lost
    std::shared_ptr<::grpc::Channel> channel;
    std::unique_ptr<Stream> control;
    bool writable = false;  // the stream has started, and has not ended
    std::deque<ControlMessage> outbox;
    bool activity_due = false;
    // Data streams that this rank has dialed; that the other one has dialed,
    // and of these, how many are not yet read to their end.
    std::int64_t dialed = 0;
    std::int64_t accepted = 0;
    std::int64_t open = 0;
    std::int64_t announced = -1;  // how many it has dialed, told as it leaves
    bool acknowledged = false;    // to the other one, that it may go
    bool left_acknowledged = false;  // by the other one, that this rank may
    std::int64_t step = 0;           // + 1; 0: none
    std::string activity;
    std::string trouble;  // why it is lost
  };

  void OnEvent(const StreamEvent& event);
  void Admit(std::unique_ptr<ServerStream> stream);
  void OnControl(int rank, const StreamEvent& event);
  void OnControlMessage(int rank, const ControlMessage& message);
  void OnControlEnd(int rank, const std::string& why);
  void OnRetired(const StreamEvent& event);
  void OnDataEnd(Stream& stream);
  bool AllIn(const Peer& peer) const {
    return peer.announced >= 0 && peer.accepted >= peer.announced &&
           peer.open == 0;
  }
  void Acknowledge(int rank);

  ::grpc::Channel& ChannelTo(int rank);
  void Post(int rank, ControlMessage message);
  void PostAll(const ControlMessage& message);
  void Pump(int rank);
  void FlushActivity();
  // Waits until what was posted to these ranks is out, or `for_ns` are over.
  void Flush(std::unique_lock<std::mutex>& lock,
             std::span<const int> ranks,
             std::int64_t for_ns);
  void TellAbort(std::unique_lock<std::mutex>& lock);
  std::vector<int> RanksIn(State state) const;
  // Works until `done` or `until_ns`. True: done.
  bool WorkUntil(std::unique_lock<std::mutex>& lock,
                 std::int64_t until_ns,
                 const std::function<bool()>& done);

  MeshOptions options_;
  int pid_;
  std::unique_ptr<Endpoint> endpoint_;
  QueueDriver driver_;
  std::vector<Peer> peers_;
  std::map<const Stream*, int> control_of_;
  std::map<std::uint32_t, std::vector<Incoming>> incoming_;
  std::map<const Stream*, std::unique_ptr<Stream>> retired_;

  GroupFailures failures_;
  std::optional<int> gave_up_;  // the first rank of which this one heard
  std::string gave_up_why_;
  bool abort_told_ = false;
  bool leaving_ = false;
  std::int64_t step_ = 0;
  std::string activity_;
  bool activity_dirty_ = false;
  std::int64_t activity_sent_ns_ = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_PEER_MESH_H_
