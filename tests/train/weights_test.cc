// Weights alone, in and out of files, and parameters that stay.

#include "gyre/train/checkpoint/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/core/half.h"
#include "gyre/core/io/safetensors.h"
#include "gyre/models/layers.h"
#include "gyre/models/tensor_parallel.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/chain.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// x: (4, 3) -> 4 -> 2, with tanh between.
Var TwoLayers(Params& params, const BatchVars& b) {
  const Var h = tanh(linear(params, "hidden", b["x"], 4));
  return linear(params, "out", h, 2);
}

SampleBatch Rows() {
  SampleBatch batch;
  batch.tensors["x"] = Tensor::Zeros({4, 3});
  batch.tensors["y"] = Tensor::Zeros({4, 2});
  for (int i = 0; i < 12; ++i) {
    batch.tensors["x"].data<float>()[i] = std::sin(1.0f + i);
  }
  return batch;
}

struct Settings {
  std::uint64_t seed = 1;
  ModelFunction model = TwoLayers;
  std::function<bool(std::string_view)> frozen = {};
  const char* axis = "data";
};

StatusOr<std::unique_ptr<TrainStep>> Compile(Communicator& comm,
                                             const Settings& settings) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                        Mesh::Create(comm, {{settings.axis, -1}}));
  TrainSpec spec = {
      .mesh = mesh,
      .model = settings.model,
      .loss = [](Var pred,
                 const BatchVars& b) { return mean(square(pred - b["y"])); },
      .optimizer = optim::Chain(optim::Guard{.max_norm = 1e9},
                                optim::AdamW(0.1, {.weight_decay = 0.5})),
      .example = Rows(),
      .seed = settings.seed,
      .frozen = settings.frozen,
      .checks = {.samples = false}};
  return TrainStep::Compile(spec);
}

std::vector<float> ValuesOf(const Tensor& t) {
  const auto data = t.data<float>();
  return {data.begin(), data.end()};
}

void OnRanks(int ranks, const std::function<Status(Communicator&)>& body) {
  LocalWorld world(ranks);
  const Status status = world.Run(body);
  EXPECT_TRUE(status.ok()) << ranks << " ranks: " << Message(status);
}

TEST(Weights, GoOutAndComeBackToTheBit) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    const std::string path = dir.path() + "/model.safetensors";
    OnRanks(ranks, [&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(const auto first, Compile(comm, {.seed = 1}));
      GYRE_ASSIGN_OR_RETURN(const auto second, Compile(comm, {.seed = 2}));
      EXPECT_NE(HashState(first->state()).common,
                HashState(second->state()).common);
      GYRE_RETURN_IF_ERROR(SaveWeights(path, *first));
      GYRE_ASSIGN_OR_RETURN(const WeightReport report,
                            LoadWeights(path, *second));
      EXPECT_EQ(HashState(first->state()).common,
                HashState(second->state()).common);
      EXPECT_THAT(report.loaded,
                  ElementsAre("hidden.w", "hidden.b", "out.w", "out.b"));
      EXPECT_THAT(report.left, IsEmpty());
      EXPECT_EQ(report.Describe(), "4 of 4 tensors loaded");
      return OkStatus();
    });
  }
}

// What one rank holds whole, four hold in parts, and the other way round.
TEST(Weights, FitAnotherMesh) {
  const TempDir dir;
  const std::string path = dir.path() + "/model.safetensors";
  const ModelFunction cut = [](Params& params, const BatchVars& b) {
    const Var h = column_linear(params, "up", b["x"], 8, "model");
    return row_linear(params, "down", tanh(h), 2, "model");
  };
  for (const int ranks : {1, 4}) {
    OnRanks(ranks, [&](Communicator& comm) -> Status {
      Settings settings{.seed = ranks == 1 ? 1u : 2u, .model = cut};
      settings.axis = "model";
      GYRE_ASSIGN_OR_RETURN(const Mesh mesh,
                            Mesh::Create(comm, {{"model", -1}}));
      TrainSpec spec = {
          .mesh = mesh,
          .model = cut,
          .loss =
              [](Var pred, const BatchVars& b) {
                return mean(square(pred - b["y"]));
              },
          .optimizer = optim::Chain(optim::Guard{}, optim::Adam(0.1)),
          .example = Rows(),
          .seed = ranks == 1 ? 1u : 2u};
      if (ranks > 1) {
        GYRE_ASSIGN_OR_RETURN(const Mesh both,
                              Mesh::Create(comm, {{"data", 1}, {"model", -1}}));
        spec.mesh = both;
        spec.batch_axes = {"data"};
      }
      GYRE_ASSIGN_OR_RETURN(const auto step, TrainStep::Compile(spec));
      if (ranks == 1) {
        GYRE_RETURN_IF_ERROR(SaveWeights(path, *step));
      } else {
        GYRE_RETURN_IF_ERROR(LoadWeights(path, *step).status());
        // And out again: the same file.
        GYRE_RETURN_IF_ERROR(SaveWeights(path + "2", *step));
      }
      return OkStatus();
    });
  }
  const auto first = ReadSafetensors(path);
  const auto second = ReadSafetensors(path + "2");
  ASSERT_TRUE(first.ok() && second.ok()) << Message(second.status());
  ASSERT_EQ(first->tensors.size(), 4u);
  for (const auto& [name, tensor] : first->tensors) {
    EXPECT_EQ(ValuesOf(tensor), ValuesOf(second->tensors.at(name))) << name;
  }
}

