#include "gyre/collectives/grpc/queue_driver.h"

#include <algorithm>
#include <chrono>

#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {

void QueueDriver::Wait(std::unique_lock<std::mutex>& lock,
                       EventInbox* inbox,
                       std::int64_t until_ns,
                       std::vector<StreamEvent>& events) {
  const std::uint64_t seen = shared_events_;
  while (true) {
    if (inbox != nullptr && (inbox->woken || !inbox->events.empty())) {
      inbox->woken = false;
      events.swap(inbox->events);
      return;
    }
    const std::int64_t left = until_ns - NowNanos();
    if (shared_events_ != seen || left <= 0) return;
    if (driven_) {
      ++waiters_;
      changed_.wait_for(lock, std::chrono::nanoseconds(left));
      --waiters_;
      continue;
    }
    driven_ = true;
    lock.unlock();
    void* tag = nullptr;
    bool ok = false;
    const auto got =
        queue_.AsyncNext(&tag, &ok, gpr_time_from_nanos(left, GPR_TIMESPAN));
    lock.lock();
    driven_ = false;
    if (got == ::grpc::CompletionQueue::GOT_EVENT) {
      Deliver(*static_cast<StreamTag*>(tag), ok);
    }
    // One of them takes the queue over, or finds its events.
    if (waiters_ > 0) changed_.notify_all();
  }
}

void QueueDriver::Deliver(const StreamTag& tag, bool ok) {
  const StreamEvent event = {tag.stream, tag.op, ok};
  if (EventInbox* const inbox = tag.stream->inbox; inbox != nullptr) {
    if (inbox->at_once(event)) {
      inbox->woken = true;
    } else {
      inbox->events.push_back(event);
    }
    if (tag.op == StreamOp::kRead && !ok) data_ended_(event);
    return;
  }
  ++shared_events_;
  shared_(event);
}

}  // namespace gyre::internal::inline collectives
