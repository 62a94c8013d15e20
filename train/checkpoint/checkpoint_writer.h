// Writes checkpoints while training goes on.
//
//   CheckpointWriter writer(run, 5);
//   writer.Begin(*Snapshot(step));          // returns at once
//   ... steps ...
//   GYRE_ASSIGN_OR_RETURN(const auto done, writer.Poll());
//   if (done.has_value()) ...               // done->path, done->good
//   GYRE_ASSIGN_OR_RETURN(const auto last, writer.Finish());
//
// One at a time: who begins the next one asks for the outcome of the one
// before first. An outcome is told once, and never lost: it waits for Poll or
// Finish.

#ifndef GYRE_TRAIN_CHECKPOINT_CHECKPOINT_WRITER_H_
#define GYRE_TRAIN_CHECKPOINT_CHECKPOINT_WRITER_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "gyre/core/status.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/checkpoint/checkpoint.h"

namespace gyre::internal::inline train {

class CheckpointWriter {
 public:
  using Outcome = StatusOr<std::optional<CheckpointInfo>>;

  // Keeps the newest `keep` (train/checkpoint/checkpoint_rotation.h); 0: all.
  CheckpointWriter(RunDirectory run, std::int64_t keep)
      : run_(std::move(run)), keep_(keep) {}
  ~CheckpointWriter();  // waits
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // WARNING 1: not while one is being written: Finish() first.
  void Begin(CheckpointSnapshot snapshot);
  bool busy() const { return thread_.joinable(); }

  // The outcome of the one that is done; nothing: none is.
  Outcome Poll();
  // The same, after it is done.
  Outcome Finish();

 private:
  void Write(const CheckpointSnapshot& snapshot);
  Outcome Take();

  const RunDirectory run_;
  const std::int64_t keep_;
  std::thread thread_;
  std::atomic<bool> done_{false};
  std::optional<StatusOr<CheckpointInfo>> outcome_;  // the thread's, then ours
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_CHECKPOINT_CHECKPOINT_WRITER_H_
