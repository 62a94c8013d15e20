// Collectives that go on while their caller computes.
//
//   GYRE_ASSIGN_OR_RETURN(const auto lane, Lane::Create(comm));
//   Handle a = lane->AllReduce(g0, g0, n0, DType::kF32, ReduceOp::kSum, {});
//   Handle b = lane->AllReduce(g1, g1, n1, DType::kF32, ReduceOp::kSum, {});
//   // Here the caller computes.
//   GYRE_RETURN_IF_ERROR(a.Wait());
//   for (const auto& record : a.records()) flags |= record.note.flags;
//
// A lane is a group of its own with the same ranks, and a thread that carries
// out what is posted, one after the other, in order. It works over every
// Communicator. An error of the thread (a late rank, a mismatch) comes out of
// Wait, on every rank; all that was posted after it fails as well. So does a
// call that is refused on one rank alone, for its arguments: on all of them.
//
// Posting takes no memory once a few handles have been in use.
//
// WARNING 1: all ranks post the same collectives in the same order. Calls on
// the communicator that the lane came from are independent of it.
// WARNING 2: `in` and `out` belong to the lane until Wait returns. A label
// and `sources` of Permute: the label must outlive the wait, sources are
// copied.
// WARNING 3: one thread posts to a lane; any thread may wait.
// WARNING 4: allocate shared buffers before the first post, or wait for all
// handles first: the memory of a communicator must not grow while a lane of
// it works.

#ifndef GYRE_MESH_LANE_H_
#define GYRE_MESH_LANE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre {

namespace internal {
struct LaneRequest;
struct LaneSlot;
struct LaneState;
}  // namespace internal

// One posted collective. Dropping a handle does not cancel it; if it fails,
// what is posted later tells.
class [[nodiscard]] Handle {
 public:
  Handle() = default;  // of nothing: done, and well
  Handle(Handle&& other) noexcept;
  Handle& operator=(Handle&& other) noexcept;
  ~Handle();

  // Until it is carried out. May be called again.
  Status Wait();
  bool done() const;
  // One record per rank, after Wait has returned ok; until the handle is
  // gone.
  std::span<const internal::ControlRecord> records() const;

 private:
  friend class Lane;
  Handle(std::shared_ptr<internal::LaneState> state, internal::LaneSlot* slot)
      : state_(std::move(state)), slot_(slot) {}
  void Release();

  std::shared_ptr<internal::LaneState> state_;
  internal::LaneSlot* slot_ = nullptr;
};

class Lane {
 public:
  // Collective over `comm`. The lane may outlive it, but not its world.
  static StatusOr<std::unique_ptr<Lane>> Create(Communicator& comm,
                                                const CallSite& site = {});

  // Carries out what was posted, as the other ranks do: it waits for them,
  // at most until the deadline. Handles that are left keep their results.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // As in mesh/communicator.h.
  Handle AllReduce(const void* in,
                   void* out,
                   std::size_t count,
                   DType dtype,
                   ReduceOp op,
                   const CallSite& site);
  Handle ReduceScatter(const void* in,
                       void* out,
                       std::size_t count,
                       DType dtype,
                       ReduceOp op,
                       const CallSite& site);
  Handle AllGather(const void* in,
                   void* out,
                   std::size_t count,
                   DType dtype,
                   const CallSite& site);
  Handle Broadcast(void* data,
                   std::size_t count,
                   DType dtype,
                   int root,
                   const CallSite& site);
  Handle AllToAll(const void* in,
                  void* out,
                  std::size_t count,
                  DType dtype,
                  const CallSite& site);
  Handle Permute(const void* in,
                 void* out,
                 std::size_t count,
                 DType dtype,
                 std::span<const int> sources,
                 const CallSite& site);
  Handle Barrier(const CallSite& site);

 private:
  explicit Lane(std::unique_ptr<Communicator> comm);
  Handle Post(const internal::LaneRequest& request,
              std::span<const int> sources = {});

  const std::unique_ptr<Communicator> comm_;  // the thread's, once it runs
  const std::shared_ptr<internal::LaneState> state_;
  std::thread thread_;
};

}  // namespace gyre

#endif  // GYRE_MESH_LANE_H_
