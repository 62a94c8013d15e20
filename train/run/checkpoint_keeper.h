// The checkpoints of a run that is going on: when one is taken, all ranks are
// compared first (train/step/consistency.h), rank 0 writes in the background,
// and what became of it is an event. One that cannot be written is the error of
// all ranks: of the next Take or Finish, or, where Poll finds it, of the next
// step (train/run/loop.cc).

#ifndef GYRE_TRAIN_RUN_CHECKPOINT_KEEPER_H_
#define GYRE_TRAIN_RUN_CHECKPOINT_KEEPER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/checkpoint/carried_state.h"
#include "gyre/train/checkpoint/checkpoint_writer.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/records/recorder.h"
#include "gyre/train/run/hook_list.h"
#include "gyre/train/step/consistency.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

// What ends a run whose ranks differ.
Status DesyncError(const Desync& desync);

class CheckpointKeeper {
 public:
  CheckpointKeeper(TrainStep& step,
                   const BatchSource& source,
                   const RunDirectory& run,
                   Recorder& recorder,
                   std::vector<CarriedState> carried,
                   HookList& hooks,
                   HookContext& context,
                   std::int64_t keep);

  // Between steps: tells of the one that is done by now, or its error, which
  // the other ranks do not know yet.
  Status Poll();

  // Takes the state as it is now. Waits for the one before, if that is still
  // being written. Collective. Errors: of the one before; ranks that differ.
  Status Take();
  // The next one that is taken gets these links, too.
  void AddLinks(std::vector<std::string> links) { links_ = std::move(links); }

  // Waits, on all ranks, until all is on the disk. Collective.
  Status Finish();

  // The same of rank 0 alone in a run that ends by another error: what fails
  // here is a warning and an event.
  void FinishAfter(const Status& error);

 private:
  Status Tell(const CheckpointWriter::Outcome& outcome);
  Status FinishOwn();

  TrainStep& step_;
  const BatchSource& source_;
  Recorder& recorder_;
  const std::vector<CarriedState> carried_;
  HookList& hooks_;
  HookContext& context_;
  std::vector<std::string> links_;
  std::optional<CheckpointWriter> writer_;  // on rank 0
  double waited_s_ = 0;  // for the one before, before this one was taken
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_RUN_CHECKPOINT_KEEPER_H_
