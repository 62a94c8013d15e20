// A way for messages between all ranks of a world: gRPC, MPI, or the memory
// of one process. Gives a channel for each group.
//
// WARNING 1: Abort and SetActivity may be called from any thread, also while
// another one drives a channel. A transport outlives its channels.

#ifndef GYRE_COLLECTIVES_MESSAGE_TRANSPORT_H_
#define GYRE_COLLECTIVES_MESSAGE_TRANSPORT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gyre/collectives/group_failure.h"
#include "gyre/collectives/message/channel.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

class Transport {
 public:
  virtual ~Transport() = default;

  virtual std::string_view backend() const = 0;  // "grpc", "mpi", "local"
  virtual bool shares_memory() const { return false; }  // as of Communicator
  virtual int rank() const = 0;                         // in the world
  virtual int size() const = 0;

  // A channel for the group of `members` (ranks of the world, in the group's
  // order, this rank among them). `group` is the same number on all of them
  // and belongs to no other group of this world. Connections are made when
  // first used; opening sends nothing.
  virtual StatusOr<std::unique_ptr<MessageChannel>> Open(
      std::uint32_t group, std::span<const int> members) = 0;

  // This rank gives up: the Drive of every other rank ends with an error that
  // names it. Not collective; the first of several counts.
  virtual void Abort(const Status& why) = 0;

  // This rank does not go on in a group: Drive ends on the `members` whom it
  // concerns (Concerns, of group_failure.h), now or when they come to it. Told
  // beside the messages. Not collective; the first one of each rank counts.
  virtual void FailGroup(std::uint32_t group,
                         std::span<const int> members,
                         const GroupFailure& failure) = 0;

  // What this rank is busy with, told to others when they wait in vain.
  virtual void SetActivity(std::int64_t step, std::string_view what) = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_TRANSPORT_H_
