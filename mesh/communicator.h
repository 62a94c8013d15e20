// What ranks can say to each other. Implementations live in collectives/.
//
//   GYRE_RETURN_IF_ERROR(comm.AllReduce(grad, grad, n, DType::kF32,
//                                       ReduceOp::kSum,
//                                       {.label = "gradients"}));
//   for (const auto& record : comm.records()) flags |= record.note.flags;
//
// Every call is collective: all ranks of the group make the same calls in the
// same order, from the same line of the program. A rank that calls something
// else, from elsewhere, or with another label, type or count, gets an error,
// and so does its peer; both name both source lines. A call that cannot be
// carried out on one rank (arguments that cannot be, no memory) fails on all:
// the others are told which rank, which call and why, in the call that they
// wait in or make next.
//
// Sums follow one fixed order, a balanced binary tree over the ranks by index
// (numerics contract, N7): the same bits on every rank and every backend.
//   4 ranks: (r0 + r1) + (r2 + r3)      3 ranks: (r0 + r1) + r2
// The limit: a world of more than 16 ranks that talks by messages alone (grpc,
// mpi) sums around a ring, ((r0 + r1) + r2) + ...: the same bits on every rank,
// but not those of the tree. reduction_order() tells, and the run directory
// records it.
// bf16 and f16 are accumulated in f32 and rounded once. kMin and kMax let NaN
// through (N4). kMean is the sum divided by the number of ranks.
//
// WARNING 1: after an error the communicator is unusable; end the process.
// Only Allocate without enough memory, and Split with lists that do not fit,
// which are the same error on all ranks, leave it as it was.
// WARNING 2: `in` is never changed unless it is `out` as well. They are the
// same or do not overlap.
// WARNING 3: one thread drives one communicator.

#ifndef GYRE_MESH_COMMUNICATOR_H_
#define GYRE_MESH_COMMUNICATOR_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "gyre/core/source_loc.h"
#include "gyre/core/status.h"
#include "gyre/mesh/control_record.h"
#include "gyre/mesh/run_context.h"

namespace gyre {

// Who asks, for messages, and what travels beside the payload. Label and line
// must be the same on all ranks: calls that look alike but stand in two places
// are not taken for each other. Ranks that call from two branches give both
// the same `loc`.
struct CallSite {
  const char* label = "";  // "bucket 3: encoder.w1"; must outlive the call
  SourceLoc loc = SourceLoc::Current();  // where the CallSite is written
  std::int32_t bucket = -1;
  std::int64_t step = -1;
  internal::Note note = {};
};

// Memory of the communicator: a buffer in it is reduced without a copy.
// Freed with the last communicator of the world.
struct SharedBuffer {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string_view backend() const = 0;  // "local", "shm", ...
  // All ranks work in one memory: adding keeps their processors busy, and no
  // network waits that computing could hide.
  virtual bool shares_memory() const { return false; }

  // The same memory on every rank's side: collective, same `bytes` on all
  // ranks, zeroed, 64-byte aligned. Each rank gets its own block; peers read
  // and write it during collectives. An error when the machine has no more.
  virtual StatusOr<SharedBuffer> Allocate(std::size_t bytes,
                                          const CallSite& site) = 0;

  // count: elements of `in` and of `out`.
  virtual Status AllReduce(const void* in,
                           void* out,
                           std::size_t count,
                           DType dtype,
                           ReduceOp op,
                           const CallSite& site) = 0;
  // count: elements of `out`; `in` has size() times as many, and rank r gets
  // the r-th part of the reduction.
  virtual Status ReduceScatter(const void* in,
                               void* out,
                               std::size_t count,
                               DType dtype,
                               ReduceOp op,
                               const CallSite& site) = 0;
  // count: elements of `in`; `out` has size() times as many, by rank.
  virtual Status AllGather(const void* in,
                           void* out,
                           std::size_t count,
                           DType dtype,
                           const CallSite& site) = 0;
  // count: elements of `data`, on every rank; overwritten but on `root`.
  virtual Status Broadcast(void* data,
                           std::size_t count,
                           DType dtype,
                           int root,
                           const CallSite& site) = 0;
  // count: elements for each peer; part r of `in` goes to rank r, and part r
  // of `out` came from rank r.
  virtual Status AllToAll(const void* in,
                          void* out,
                          std::size_t count,
                          DType dtype,
                          const CallSite& site) = 0;
  // sources[r] is the rank that rank r receives from, or -1: `out` is then
  // zeroed. The same list on all ranks.
  virtual Status Permute(const void* in,
                         void* out,
                         std::size_t count,
                         DType dtype,
                         std::span<const int> sources,
                         const CallSite& site) = 0;
  virtual Status Barrier(const CallSite& site) = 0;

  // Every rank of this communicator calls it with the ranks of the group that
  // it belongs to, in the order that the group shall have; the groups of
  // different ranks are equal or disjoint. An empty list joins none and gives
  // null.
  virtual StatusOr<std::unique_ptr<Communicator>> Split(
      std::span<const int> ranks, const CallSite& site) = 0;

  // One record per rank, of the last collective that ended well. Valid until
  // the next call.
  virtual std::span<const internal::ControlRecord> records() const = 0;

  // What this rank is busy with ("forward"), for the message that another
  // rank gives when it waits in vain. Not collective, and cheap.
  virtual void SetActivity(std::int64_t /*step*/, std::string_view /*what*/) {}

  // This rank gives up, for `why`: the waits of all others end at once with
  // an error that names it. Not collective; the first of several counts.
  virtual void Abort(const Status& /*why*/) {}

  // How the order of summation is recorded in the run directory.
  virtual std::string_view reduction_order() const { return "tree"; }

  // How the run was started; RunMain says it to the world's communicator,
  // before any mesh is made.
  const RunContext& run_context() const { return run_context_; }
  void set_run_context(RunContext context) {
    run_context_ = std::move(context);
  }

 private:
  RunContext run_context_;
};

}  // namespace gyre

#endif  // GYRE_MESH_COMMUNICATOR_H_
