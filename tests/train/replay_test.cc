#include "gyre/train/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/train/replay/step_result.h"
#include "tests/support/temp_dir.h"
#include "tests/train/bad_step.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Replays the evidence in `folder` with a program of `options`, and gives
// result.json.
StatusOr<Json> Replayed(const std::string& folder,
                        int ranks,
                        const LineOptions& options = LogOptions()) {
  const TempDir out;
  const ReplayRequest request{.evidence = folder, .out = out.path()};
  LocalWorld world(ranks);
  GYRE_RETURN_IF_ERROR(world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    const BadTargetSource source(comm.rank(), ranks, ranks - 1);
    return ReplayStep(*step, source, request);
  }));
  GYRE_ASSIGN_OR_RETURN(const std::string text, ReadFile(request.result()));
  return Json::Parse(text);
}

std::vector<std::string> Differences(const std::string& folder,
                                     const Json& replay) {
  std::vector<std::string> names;
  const auto evidence = ReadEvidence(folder);
  const auto found = CompareResults(evidence->result, *replay.Find("result"));
  EXPECT_TRUE(found.ok()) << found.status();
  for (const ResultDifference& d : *found) names.push_back(d.what);
  return names;
}

TEST(Replay, GivesTheSameBits) {
  for (const int ranks : {1, 2, 4}) {
    const TempDir dir;
    ASSERT_TRUE(TrainWithBadStep(dir / "run", ranks).ok());
    const std::string folder = BadStepFolder(dir / "run");
    const auto replay = Replayed(folder, ranks);
    ASSERT_TRUE(replay.ok()) << replay.status();
    EXPECT_THAT(Differences(folder, *replay), IsEmpty()) << ranks;
    EXPECT_EQ(*replay->GetInt("step"), kBadStep);
    const Json& first = *replay->Find("cause")->Find("first");
    EXPECT_EQ(*first.GetInt("rank"), ranks - 1);
    EXPECT_EQ(*first.GetString("operation"), "log");
    EXPECT_THAT(*first.GetString("sample_name"), HasSubstr("sample "));
  }
}

TEST(Replay, OfAStepThatWasAppliedGivesTheSameBits) {
  const TempDir dir;
  LineOptions options = LogOptions();
  options.guard.policy = optim::Policy::kZero;
  ASSERT_TRUE(TrainWithBadStep(dir / "run", 2, {}, options).ok());
  const std::string folder = BadStepFolder(dir / "run");
  const auto replay = Replayed(folder, 2, options);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_THAT(Differences(folder, *replay), IsEmpty());
}

TEST(Replay, OfAStepWithFaultsAndMicroBatchesGivesTheSameBits) {
  const TempDir dir;
  LineOptions options = LogOptions();
  options.micro_batches = 2;
  options.inject = "nan_act@rank=0,step=3";
  ASSERT_TRUE(TrainWithBadStep(dir / "run", 2, {}, options).ok());
  const std::string folder = BadStepFolder(dir / "run");
  const auto replay = Replayed(folder, 2, options);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_THAT(Differences(folder, *replay), IsEmpty());
}

TEST(Replay, ADifferentProgramIsSeenInTheBits) {
  const TempDir dir;
  ASSERT_TRUE(TrainWithBadStep(dir / "run", 2).ok());
  const std::string folder = BadStepFolder(dir / "run");
  LineOptions twice = LogOptions();
  twice.loss = [](Var pred, const BatchVars& b) {
    return 2 * mean(square(pred - log(b["y"])));
  };
  const auto replay = Replayed(folder, 2, twice);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_THAT(Differences(folder, *replay),
              testing::Contains("local_gradient"));
  LineOptions cured = LogOptions();
  cured.loss = [](Var pred, const BatchVars& b) {
    return mean(square(pred - log(abs(b["y"]))));
  };
  const auto clean = Replayed(folder, 2, cured);
  ASSERT_TRUE(clean.ok()) << clean.status();
  EXPECT_FALSE(*clean->Find("result")->GetBool("bad"));
  EXPECT_TRUE(clean->Find("cause")->Find("first")->is_null());
}

TEST(Replay, InF64IsStillBad) {
  const TempDir dir;
  ASSERT_TRUE(TrainWithBadStep(dir / "run", 2).ok());
  LineOptions wide = LogOptions();
  wide.compute = DType::kF64;
  const auto replay = Replayed(BadStepFolder(dir / "run"), 2, wide);
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_TRUE(*replay->Find("result")->GetBool("bad"));
  const Json& first = *replay->Find("cause")->Find("first");
  EXPECT_EQ(*first.GetString("dtype"), "f64");
  EXPECT_EQ(*first.GetString("operation"), "log");
}

TEST(Replay, OfDamagedStateIsAnErrorOnAllRanks) {
  const TempDir dir;
  ASSERT_TRUE(TrainWithBadStep(dir / "run", 2).ok());
  const std::string folder = BadStepFolder(dir / "run");
  ASSERT_TRUE(
      WriteFileAtomically(folder + "/state-00000.safetensors", "x").ok());
  const Status status = Replayed(folder, 2).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCheckpoint) << status;
}

TEST(ReplayChanges, ArePlainWords) {
  const auto all =
      ReplayChanges::Parse("precision=f64,kernels=reference,jit=off");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->precision, DType::kF64);
  EXPECT_EQ(all->kernels, KernelSet::kReference);
  EXPECT_EQ(all->jit, false);
  const auto none = ReplayChanges::Parse("");
  EXPECT_FALSE(none->precision || none->kernels || none->jit);
  const Status wrong = ReplayChanges::Parse("precision=f8").status();
  EXPECT_EQ(KindOf(wrong), ErrorKind::kConfig);
  EXPECT_THAT(Message(wrong), HasSubstr("precision=f64"));
}

TEST(ForReplay, TakesTheKeptBatchAndTheChanges) {
  const TempDir dir;
  ASSERT_TRUE(TrainWithBadStep(dir / "run", 2).ok());
  const ReplayRequest request{
      .evidence = BadStepFolder(dir / "run"),
      .out = dir.path(),
      .changes = {.precision = DType::kF64, .jit = false}};
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", 1}}));
    TrainSpec given{.mesh = mesh,
                    .model = {},
                    .loss = {},
                    .optimizer = optim::Chain(optim::Guard{}, optim::Adam(1)),
                    .example = {}};
    GYRE_ASSIGN_OR_RETURN(const TrainSpec spec, ForReplay(given, request));
    EXPECT_EQ(spec.example.tensors.at("x").shape(), Shape({8, 2}));
    EXPECT_EQ(spec.compute, DType::kF64);
    EXPECT_EQ(spec.kernels, KernelSet::kFast);
    EXPECT_FALSE(spec.jit);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gyre::internal::inline tests
