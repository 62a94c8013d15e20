#include "gyre/mesh/lane.h"

#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <numeric>
#include <vector>

namespace gyre {

using namespace internal;

namespace internal {

struct LaneRequest {
  CollectiveKind kind = CollectiveKind::kBarrier;
  const void* in = nullptr;
  void* out = nullptr;
  std::size_t count = 0;
  DType dtype = DType::kU8;
  ReduceOp op = ReduceOp::kSum;
  int root = 0;
  CallSite site = {};
};

// What was asked for, and what became of it. Used again when its handle is
// gone.
struct LaneSlot {
  LaneRequest request;
  std::vector<int> sources;  // of a permute

  bool done = false;
  bool held = false;  // by a handle
  Status status;
  std::vector<ControlRecord> records;
  LaneSlot* next = nullptr;  // in the queue, or in the list of free slots
};

// Shared by the lane, its thread and its handles. A slot's request is the
// thread's while it is queued, and its results are the handle's once it is
// done; everything else is under the mutex.
struct LaneState {
  std::mutex mutex;
  std::condition_variable posted;
  std::condition_variable finished;
  std::deque<LaneSlot> slots;  // never moved
  LaneSlot* free = nullptr;
  LaneSlot* first = nullptr;  // of the queue
  LaneSlot* last = nullptr;
  bool closed = false;

  LaneSlot& Take();
  void Enqueue(LaneSlot& slot);
  // Blocks; null when the lane is closed and nothing is left.
  LaneSlot* Next();
  void Finish(LaneSlot& slot);
  void Drop(LaneSlot& slot);
  void Recycle(LaneSlot& slot);
};

LaneSlot& LaneState::Take() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (free == nullptr) return slots.emplace_back();
  LaneSlot& slot = *free;
  free = slot.next;
  slot.next = nullptr;
  return slot;
}

void LaneState::Enqueue(LaneSlot& slot) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    slot.done = false;
    slot.held = true;
    (last == nullptr ? first : last->next) = &slot;
    last = &slot;
  }
  posted.notify_one();
}

LaneSlot* LaneState::Next() {
  std::unique_lock<std::mutex> lock(mutex);
  posted.wait(lock, [&] { return first != nullptr || closed; });
  LaneSlot* const slot = first;
  if (slot == nullptr) return nullptr;
  first = slot->next;
  if (first == nullptr) last = nullptr;
  slot->next = nullptr;
  return slot;
}

void LaneState::Finish(LaneSlot& slot) {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    slot.done = true;
    if (!slot.held) Recycle(slot);
  }
  finished.notify_all();
}

void LaneState::Drop(LaneSlot& slot) {
  const std::lock_guard<std::mutex> lock(mutex);
  slot.held = false;
  if (slot.done) Recycle(slot);
}

void LaneState::Recycle(LaneSlot& slot) {
  slot.next = free;
  free = &slot;
}

namespace {

Status Call(Communicator& comm, const LaneSlot& slot) {
  const LaneRequest& r = slot.request;
  switch (r.kind) {
    case CollectiveKind::kAllReduce:
      return comm.AllReduce(r.in, r.out, r.count, r.dtype, r.op, r.site);
    case CollectiveKind::kReduceScatter:
      return comm.ReduceScatter(r.in, r.out, r.count, r.dtype, r.op, r.site);
    case CollectiveKind::kAllGather:
      return comm.AllGather(r.in, r.out, r.count, r.dtype, r.site);
    case CollectiveKind::kBroadcast:
      return comm.Broadcast(r.out, r.count, r.dtype, r.root, r.site);
    case CollectiveKind::kAllToAll:
      return comm.AllToAll(r.in, r.out, r.count, r.dtype, r.site);
    case CollectiveKind::kPermute:
      return comm.Permute(r.in, r.out, r.count, r.dtype, slot.sources, r.site);
    default:
      return comm.Barrier(r.site);
  }
}

// Signals are for the threads of the program.
void BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

void Serve(Communicator& comm, LaneState& state) {
  BlockSignals();
  while (LaneSlot* const slot = state.Next()) {
    slot->status = Call(comm, *slot);
    if (slot->status.ok()) {
      const auto records = comm.records();
      slot->records.assign(records.begin(), records.end());
    }
    state.Finish(*slot);
  }
}

}  // namespace
}  // namespace internal