TEST(Weights, AreFoundByAMapOfNamesAndTurned) {
  const TempDir dir;
  const std::string path = dir.path() + "/torch.safetensors";
  Safetensors file;
  file.tensors["net.0.weight"] = Tensor::Zeros({4, 3});
  for (int i = 0; i < 12; ++i) {
    file.tensors["net.0.weight"].data<float>()[i] = static_cast<float>(i);
  }
  file.tensors["net.0.bias"] = Tensor(DType::kF16, {4});
  for (int i = 0; i < 4; ++i) {
    file.tensors["net.0.bias"].data<Half>()[i] = Half(0.5f * i);
  }
  file.tensors["head"] = Tensor::Zeros({5});
  ASSERT_TRUE(WriteSafetensors(path, file).ok());
  OnRanks(2, [&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, Compile(comm, {}));
    GYRE_ASSIGN_OR_RETURN(const Tensor before, step->Parameter("out.w"));
    WeightMap map{
        .names = {{"hidden.w", "net.0.weight"}, {"hidden.b", "net.0.bias"}},
        .transposed = [](std::string_view name) {
          return name.ends_with(".w");
        }};
    GYRE_ASSIGN_OR_RETURN(const WeightReport report,
                          LoadWeights(path, *step, map));
    EXPECT_EQ(report.Describe(),
              "2 of 4 tensors loaded; left as they were: out.w, out.b; not "
              "used of the file: head");
    GYRE_ASSIGN_OR_RETURN(const Tensor w, step->Parameter("hidden.w"));
    EXPECT_THAT(ValuesOf(w), ElementsAre(0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11));
    GYRE_ASSIGN_OR_RETURN(const Tensor b, step->Parameter("hidden.b"));
    EXPECT_THAT(ValuesOf(b), ElementsAre(0, 0.5f, 1, 1.5f));
    GYRE_ASSIGN_OR_RETURN(const Tensor after, step->Parameter("out.w"));
    EXPECT_EQ(ValuesOf(before), ValuesOf(after));

    const std::uint64_t hash = HashState(step->state()).common;
    map.transposed = {};
    EXPECT_THAT(Message(LoadWeights(path, *step, map).status()),
                HasSubstr("\"hidden.w\" is (3, 4) in the model, and "
                          "\"net.0.weight\" is (4, 3) in the file: "
                          "WeightMap::transposed decides"));
    map.names["hidden.w"] = "net.0.wieght";
    EXPECT_THAT(Message(LoadWeights(path, *step, map).status()),
                HasSubstr("the file has no \"net.0.wieght\"; did you mean "
                          "\"net.0.weight\"?"));
    EXPECT_THAT(Message(LoadWeights(path, *step).status()),
                HasSubstr("no tensor of it has a name of the model's"));
    EXPECT_FALSE(LoadWeights(path + ".not", *step).ok());
    EXPECT_EQ(HashState(step->state()).common,
              hash);  // nothing of it was half done
    return OkStatus();
  });
}

TEST(Weights, OfRanksThatReadDifferentFilesAreRefused) {
  const TempDir dir;
  OnRanks(2, [&](Communicator& comm) -> Status {
    const std::string path = Cat(dir.path(), "/", comm.rank());
    Safetensors file;
    file.tensors["hidden.b"] =
        Tensor::Of<float>({4}, {1, 2, 3, 1.0f * comm.rank()});
    GYRE_RETURN_IF_ERROR(WriteSafetensors(path, file));
    GYRE_ASSIGN_OR_RETURN(const auto step, Compile(comm, {}));
    EXPECT_THAT(Message(LoadWeights(path, *step).status()),
                HasSubstr("the ranks have read different weights"));
    return OkStatus();
  });
}

