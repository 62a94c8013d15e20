// A whole training as one call, in the one right order: mesh, data, compile,
// resume point, run directory, loop.
//
//   int main() {
//     return RunMain([](World& world) {
//       return Train(world, {
//           .data = FunctionDataset({.samples = 256, .batch = 16}, Points),
//           .model = [](Params& p, const BatchVars& b) {
//             return Mlp{{16, 1}}(p, b["x"]);
//           },
//           .loss = LogLoss,
//           .optimizer = optim::Chain(optim::Guard{.max_norm = 1},
//                                     optim::Adam(1e-2)),
//           .run = {.directory = "runs/first", .steps = 300}});
//     });
//   }
//
// A program that wants another mesh than one axis "data" over all ranks, or
// something between these steps, writes them out: Train is nothing but
// Mesh::Create, Sampler::Create, TrainStep::Compile, ResumePoint,
// LoadCheckpoint, StartRun and RunTraining.

#ifndef GYRE_RUNTIME_TRAIN_H_
#define GYRE_RUNTIME_TRAIN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gyre/collectives/world.h"
#include "gyre/core/status.h"
#include "gyre/mesh/mesh.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/data/function_source.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/step/train_step.h"

namespace gyre {

// Makes the source of a rank's batches, once its mesh is known.
using Dataset =
    std::function<StatusOr<std::unique_ptr<BatchSource>>(const Mesh& mesh)>;

// Returns a data set whose samples `load` makes from their ids.
Dataset FunctionDataset(SamplerOptions options, LoadFunction load);

// Where a training writes, and for how long it goes on.
struct RunOptions {
  std::string directory;              // a run that is there already is renamed
  std::string resume = {};            // a run or a checkpoint to go on from
  std::int64_t steps = 0;             // the run ends before this step
  std::int64_t checkpoint_every = 0;  // 0: at the end alone
  std::int64_t keep_checkpoints = 5;  // and what a link points to; 0: all
  std::vector<Hook> hooks = {};       // after each step (train/run/run_hook.h)
};

struct TrainOptions {
  Dataset data;
  ModelFunction model;
  LossFunction loss;
  optim::AnyOptimizer optimizer;
  RunOptions run;
  std::uint64_t seed = 0;         // of the parameters
  std::int64_t probe_every = 50;  // steps: probe() and print(); 0: never
};

// Trains on all ranks of the world, which call it alike. Errors: those of the
// steps that it is made of; a member that is missing is named.
Status Train(World& world, const TrainOptions& options);

}  // namespace gyre

#endif  // GYRE_RUNTIME_TRAIN_H_
