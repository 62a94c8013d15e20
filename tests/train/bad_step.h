// A run that has one bad step, kept as evidence: for tests of what is made of
// it.

#ifndef GYRE_TESTS_TRAIN_BAD_STEP_H_
#define GYRE_TESTS_TRAIN_BAD_STEP_H_

#include <cmath>
#include <string>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/monitor/run_directory.h"
#include "gyre/train/replay/evidence.h"
#include "gyre/train/run/loop.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {

inline constexpr std::int64_t kBadStep = 3;

// Targets above 0, but for one of `bad_rank` in the bad step.
class BadTargetSource final : public BatchSource {
 public:
  BadTargetSource(int rank, int ranks, int bad_rank)
      : source_(rank, ranks), bad_(rank == bad_rank) {}

  StatusOr<SampleBatch> Load(std::int64_t step) override {
    GYRE_ASSIGN_OR_RETURN(SampleBatch batch, source_.Load(step));
    for (float& y : batch.tensors.at("y").data<float>()) y = std::abs(y) + 1;
    if (bad_ && step == kBadStep) batch.tensors.at("y").data<float>()[1] = -2;
    return batch;
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }
  std::string SampleName(std::int64_t id) const override {
    return Cat("sample ", id);
  }

 private:
  LineSource source_;
  bool bad_;
};

// log of what is negative once.
inline LineOptions LogOptions() {
  LineOptions options;
  options.loss = [](Var pred, const BatchVars& b) {
    return mean(square(pred - log(b["y"])));
  };
  return options;
}

// Six steps on `ranks` ranks, of which step kBadStep is bad on the last.
inline Status TrainWithBadStep(const std::string& path,
                               int ranks,
                               const CaptureLimits& limits = {},
                               const LineOptions& options = LogOptions()) {
  LocalWorld world(ranks);
  return world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          RunDirectory::Create(path, comm.rank()));
    BadTargetSource source(comm.rank(), ranks, ranks - 1);
    return RunTraining(*step, source, run, {.steps = 6, .capture = limits})
        .status();
  });
}

inline std::string BadStepFolder(const std::string& path) {
  return path + "/evidence/" + StepName(kBadStep);
}

// The manifest with a change in it.
inline Status ChangeManifest(const std::string& folder,
                             std::string_view key,
                             Json value) {
  const std::string path = folder + "/manifest.json";
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  GYRE_ASSIGN_OR_RETURN(Json json, Json::Parse(text, path));
  json.Set(key, std::move(value));
  return WriteFileAtomically(path, json.Pretty());
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_TRAIN_BAD_STEP_H_
