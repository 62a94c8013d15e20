// Takes what has ended out of the completion queue, and gives it to whom it
// concerns. There is no thread for it: whoever waits does it. Of several
// waiting threads one works on the queue, and the others sleep until it has
// something for them or hands the queue over.

#ifndef GYRE_COLLECTIVES_GRPC_QUEUE_DRIVER_H_
#define GYRE_COLLECTIVES_GRPC_QUEUE_DRIVER_H_

#include <grpcpp/completion_queue.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "gyre/collectives/grpc/stream.h"

namespace gyre::internal::inline collectives {

struct StreamEvent {
  Stream* stream = nullptr;
  StreamOp op = StreamOp::kStart;
  bool ok = false;
};

// What happens to the streams of one channel. What comes in is handled by the
// thread that drives the channel; what goes out goes on whoever is at the
// queue, so that it arrives while this rank waits in another channel. All of
// it is guarded by QueueDriver::mutex().
class EventInbox {
 public:
  // Handles an event at once, or returns false.
  std::function<bool(const StreamEvent&)> at_once;
  std::vector<StreamEvent> events;  // the others
  bool woken = false;               // something was handled at once
};

class QueueDriver {
 public:
  using Handler = std::function<void(const StreamEvent&)>;

  // Both are called under the mutex: `shared` for events of streams without an
  // inbox, `data_ended` when one with an inbox has been read to its end.
  QueueDriver(::grpc::CompletionQueue& queue,
              Handler shared,
              Handler data_ended)
      : queue_(queue),
        shared_(std::move(shared)),
        data_ended_(std::move(data_ended)) {}

  std::mutex& mutex() { return mutex_; }

  // Waits until something has happened to `inbox`, whose events are moved to
  // `events`, until something shared has, or until `until_ns` (NowNanos).
  // `lock` holds the mutex, before and after. Without an inbox: shared events
  // only.
  void Wait(std::unique_lock<std::mutex>& lock,
            EventInbox* inbox,
            std::int64_t until_ns,
            std::vector<StreamEvent>& events);

 private:
  void Deliver(const StreamTag& tag, bool ok);

  ::grpc::CompletionQueue& queue_;
  Handler shared_;
  Handler data_ended_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool driven_ = false;
  int waiters_ = 0;
  std::uint64_t shared_events_ = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_QUEUE_DRIVER_H_
