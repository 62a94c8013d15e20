// Steps of the large perceptron on the ranks that it is launched on, each with
// a batch of its own size: weak scaling, and what overlap and cut states do.
//
//   mesh_bench                                       # one rank alone
//   gyre launch -n 2 -- mesh_bench --bucket-mib 4
//   gyre launch -n 2 -- mesh_bench --shard-states
//
// Rank 0 prints medians of a step, of waiting for the reduction, and the bytes
// that it keeps.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/flags.h"
#include "gyre/core/rng.h"
#include "gyre/models/losses.h"
#include "gyre/models/mlp.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/schedule.h"
#include "gyre/runtime/run_main.h"
#include "gyre/train/step/step_program.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline tests {
namespace {

struct Options {
  std::int64_t batch = 256;  // of each rank
  std::int64_t width = 1024;
  std::int64_t layers = 5;
  std::int64_t steps = 40;
  std::int64_t bucket_mib = -1;  // -1: as the step decides
  bool shard_states = false;
};

Tensor Random(const Shape& shape, std::uint32_t stream) {
  Tensor tensor(DType::kF32, shape);
  const Rng rng({.seed = 1, .step = 0, .stream = stream});
  const std::span<float> values = tensor.data<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(rng.Normal(i));
  }
  return tensor;
}

StatusOr<std::unique_ptr<TrainStep>> Compile(const Mesh& mesh,
                                             const Options& options,
                                             const SampleBatch& batch) {
  const std::vector<std::int64_t> widths(options.layers, options.width);
  std::optional<std::size_t> bucket_bytes;
  if (options.bucket_mib >= 0) bucket_bytes = options.bucket_mib << 20;
  return TrainStep::Compile(
      {.mesh = mesh,
       .model = [widths](Params& p,
                         const BatchVars& b) { return Mlp{widths}(p, b["x"]); },
       .loss = [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
       .optimizer =
           optim::Chain(optim::Guard{.max_norm = 1}, optim::AdamW(1e-3)),
       .example = batch,
       .shard_states = options.shard_states,
       .bucket_bytes = bucket_bytes});
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Status Run(World& world, const Options& options) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(world.comm(), {{"data", -1}}));
  SampleBatch batch;
  const Shape shape({options.batch, options.width});
  const auto rank = static_cast<std::uint32_t>(world.rank());
  batch.tensors = {{"x", Random(shape, 2 * rank)},
                   {"y", Random(shape, 2 * rank + 1)}};
  GYRE_ASSIGN_OR_RETURN(const auto step, Compile(mesh, options, batch));
  std::vector<double> seconds, waiting;
  constexpr int kWarmUp = 5;
  for (std::int64_t i = 0; i < kWarmUp + options.steps; ++i) {
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    if (i < kWarmUp) continue;
    seconds.push_back(report.seconds);
    waiting.push_back(report.reduce_seconds);
  }
  if (world.rank() != 0) return OkStatus();
  const double mib = 1.0 / (1 << 20);
  std::printf(
      "%d ranks, %s: step %.3f ms, waiting for the reduction %.3f ms; "
      "parameters and states %.1f MiB, gradient %.1f MiB, activations %.1f "
      "MiB\n",
      world.size(),
      std::string(world.comm().backend()).c_str(),
      1e3 * Median(seconds),
      1e3 * Median(waiting),
      2 * step->state().front().all().size_bytes() * mib,
      step->state().layout().bytes() * mib,
      step->program().plan().memory().arena_bytes * mib);
  return OkStatus();
}

}  // namespace
}  // namespace gyre::internal::inline tests

int main(int argc, char** argv) {
  gyre::Options options;
  gyre::Flags flags("mesh_bench", "Times steps of a large perceptron.");
  flags.Add("batch", &options.batch, "samples of each rank");
  flags.Add("width", &options.width, "features of a layer");
  flags.Add("layers", &options.layers, "number of layers");
  flags.Add("steps", &options.steps, "steps that are timed");
  flags.Add(
      "bucket-mib", &options.bucket_mib, "size of a bucket; 0: one piece");
  flags.Add("shard-states", &options.shard_states, "cut optimizer states");
  const auto parsed = flags.Parse(argc, argv);
  if (parsed.ok() && *parsed == gyre::ParseResult::kHelpShown) return 0;
  return gyre::RunMain([&](gyre::World& world) -> gyre::Status {
    GYRE_RETURN_IF_ERROR(parsed.status());
    return gyre::Run(world, options);
  });
}
