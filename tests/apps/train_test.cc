// A training as one call: what it leaves, and what it misses.

#include "gyre/runtime/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/models/mlp.h"
#include "gyre/optim/adam.h"
#include "gyre/runtime/run_main.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

std::map<std::string, Tensor> Ramp(std::span<const std::int64_t> ids) {
  Tensor x = Tensor::Zeros({std::ssize(ids), 1});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    x.data<float>()[i] = static_cast<float>(ids[i]) / 8;
  }
  return {{"x", x}};
}

TrainOptions FiveSteps(const std::string& directory) {
  return {
      .data = FunctionDataset({.samples = 16, .batch = 4}, Ramp),
      .model = [](Params& p,
                  const BatchVars& b) { return Mlp{{1}}(p, b["x"]); },
      .loss = [](Var pred,
                 const BatchVars& b) { return mean(square(pred - b["x"])); },
      .optimizer = optim::Chain(optim::Guard{}, optim::Adam(1e-2)),
      .run = {.directory = directory, .steps = 5}};
}

TEST(Train, LeavesARunThatEnded) {
  TempDir dir;
  const std::string run = dir / "run";
  EXPECT_EQ(RunMain([&](World& world) { return Train(world, FiveSteps(run)); }),
            kExitDone);
  const auto text = ReadFile(run + "/summary.json");
  ASSERT_TRUE(text.ok()) << Message(text.status());
  const auto summary = Json::Parse(*text);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(*summary->GetInt("attempted"), 5) << *text;
  EXPECT_TRUE(FileExists(run + "/checkpoints/last-good"));
}

TEST(Train, NamesWhatIsMissing) {
  TempDir dir;
  Status seen;
  EXPECT_EQ(RunMain([&](World& world) {
              TrainOptions options = FiveSteps(dir / "run");
              options.loss = nullptr;
              return seen = Train(world, options);
            }),
            kExitUsage);
  EXPECT_THAT(Message(seen), testing::HasSubstr(".loss"));
  EXPECT_FALSE(FileExists(dir / "run"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
