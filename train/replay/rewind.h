// A run that goes on from an earlier state of another one, without some of its
// samples.
//
// `gyre rewind` starts the program of the original run with its own arguments,
// and says in the variable GYRE_REWIND what is to be otherwise; no program
// needs code for it:
//
//   ResumePoint and RunTraining   begin from the checkpoint
//   StartRun                      writes into the new run directory
//   Sampler                       puts other samples in the place of those
//                                 that are left out
//   RunTraining                   compares the steps that must come out as
//                                 they did before, to the bit, and ends the
//                                 run where one does not (RewindCheck)
//
// WARNING 1: a source that maps positions to ids of its own must tell them to
// its sampler (SamplerOptions::ids).

#ifndef GYRE_TRAIN_REPLAY_REWIND_H_
#define GYRE_TRAIN_REPLAY_REWIND_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/train/context/rewind_request.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/records/recorder.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline train {

// Holds the steps of the new run against those of the original.
class RewindCheck {
 public:
  // Writes the event that says what has changed. Nothing to check: not a
  // rewound run. Errors: the step is not at the checkpoint that was asked for;
  // the original's metrics cannot be read.
  static StatusOr<std::optional<RewindCheck>> Begin(const TrainStep& step,
                                                    const BatchSource& source,
                                                    Recorder& recorder);

  // Before each step. Error: a sample that was to be left out.
  Status CheckSamples(const SampleBatch& batch) const;
  // After each. Error, on all ranks: another loss or norm than the original's.
  Status CheckStep(const StepReport& report, Recorder& recorder);

 private:
  struct Numbers {
    double loss = 0;
    double norm = 0;
  };

  RewindCheck(RewindRequest request, int rank)
      : request_(std::move(request)), rank_(rank) {}
  Status ReadOriginal();
  Status Tell(std::int64_t step, Json fields, Recorder& recorder) const;
  Status Diverged(const StepReport& report,
                  const Numbers& wanted,
                  Recorder& recorder);

  RewindRequest request_;
  int rank_;
  std::int64_t until_ = 0;  // steps before it are compared
  std::map<std::int64_t, Numbers> original_;
  std::int64_t compared_ = 0;
  bool done_ = false;
};

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_REPLAY_REWIND_H_
