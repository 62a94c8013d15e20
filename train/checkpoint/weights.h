// The weights of a model alone: out of a step into a safetensors file, and into
// a step from one, also from a file that PyTorch has written.
//
//   GYRE_RETURN_IF_ERROR(SaveWeights("model.safetensors", *step));
//
//   GYRE_ASSIGN_OR_RETURN(
//       const WeightReport report,
//       LoadWeights("resnet.safetensors", *step,
//                   {.names = {{"hidden.w", "net.0.weight"},
//                              {"hidden.b", "net.0.bias"}},
//                    .transposed = [](std::string_view name) {
//                      return name.ends_with(".w");
//                    }}));
//   std::cout << report.Describe() << "\n";
//
// PyTorch keeps the weight of a linear layer as (out, in), this library as
// (in, out): .transposed says which to turn. Convolutions have one layout in
// both. Numbers of f16, bf16 and f64 become f32.

#ifndef GYRE_TRAIN_CHECKPOINT_WEIGHTS_H_
#define GYRE_TRAIN_CHECKPOINT_WEIGHTS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/core/tensor.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

// Which tensor of a file belongs to which parameter or buffer.
struct WeightMap {
  // The model's names and the file's; the others are looked for under the
  // model's own name.
  std::map<std::string, std::string> names = {};
  // By the model's name: the file holds this matrix the other way round.
  std::function<bool(std::string_view name)> transposed = {};
};

struct WeightReport {
  std::vector<std::string> loaded;  // the model's names
  std::vector<std::string> left;    // of the model, as they were
  std::vector<std::string> unused;  // of the file
  std::string Describe() const;
};

// Puts tensors of a file into the step's parameters and buffers, on all ranks;
// the moments of the optimizer and the count of steps stay as they are.
// Collective: all ranks load the same or none does anything. Errors: a file
// that cannot be read; a name of the map that the model or the file does not
// have; another shape (both are named); no tensor that fits at all.
StatusOr<WeightReport> LoadWeights(const std::string& path,
                                   TrainStep& step,
                                   const WeightMap& map = {});

struct SaveWeightsOptions {
  WeightMap map = {};    // as for LoadWeights: what it loads, this writes back
  bool use_ema = false;  // the running mean that optim::TrackEma keeps
};

// Writes whole parameters and buffers, beside and renamed. Collective: rank 0
// writes, and all ranks return when the file is there.
Status SaveWeights(const std::string& path,
                   TrainStep& step,
                   const SaveWeightsOptions& options = {});

// Puts `value` in the place of a parameter or buffer, whole, f32. Collective.
// Errors: no such name; another shape.
Status SetParameter(TrainStep& step,
                    std::string_view name,
                    const Tensor& value);

// The mean of the parameters and buffers of several checkpoints of one model,
// which often forecasts better than the last of them (Izmailov et al.,
// "Averaging weights leads to wider optima", 2018), into the step. Collective.
// Errors as of LoadWeights; no checkpoint.
Status AverageCheckpoints(const std::vector<std::string>& checkpoints,
                          TrainStep& step);

}  // namespace gyre

#endif  // GYRE_TRAIN_CHECKPOINT_WEIGHTS_H_
