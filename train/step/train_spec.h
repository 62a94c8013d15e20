// What a training step is compiled from.
//
//   const TrainSpec spec = {
//       .mesh = mesh,
//       .model = [](Params& p, const BatchVars& b) {
//         return Mlp{{64, 64, 1}}(p, b["x"]);
//       },
//       .loss = [](Var pred, const BatchVars& b) {
//         return mean(pointwise(Huber{0.5f}, pred, b["y"]));
//       },
//       .optimizer = optim::Chain(optim::Guard{.max_norm = 1},
//                                 optim::Adam(1e-3)),
//       .example = samples,
//   };

#ifndef GYRE_TRAIN_STEP_TRAIN_SPEC_H_
#define GYRE_TRAIN_STEP_TRAIN_SPEC_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/mesh/mesh.h"
#include "gyre/models/batch_vars.h"
#include "gyre/models/params.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/train/data/batch.h"
#include "gyre/train/faults/fault.h"
#include "gyre/train/step/desync.h"

namespace gyre {

using ModelFunction = std::function<Var(Params&, const BatchVars&)>;
using LossFunction = std::function<Var(Var pred, const BatchVars&)>;

struct TrainSpec {
  Mesh mesh;
  ModelFunction model;
  LossFunction loss;
  optim::AnyOptimizer optimizer;
  SampleBatch example;  // for its names, shapes and types
  // The mesh axes over which the batch is split; empty: all of them. Ranks
  // that differ on other axes alone get the same batch.
  std::vector<std::string> batch_axes = {};
  std::uint64_t seed = 0;  // of the parameters
  FaultPlan faults = {};   // else those of GYRE_INJECT (train/faults/fault.h)
  KernelSet kernels = KernelSet::kFast;
  // What layers multiply in: f32, bf16 or f16. Parameters, optimizer states,
  // reductions and the loss stay f32 (docs/precision.md). f16 needs
  // Guard::loss_scale. f64: the whole of model and loss, to find out whether
  // a bad number is one of rounding.
  DType compute = DType::kF32;
  // Learning rates of single tensors, as a factor on the schedule's: 0 holds a
  // tensor still. Not set: 1 for all.
  //   spec.lr_scale = [](const optim::TensorSlot& t) {
  //     return t.name.starts_with("encoder.") ? 0.1 : 1.0;
  //   };
  std::function<double(const optim::TensorSlot&)> lr_scale = {};
  // Parameters that training leaves as they are, by name: no gradient is
  // computed for them, they have no share in the norm, and neither decay nor
  // moments move them.
  //   spec.frozen = [](std::string_view name) {
  //     return name.starts_with("encoder.");
  //   };
  std::function<bool(std::string_view name)> frozen = {};
  // A batch is cut into so many parts along its first axis, and the gradient
  // is the mean over them: the memory of one, the step of all
  // (train/step/micro_batches.h).
  int micro_batches = 1;
  // Each rank keeps and updates a part of the optimizer's states, and ranks
  // exchange the new parameters: the same numbers in less memory
  // (train/step/state_shards.h). For chains without stages that need a whole
  // tensor.
  bool shard_states = false;
  // Gradients are added in buckets of so many bytes while the backward pass
  // still runs (train/step/reduce_buckets.h): for a batch that is split over
  // all ranks, one micro-batch and no policy that drops ranks. 0: in one go,
  // behind it. Not set: in buckets over a network; on one host, where adding
  // keeps the processor busy, in one go.
  std::optional<std::size_t> bucket_bytes = {};
  bool jit = true;  // generate loops (autodiff/plan/plan.h): the same bits
  // Keeps what the layers' products make until the step ends, so that their
  // sizes can be recorded (train/step/activations.h).
  bool watch_activations = false;
  // What probe() and print() name (autodiff/ops/probe.h) is looked at every so
  // many steps; 0: never.
  std::int64_t probe_every = 50;
  RankChecks checks = {};  // of what must be equal (train/step/consistency.h)
};

}  // namespace gyre

#endif  // GYRE_TRAIN_STEP_TRAIN_SPEC_H_
