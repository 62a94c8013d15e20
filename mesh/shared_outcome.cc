#include "gyre/mesh/shared_outcome.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "gyre/core/signals_blocked.h"

namespace gyre::internal::inline mesh {
namespace {

// How often a rank that works tells the others that it does: well within any
// deadline that makes sense.
constexpr std::chrono::milliseconds kSignOfLife{500};

// A rank's outcome as it travels; its text comes behind it.
struct OutcomeHead {
  std::int64_t state = 0;  // one of kGood, kFailed, kBusy
  std::int64_t kind = 0;   // of the error
  std::int64_t code = 0;
  std::int64_t bytes = 0;  // of the text
};
constexpr std::int64_t kGood = 0, kFailed = 1, kBusy = 2;
constexpr std::size_t kHeadWords = sizeof(OutcomeHead) / sizeof(std::int64_t);

OutcomeHead HeadOf(const Status& status, std::size_t good_bytes) {
  if (status.ok()) {
    return {.state = kGood, .bytes = static_cast<std::int64_t>(good_bytes)};
  }
  return {.state = kFailed,
          .kind = static_cast<std::int64_t>(KindOf(status)),
          .code = static_cast<std::int64_t>(status.code()),
          .bytes = static_cast<std::int64_t>(Message(status).size())};
}

Status ErrorFrom(const OutcomeHead& head, std::string_view text) {
  return MakeError(static_cast<ErrorKind>(head.kind),
                   static_cast<absl::StatusCode>(head.code),
                   text);
}

// The text of `root` on all ranks.
StatusOr<std::string> TextOf(int root,
                             std::string mine,
                             std::int64_t bytes,
                             Communicator& world,
                             const CallSite& site) {
  mine.resize(static_cast<std::size_t>(bytes));
  GYRE_RETURN_IF_ERROR(
      world.Broadcast(mine.data(), mine.size(), DType::kU8, root, site));
  return mine;
}

// Work on a thread of its own, and its result when there is one.
class WorkBehind {
 public:
  explicit WorkBehind(const std::function<StatusOr<std::string>()>& work) {
    const AllSignalsBlocked blocked;
    try {
      thread_ = std::thread([this, &work] { Finish(work()); });
    } catch (const std::system_error& error) {
      Finish(InternalError("cannot start a thread: ", error.what()));
    }
  }
  ~WorkBehind() {
    if (thread_.joinable()) thread_.join();
  }

  // Waits for it, but not for long.
  std::optional<StatusOr<std::string>> WaitForSome() {
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait_for(lock, kSignOfLife, [&] { return result_.has_value(); });
    return result_;
  }

 private:
  void Finish(StatusOr<std::string> result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    result_ = std::move(result);
    done_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<StatusOr<std::string>> result_;
  std::thread thread_;
};

// Rank 0's side: works, and tells until it is done.
StatusOr<std::string> WorkAndTell(
    const std::function<StatusOr<std::string>()>& work,
    Communicator& world,
    const CallSite& site) {
  WorkBehind behind(work);
  std::optional<StatusOr<std::string>> result;
  while (!result.has_value()) {
    result = behind.WaitForSome();
    OutcomeHead head = {.state = kBusy};
    if (result.has_value()) {
      head = HeadOf(result->status(), result->ok() ? (*result)->size() : 0);
    }
    GYRE_RETURN_IF_ERROR(
        world.Broadcast(&head, kHeadWords, DType::kI64, 0, site));
  }
  const std::string text = result->ok() ? **result : Message(result->status());
  GYRE_RETURN_IF_ERROR(
      TextOf(0, text, static_cast<std::int64_t>(text.size()), world, site)
          .status());
  if (result->ok()) return *result;
  return Annotate(result->status(), "on rank 0: ");
}

// The others' side.
StatusOr<std::string> Hear(Communicator& world, const CallSite& site) {
  OutcomeHead head = {.state = kBusy};
  while (head.state == kBusy) {
    GYRE_RETURN_IF_ERROR(
        world.Broadcast(&head, kHeadWords, DType::kI64, 0, site));
  }
  GYRE_ASSIGN_OR_RETURN(std::string text,
                        TextOf(0, "", head.bytes, world, site));
  if (head.state == kGood) return text;
  return Annotate(ErrorFrom(head, text), "on rank 0: ");
}

}  // namespace

Status OutcomeOfAll(const Status& mine,
                    Communicator& world,
                    const char* label) {
  if (world.size() == 1) return mine;
  const CallSite site = {.label = label};
  const OutcomeHead own = HeadOf(mine, 0);
  std::vector<OutcomeHead> all(world.size());
  GYRE_RETURN_IF_ERROR(
      world.AllGather(&own, all.data(), kHeadWords, DType::kI64, site));
  int first = -1;
  int failed = 0;
  for (int r = 0; r < world.size(); ++r) {
    if (all[r].state == kGood) continue;
    if (first < 0) first = r;
    ++failed;
  }
  if (failed == 0) return OkStatus();
  if (failed == world.size()) return HeardByAll(mine, world);
  const bool ours = first == world.rank();
  GYRE_ASSIGN_OR_RETURN(
      const std::string text,
      TextOf(first, ours ? Message(mine) : "", all[first].bytes, world, site));
  return HeardByAll(
      Annotate(ErrorFrom(all[first], text), Cat("on rank ", first, ": ")),
      world);
}

void LeaveTogether(Communicator& world) {
  if (world.size() == 1) return;
  world.Barrier({.label = "an error is heard by all"}).IgnoreError();
}

Status HeardByAll(Status found, Communicator& world) {
  if (!found.ok()) LeaveTogether(world);
  return found;
}

StatusOr<std::string> OutcomeOfRankZero(
    const std::function<StatusOr<std::string>()>& work,
    Communicator& world,
    const char* label) {
  if (world.size() == 1) return work();
  const CallSite site = {.label = label};
  StatusOr<std::string> outcome =
      world.rank() == 0 ? WorkAndTell(work, world, site) : Hear(world, site);
  if (!outcome.ok()) return HeardByAll(outcome.status(), world);
  return outcome;
}

Status DoneByRankZero(const std::function<Status()>& work,
                      Communicator& world,
                      const char* label) {
  return OutcomeOfRankZero(
             [&]() -> StatusOr<std::string> {
               GYRE_RETURN_IF_ERROR(work());
               return std::string();
             },
             world,
             label)
      .status();
}

}  // namespace gyre::internal::inline mesh
