#include "tests/train/layouts.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/mesh_moves.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/core/rng.h"
#include "gyre/models/ensemble.h"
#include "gyre/models/fully_sharded.h"
#include "gyre/models/layers.h"
#include "gyre/models/losses.h"
#include "gyre/models/mlp.h"
#include "gyre/models/spatial.h"
#include "gyre/models/tensor_parallel.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/schedule.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/train_state.h"
#include "gyre/train/step/whole_state.h"

namespace gyre::internal::inline tests {
namespace {

constexpr std::int64_t kBatch = 24;

// Numbers that depend on the step and the place alone, whoever asks.
Tensor Field(std::int64_t step, const Shape& shape, std::uint32_t stream) {
  Tensor tensor(DType::kF32, shape);
  const Rng rng(
      {.seed = 5, .step = static_cast<std::uint64_t>(step), .stream = stream});
  const std::span<float> values = tensor.data<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(rng.Normal(i));
  }
  return tensor;
}

// Part `index` of `count` along `dim`; beyond the end, numbers that would be
// seen if they counted.
Tensor Cut(const Tensor& whole, int dim, int index, int count) {
  std::vector<std::int64_t> dims = whole.shape().dims();
  const std::int64_t extent = dims[dim];
  const std::int64_t rows = StripRows(extent, count);
  dims[dim] = rows;
  Tensor part(DType::kF32, Shape(dims));
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < dim; ++i) outer *= dims[i];
  for (std::size_t i = dim + 1; i < dims.size(); ++i) inner *= dims[i];
  const float* from = whole.data<float>().data();
  float* to = part.data<float>().data();
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t row = index * rows + r;
      for (std::int64_t i = 0; i < inner; ++i) {
        *to++ = row < extent ? from[(o * extent + row) * inner + i] : 1e3f;
      }
    }
  }
  return part;
}

AxisSet Axes(const Mesh& mesh, const std::vector<std::string>& names) {
  return *mesh.Axes(names);
}

Tensor OwnSamples(const Mesh& mesh,
                  const Tensor& whole,
                  const std::vector<std::string>& names) {
  const AxisSet axes = Axes(mesh, names);
  return Cut(whole, 0, mesh.Position(axes), mesh.SizeOf(axes));
}

// ---- a perceptron, its batch cut over data and space

SampleBatch LoadPoints(const Mesh& mesh, std::int64_t step) {
  const Tensor x = Field(step, {kBatch, 6}, 1);
  Tensor y = Field(step, {kBatch, 1}, 2);
  SampleBatch batch;
  batch.tensors = {{"x", OwnSamples(mesh, x, {"data", "space"})},
                   {"y", OwnSamples(mesh, y, {"data", "space"})}};
  return batch;
}

Var RareLoss(Var pred, const BatchVars& b) {
  const Var rare = b["y"] > 1.2;
  return masked_mean(square(pred - b["y"]), rare) + 0.1 * mean(square(pred));
}

// ---- the same data, weights cut over model

Var CutPerceptron(Params& p, const BatchVars& b) {
  const Var h = tanh(column_linear(p, "up", b["x"], 16, "model"));
  const Var g = tanh(row_linear(p, "down", h, 8, "model"));
  return linear(p, "head", g, 1);
}

// ---- the same data, weights cut over data and gathered

Var GatheredPerceptron(Params& p, const BatchVars& b) {
  const Var h = tanh(gathered_linear(p, "up", b["x"], 24, "data"));
  return linear(p, "head", h, 1);
}

// ---- a block of attention, its sequence cut as well

constexpr std::int64_t kSeq = 8;

SampleBatch LoadSequences(const Mesh& mesh, std::int64_t step) {
  SampleBatch batch;
  for (const auto& [name, stream] :
       std::map<std::string, std::uint32_t>{{"x", 3}, {"y", 4}}) {
    const Tensor mine = OwnSamples(
        mesh, Field(step, {kBatch, kSeq, 16}, stream), {"data", "space"});
    const AxisSet model = Axes(mesh, {"model"});
    batch.tensors[name] =
        Cut(mine, 1, mesh.Position(model), mesh.SizeOf(model));
  }
  return batch;
}

