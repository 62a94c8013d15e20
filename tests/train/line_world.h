// A tiny task for tests of the training step: fit y = 2 x0 - x1 with a small
// network, on ranks that are threads.

#ifndef GYRE_TESTS_TRAIN_LINE_WORLD_H_
#define GYRE_TESTS_TRAIN_LINE_WORLD_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/core/rng.h"
#include "gyre/models/losses.h"
#include "gyre/models/mlp.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/schedule.h"
#include "gyre/train/data/sampler.h"
#include "gyre/train/step/train_step.h"
#include "tests/support/paper_rank.h"

namespace gyre::internal::inline tests {

class LineSource final : public BatchSource {
 public:
  // For a rank of a world that need not be there.
  LineSource(int rank, int ranks) : sampler_(OnPaper(rank, ranks)) {}
  // Its batch is split over `batch_axes` of a mesh.
  explicit LineSource(const Mesh& mesh,
                      const std::vector<std::string>& batch_axes = {})
      : sampler_(Of(mesh, batch_axes)) {}

  StatusOr<SampleBatch> Load(std::int64_t step) override {
    SampleBatch batch;
    batch.sample_ids = SampleIds(step, sampler_.rank());
    const auto n = static_cast<std::int64_t>(batch.sample_ids.size());
    Tensor x = Tensor::Zeros({n, 2});
    Tensor y = Tensor::Zeros({n, 1});
    const Rng rng({.seed = 9, .step = 0, .stream = 0});
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t id = batch.sample_ids[i];
      const float a = rng.Normal(2 * id);
      const float b = rng.Normal(2 * id + 1);
      x.data<float>()[2 * i] = a;
      x.data<float>()[2 * i + 1] = b;
      y.data<float>()[i] = 2 * a - b;
    }
    batch.tensors = {{"x", x}, {"y", y}};
    return batch;
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return sampler_.Indices(step, rank);
  }
  std::optional<std::int64_t> FirstReplaced(std::int64_t from,
                                            std::int64_t until) const override {
    return sampler_.FirstReplaced(from, until);
  }

 private:
  static Sampler Of(const Mesh& mesh,
                    const std::vector<std::string>& batch_axes) {
    return *Sampler::Create(mesh,
                            {.samples = 32,
                             .batch = mesh.size() == 3 ? 9 : 8,
                             .batch_axes = batch_axes,
                             .seed = 1});
  }
  static Sampler OnPaper(int rank, int ranks) {
    PaperRank paper(rank, ranks);
    return Of(*Mesh::Create(paper, {{"data", -1}}), {});
  }

  Sampler sampler_;
};

struct LineOptions {
  optim::Guard guard = {};
  std::string inject = "";
  int micro_batches = 1;
  bool watch_activations = false;
  DType compute = DType::kF32;
  RankChecks checks = {};
  std::int64_t probe_every = 50;
  std::function<double(const optim::TensorSlot&)> lr_scale = {};
  std::function<double(std::int64_t)> learning_rate = optim::Constant{3e-2};
  LossFunction loss = [](Var pred, const BatchVars& b) {
    return mse(pred, b["y"]);
  };
};

inline StatusOr<std::unique_ptr<TrainStep>> MakeLineStep(
    Communicator& comm, const LineOptions& options = {}) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
  GYRE_ASSIGN_OR_RETURN(const FaultPlan faults,
                        FaultPlan::Parse(options.inject));
  LineSource source(comm.rank(), comm.size());
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, source.Load(0));
  return TrainStep::Compile(
      {.mesh = mesh,
       .model =
           [](Params& p, const BatchVars& b) {
             return Mlp{{8, 1}}(p, b["x"]);
           },
       .loss = options.loss,
       .optimizer =
           optim::Chain(options.guard, optim::Adam(options.learning_rate)),
       .example = example,
       .seed = 4,
       .faults = faults,
       .compute = options.compute,
       .lr_scale = options.lr_scale,
       .micro_batches = options.micro_batches,
       .watch_activations = options.watch_activations,
       .probe_every = options.probe_every,
       .checks = options.checks});
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_TRAIN_LINE_WORLD_H_