using internal::LaneSlot;
using internal::LaneState;

Handle::Handle(Handle&& other) noexcept
    : state_(std::move(other.state_)),
      slot_(std::exchange(other.slot_, nullptr)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this == &other) return *this;
  Release();
  state_ = std::move(other.state_);
  slot_ = std::exchange(other.slot_, nullptr);
  return *this;
}

Handle::~Handle() { Release(); }

void Handle::Release() {
  if (slot_ != nullptr) state_->Drop(*slot_);
  slot_ = nullptr;
  state_.reset();
}

Status Handle::Wait() {
  if (slot_ == nullptr) return OkStatus();
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->finished.wait(lock, [&] { return slot_->done; });
  return slot_->status;
}

bool Handle::done() const {
  if (slot_ == nullptr) return true;
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return slot_->done;
}

std::span<const ControlRecord> Handle::records() const {
  if (slot_ == nullptr || !done() || !slot_->status.ok()) return {};
  return slot_->records;
}

StatusOr<std::unique_ptr<Lane>> Lane::Create(Communicator& comm,
                                             const CallSite& site) {
  std::vector<int> all(comm.size());
  std::iota(all.begin(), all.end(), 0);
  GYRE_ASSIGN_OR_RETURN(std::unique_ptr<Communicator> own,
                        comm.Split(all, site));
  return std::unique_ptr<Lane>(new Lane(std::move(own)));
}

Lane::Lane(std::unique_ptr<Communicator> comm)
    : comm_(std::move(comm)), state_(std::make_shared<LaneState>()) {
  thread_ = std::thread([this] { internal::Serve(*comm_, *state_); });
}

Lane::~Lane() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->closed = true;
  }
  state_->posted.notify_one();
  thread_.join();
}

Handle Lane::Post(const internal::LaneRequest& request,
                  std::span<const int> sources) {
  LaneSlot& slot = state_->Take();
  slot.request = request;
  slot.sources.assign(sources.begin(), sources.end());
  state_->Enqueue(slot);
  return Handle(state_, &slot);
}

Handle Lane::AllReduce(const void* in,
                       void* out,
                       std::size_t count,
                       DType dtype,
                       ReduceOp op,
                       const CallSite& site) {
  return Post({.kind = CollectiveKind::kAllReduce,
               .in = in,
               .out = out,
               .count = count,
               .dtype = dtype,
               .op = op,
               .site = site});
}

Handle Lane::ReduceScatter(const void* in,
                           void* out,
                           std::size_t count,
                           DType dtype,
                           ReduceOp op,
                           const CallSite& site) {
  return Post({.kind = CollectiveKind::kReduceScatter,
               .in = in,
               .out = out,
               .count = count,
               .dtype = dtype,
               .op = op,
               .site = site});
}

Handle Lane::AllGather(const void* in,
                       void* out,
                       std::size_t count,
                       DType dtype,
                       const CallSite& site) {
  return Post({.kind = CollectiveKind::kAllGather,
               .in = in,
               .out = out,
               .count = count,
               .dtype = dtype,
               .site = site});
}

Handle Lane::Broadcast(void* data,
                       std::size_t count,
                       DType dtype,
                       int root,
                       const CallSite& site) {
  return Post({.kind = CollectiveKind::kBroadcast,
               .out = data,
               .count = count,
               .dtype = dtype,
               .root = root,
               .site = site});
}

Handle Lane::AllToAll(const void* in,
                      void* out,
                      std::size_t count,
                      DType dtype,
                      const CallSite& site) {
  return Post({.kind = CollectiveKind::kAllToAll,
               .in = in,
               .out = out,
               .count = count,
               .dtype = dtype,
               .site = site});
}

Handle Lane::Permute(const void* in,
                     void* out,
                     std::size_t count,
                     DType dtype,
                     std::span<const int> sources,
                     const CallSite& site) {
  return Post({.kind = CollectiveKind::kPermute,
               .in = in,
               .out = out,
               .count = count,
               .dtype = dtype,
               .site = site},
              sources);
}

Handle Lane::Barrier(const CallSite& site) {
  return Post({.kind = CollectiveKind::kBarrier, .site = site});
}

}  // namespace gyre
