// AverageCheckpoints of train/checkpoint/weights.h.

#include <algorithm>
#include <span>

#include "gyre/mesh/shared_outcome.h"
#include "gyre/train/checkpoint/checkpoint_files.h"
#include "gyre/train/checkpoint/weight_list.h"
#include "gyre/train/checkpoint/weights.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/whole_state.h"

namespace gyre {

using namespace internal;

namespace {

// A checkpoint's tensor, of either kind.
StatusOr<Tensor> TensorOf(const TensorsByName& tensors,
                          const Weight& weight,
                          const std::string& folder) {
  for (const char* kind : {"params/", "buffers/"}) {
    const auto found = tensors.find(kind + weight.name);
    if (found == tensors.end()) continue;
    return Fit(weight, found->first, found->second, false);
  }
  return CheckpointError(folder,
                         ": no tensor \"",
                         weight.name,
                         "\"; the checkpoint is of another model");
}

// Adds this rank's part of a checkpoint's weights, laid out as
// StateArrays::all().
Status AddCheckpoint(const std::string& path,
                     const TrainStep& step,
                     std::span<double> sums) {
  GYRE_ASSIGN_OR_RETURN(const std::string place, PlaceOfCheckpoint(path));
  const std::string folder = FolderAt(path, place);
  GYRE_ASSIGN_OR_RETURN(const Json manifest, ReadManifest(folder));
  GYRE_ASSIGN_OR_RETURN(const TensorsByName tensors,
                        ReadVerified(folder, manifest));
  std::vector<float> own;
  for (const Weight& weight : WeightsOf(step)) {
    GYRE_ASSIGN_OR_RETURN(const Tensor whole,
                          TensorOf(tensors, weight, folder));
    own.resize(weight.size);
    TakeOwn(step.mesh(), weight.part, whole, own);
    for (std::size_t i = 0; i < own.size(); ++i) {
      sums[weight.offset + i] += own[i];
    }
  }
  return OkStatus();
}

StatusOr<std::vector<float>> MeanOf(const std::vector<std::string>& checkpoints,
                                    const TrainStep& step) {
  if (checkpoints.empty()) {
    return ConfigError("AverageCheckpoints needs at least one checkpoint");
  }
  const std::span<const float> now = step.state().front().all();
  std::vector<float> mean(now.begin(), now.end());
  std::vector<double> sums(now.size());
  for (const std::string& path : checkpoints) {
    GYRE_RETURN_IF_ERROR(AddCheckpoint(path, step, sums));
  }
  const auto count = static_cast<double>(checkpoints.size());
  for (const Weight& weight : WeightsOf(step)) {
    for (std::size_t i = 0; i < weight.size; ++i) {
      mean[weight.offset + i] =
          static_cast<float>(sums[weight.offset + i] / count);
    }
  }
  return mean;
}

}  // namespace

Status AverageCheckpoints(const std::vector<std::string>& checkpoints,
                          TrainStep& step) {
  const StatusOr<std::vector<float>> mean = MeanOf(checkpoints, step);
  GYRE_RETURN_IF_ERROR(
      OutcomeOfAll(mean.status(), step.mesh().world(), "checkpoints averaged"));
  return PutInPlace(step, *mean);
}

}  // namespace gyre