TEST(Weights, AParameterIsSetByName) {
  OnRanks(2, [&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, Compile(comm, {}));
    const Tensor value = Tensor::Of<float>({2}, {5, 6});
    GYRE_RETURN_IF_ERROR(SetParameter(*step, "out.b", value));
    GYRE_ASSIGN_OR_RETURN(const Tensor b, step->Parameter("out.b"));
    EXPECT_THAT(ValuesOf(b), ElementsAre(5, 6));
    EXPECT_THAT(Message(SetParameter(*step, "out.w", value)),
                HasSubstr("\"out.w\" is f32 (4, 2), got f32 (2)"));
    EXPECT_THAT(Message(SetParameter(*step, "out", value)),
                HasSubstr("no parameter \"out\"; it has hidden.w"));
    return OkStatus();
  });
}

TEST(Weights, FrozenOnesStayToTheBit) {
  for (const int ranks : {1, 2, 4}) {
    OnRanks(ranks, [&](Communicator& comm) -> Status {
      const auto hidden = [](std::string_view name) {
        return name.starts_with("hidden.");
      };
      GYRE_ASSIGN_OR_RETURN(const auto step, Compile(comm, {.frozen = hidden}));
      GYRE_ASSIGN_OR_RETURN(const auto all, Compile(comm, {}));
      GYRE_ASSIGN_OR_RETURN(const Tensor w, step->Parameter("hidden.w"));
      GYRE_ASSIGN_OR_RETURN(const Tensor v, step->Parameter("out.w"));
      for (int i = 0; i < 3; ++i) {
        GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(Rows()));
        GYRE_ASSIGN_OR_RETURN(const StepReport whole, all->Run(Rows()));
        EXPECT_TRUE(report.applied);
        if (i == 0) {
          EXPECT_LT(report.verdict.norm, whole.verdict.norm);
        }
      }
      GYRE_ASSIGN_OR_RETURN(const Tensor w3, step->Parameter("hidden.w"));
      GYRE_ASSIGN_OR_RETURN(const Tensor v3, step->Parameter("out.w"));
      EXPECT_EQ(ValuesOf(w), ValuesOf(w3));  // weight decay, too, left it
      EXPECT_NE(ValuesOf(v), ValuesOf(v3));
      // Its moments never move.
      const optim::FlatLayout& layout = step->state().layout();
      const int i = layout.Find("hidden.w");
      const float* const m =
          step->state().front().states()[0] + layout[i].offset;
      EXPECT_EQ(std::count(m, m + layout[i].size, 0.0f), layout[i].size);
      const auto none =
          Compile(comm, {.frozen = [](std::string_view) { return true; }});
      EXPECT_THAT(Message(none.status()), HasSubstr("frozen holds all"));
      return OkStatus();
    });
  }
}

TEST(Weights, OfSeveralCheckpointsAreAveraged) {
  for (const int ranks : {1, 2}) {
    const TempDir dir;
    OnRanks(ranks, [&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(const auto step, Compile(comm, {}));
      GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                            StartRun(step->mesh(), dir.path() + "/run"));
      std::vector<std::string> checkpoints;
      std::vector<float> values;
      for (int i = 0; i < 3; ++i) {
        GYRE_RETURN_IF_ERROR(step->Run(Rows()).status());
        GYRE_ASSIGN_OR_RETURN(const CheckpointInfo info,
                              SaveCheckpoint(*step, run));
        checkpoints.push_back(info.path);
        GYRE_ASSIGN_OR_RETURN(const Tensor w, step->Parameter("out.w"));
        values.push_back(w.data<float>()[0]);
      }
      GYRE_RETURN_IF_ERROR(AverageCheckpoints(checkpoints, *step));
      GYRE_ASSIGN_OR_RETURN(const Tensor w, step->Parameter("out.w"));
      EXPECT_FLOAT_EQ(w.data<float>()[0],
                      (values[0] + values[1] + values[2]) / 3);
      EXPECT_THAT(Message(AverageCheckpoints({}, *step)),
                  HasSubstr("at least one checkpoint"));
      EXPECT_FALSE(AverageCheckpoints({dir.path() + "/none"}, *step).ok());
      return OkStatus();
    });
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
