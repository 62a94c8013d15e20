#include "gyre/train/checkpoint/checkpoint_writer.h"

#include <system_error>
#include <utility>

#include "gyre/core/check.h"
#include "gyre/core/signals_blocked.h"
#include "gyre/train/checkpoint/checkpoint_rotation.h"

namespace gyre::internal::inline train {

CheckpointWriter::~CheckpointWriter() {
  if (thread_.joinable()) thread_.join();
}

void CheckpointWriter::Write(const CheckpointSnapshot& snapshot) {
  outcome_ = WriteCheckpoint(snapshot, run_);
  if (outcome_->ok()) {
    const Status rotated = RotateCheckpoints(run_.checkpoints(), keep_);
    if (!rotated.ok()) outcome_ = rotated;
  }
  done_ = true;
}

void CheckpointWriter::Begin(CheckpointSnapshot snapshot) {
  GYRE_CHECK(!thread_.joinable(), "a checkpoint is still being written");
  done_ = false;
  const AllSignalsBlocked blocked;
  try {
    thread_ = std::thread(
        [this, snapshot = std::move(snapshot)] { Write(snapshot); });
  } catch (const std::system_error& error) {
    outcome_ = CheckpointError("cannot start the thread that writes it: ",
                               error.what());
    done_ = true;
  }
}

CheckpointWriter::Outcome CheckpointWriter::Take() {
  if (thread_.joinable()) thread_.join();
  if (!outcome_.has_value()) return std::optional<CheckpointInfo>();
  const StatusOr<CheckpointInfo> outcome = *std::exchange(outcome_, {});
  GYRE_RETURN_IF_ERROR(outcome.status());
  return std::optional<CheckpointInfo>(*outcome);
}

CheckpointWriter::Outcome CheckpointWriter::Poll() {
  if (!done_) return std::optional<CheckpointInfo>();
  done_ = false;
  return Take();
}

CheckpointWriter::Outcome CheckpointWriter::Finish() {
  done_ = false;
  return Take();
}

}  // namespace gyre::internal::inline train