Var SequenceBlock(Params& p, const BatchVars& b) {
  return parallel_transformer_block(
      p,
      "block",
      b["x"],
      {.axis = "model", .heads = 4, .expansion = 2, .sequence_parallel = true});
}

// ---- convolutions in strips

constexpr std::int64_t kLat = 9;  // over 2 ranks: 5 rows, one of them padding

SampleBatch LoadFields(const Mesh& mesh, std::int64_t step) {
  const AxisSet space = Axes(mesh, {"space"});
  SampleBatch batch;
  for (const auto& [name, stream] :
       std::map<std::string, std::uint32_t>{{"x", 5}, {"y", 6}}) {
    const Tensor mine =
        OwnSamples(mesh, Field(step, {kBatch, 2, kLat, 8}, stream), {"data"});
    batch.tensors[name] =
        Cut(mine, 2, mesh.Position(space), mesh.SizeOf(space));
  }
  return batch;
}

Strip Latitudes() { return {.axis = "space", .dim = 2, .whole = kLat}; }

Var StripNet(Params& p, const BatchVars& b) {
  const ConvLayerOptions round{
      .kernel = 5, .pad_mode = {PadMode::kZero, PadMode::kCircular}};
  const Var h = tanh(strip_conv(p, "hidden", b["x"], 4, Latitudes(), round));
  return strip_conv(p, "head", h, 2, Latitudes(), {.kernel = 3});
}

Var StripLoss(Var pred, const BatchVars& b) {
  const Var exists = broadcast_to(StripMask(pred, Latitudes()), pred.shape());
  return masked_mean(square(pred - b["y"]), exists);
}

// ---- an ensemble of eight over model; the samples over data and space

Var Ensemble(Params& p, const BatchVars& b) {
  // Each rank of the axis has its part of eight fixed offsets.
  Tensor offsets(DType::kF32, {8, 1, 1});
  for (int i = 0; i < 8; ++i) offsets.data<float>()[i] = 0.3f * (i - 3.5f);
  const Var mine = own_part(b.Constant(std::move(offsets)), "model", 0);
  const Var x = b["x"];
  const Var members = expand_dims(x, 0) + mine;  // (k, samples, 6)
  return Mlp{{8, 1}}(p, members);
}

Var EnsembleLoss(Var pred, const BatchVars& b) {
  return crps(pred, b["y"], "model");
}

void ExpectSame(const Training& a, const Training& b, const std::string& what) {
  EXPECT_EQ(a.losses, b.losses) << what;
  EXPECT_EQ(a.norms, b.norms) << what;
  EXPECT_EQ(a.hash, b.hash) << what;
}

// Of a flat array, what all ranks have.
StatusOr<std::map<std::string, Tensor>> Whole(const TrainStep& step,
                                              const float* flat) {
  std::map<std::string, Tensor> whole;
  for (int t = 0; t < step.state().layout().count(); ++t) {
    const optim::TensorSlot& slot = step.state().layout()[t];
    GYRE_ASSIGN_OR_RETURN(
        whole[slot.name],
        GatherWhole(step.mesh(),
                    step.state().sync().tensor(t).part,
                    {flat + slot.offset, static_cast<std::size_t>(slot.size)}));
  }
  return whole;
}

}  // namespace

std::string MeshShape::ToString() const {
  return Cat("data=", data, " model=", model, " space=", space);
}

const std::vector<MeshShape>& AllShapes() {
  static const std::vector<MeshShape> shapes = {{2, 1, 1},
                                                {1, 2, 1},
                                                {1, 1, 2},
                                                {4, 1, 1},
                                                {2, 2, 1},
                                                {2, 1, 2},
                                                {1, 2, 2},
                                                {1, 4, 1},
                                                {6, 1, 1},
                                                {3, 2, 1},
                                                {8, 1, 1},
                                                {2, 2, 2}};
  return shapes;
}

std::vector<Program> AllPrograms() {
  const std::vector<std::string> both = {"data", "space"};
  const auto perceptron = [](Params& p, const BatchVars& b) {
    return Mlp{{8, 8, 1}}(p, b["x"]);
  };
  const auto error = [](Var pred, const BatchVars& b) {
    return mse(pred, b["y"]);
  };
  return {
      {"rare", both, LoadPoints, perceptron, RareLoss},
      {"cut weights", both, LoadPoints, CutPerceptron, error},
      {"cut sequence",
       {"data", "model", "space"},
       LoadSequences,
       SequenceBlock,
       error},
      {"strips", both, LoadFields, StripNet, StripLoss},
      {"gathered weights", both, LoadPoints, GatheredPerceptron, error},
      {"ensemble", both, LoadPoints, Ensemble, EnsembleLoss},
  };
}

StatusOr<std::unique_ptr<TrainStep>> MakeLayoutStep(
    Communicator& comm,
    const MeshShape& layout,
    const Program& program,
    const LayoutOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(comm,
                                     {{"data", layout.data},
                                      {"model", layout.model},
                                      {"space", layout.space}}));
  GYRE_ASSIGN_OR_RETURN(const FaultPlan faults,
                        FaultPlan::Parse(options.inject));
  return TrainStep::Compile(
      {.mesh = mesh,
       .model = program.model,
       .loss = program.loss,
       .optimizer = options.optimizer.value_or(optim::Chain(
           optim::Guard{.max_norm = options.max_norm}, optim::Adam(1e-2))),
       .example = program.load(mesh, 0),
       .batch_axes =
           options.batch_axes.empty() ? program.batch_axes : options.batch_axes,
       .seed = 3,
       .faults = faults,
       .shard_states = options.shard_states,
       .bucket_bytes = options.bucket_bytes});
}

StatusOr<Training> TrainOn(Communicator& comm,
                           const MeshShape& layout,
                           const Program& program,
                           int steps,
                           const LayoutOptions& options) {
  GYRE_ASSIGN_OR_RETURN(const auto step,
                        MakeLayoutStep(comm, layout, program, options));
  Training training;
  for (int i = 0; i < steps; ++i) {
    GYRE_ASSIGN_OR_RETURN(const StepReport report,
                          step->Run(program.load(step->mesh(), i)));
    EXPECT_TRUE(report.applied) << program.name << " " << layout.ToString();
    EXPECT_TRUE(report.hashes_equal) << program.name << layout.ToString();
    training.losses.push_back(report.loss);
    training.norms.push_back(report.verdict.norm);
    if (i > 0) continue;
    GYRE_ASSIGN_OR_RETURN(training.gradient,
                          Whole(*step, step->last().gradient.data()));
  }
  GYRE_ASSIGN_OR_RETURN(training.params,
                        Whole(*step, step->state().front().params()));
  EXPECT_EQ(step->plans_compiled(), 1);
  GYRE_ASSIGN_OR_RETURN(const StateHash hash, GatherStateHash(step->state()));
  EXPECT_TRUE(hash.equal) << program.name << " " << layout.ToString();
  training.hash = hash.hash;
  return training;
}

Training TrainLayout(const MeshShape& layout,
                     const Program& program,
                     int steps,
                     const LayoutOptions& options) {
  std::vector<Training> trainings(layout.ranks());
  LocalWorld world(layout.ranks());
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(trainings[comm.rank()],
                          TrainOn(comm, layout, program, steps, options));
    return OkStatus();
  });
  const std::string what = program.name + ", " + layout.ToString();
  EXPECT_TRUE(status.ok()) << what << ": " << Message(status);
  for (const Training& other : trainings) ExpectSame(other, trainings[0], what);
  return trainings[0];
}

}  // namespace gyre::internal::inline tests
