// Real small runs with one thing wrong, and where `gyre doctor` sends one who
// asks: to the family that it is, and not to those that the records exclude.
// A rank that is killed: tests/apps/weather_loss/records_test.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/json.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// Where something goes wrong.
class Trouble {
 public:
  virtual ~Trouble() = default;
  virtual void BeforeStep(TrainStep&, std::int64_t, int) {}
  virtual void Spoil(SampleBatch&, int) {}
};

class TroubledSource final : public BatchSource {
 public:
  TroubledSource(TrainStep& step, Trouble& trouble)
      : step_(step),
        trouble_(trouble),
        rank_(step.mesh().rank()),
        source_(rank_, step.mesh().size()) {}
  StatusOr<SampleBatch> Load(std::int64_t step) override {
    trouble_.BeforeStep(step_, step, rank_);
    GYRE_ASSIGN_OR_RETURN(SampleBatch batch, source_.Load(step));
    trouble_.Spoil(batch, rank_);
    return batch;
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }
  std::string SampleName(std::int64_t id) const override {
    return Cat("day ", id);
  }

 private:
  TrainStep& step_;
  Trouble& trouble_;
  int rank_;
  LineSource source_;
};

struct Job {
  int ranks = 2;
  std::int64_t steps = 60;
  LineOptions options = {};
};

// Runs it in `path`; how it ended.
Status RunJob(const std::string& path, const Job& job, Trouble& trouble) {
  LocalWorld world(job.ranks);
  return world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, job.options));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          StartRun(step->mesh(), path, path));
    if (comm.rank() == 0) {
      GYRE_RETURN_IF_ERROR(run.WriteRunJson(
          Json::Object({{"program", "line"}, {"world", job.ranks}})));
    }
    TroubledSource source(*step, trouble);
    return RunTraining(*step, source, run, {.steps = job.steps}).status();
  });
}

struct Diagnosis {
  Json json = Json::Object();

  std::string FirstSymptom() const {
    return *json.Find("symptoms")->elements().at(0).GetString("name");
  }
  std::string FirstFamily() const {
    return *json.Find("families")->elements().at(0).GetString("family");
  }
  // Of a family: its standing, and all that speaks for it.
  std::string Standing(const std::string& family) const {
    return *Find(family).GetString("standing");
  }
  std::string Supports(const std::string& family) const {
    return Find(family).Find("supports")->Dump();
  }

 private:
  Json Find(const std::string& name) const {
    for (const Json& family : json.Find("families")->elements()) {
      if (*family.GetString("family") == name) return family;
    }
    return Json::Object({{"standing", "?"}, {"supports", Json::Array()}});
  }
};

Diagnosis Doctor(const std::string& run) {
  const Result result = RunCommand({GYRE_COMMAND, "doctor", run, "--json"});
  EXPECT_EQ(result.code, 0) << result.text;
  const auto json = Json::Parse(result.text.substr(result.text.find('{')));
  EXPECT_TRUE(json.ok()) << result.text;
  return {json.ok() ? *json : Json::Object()};
}

class FlippedBit final : public Trouble {
 public:
  void BeforeStep(TrainStep& step, std::int64_t at, int rank) override {
    if (at != 30 || rank != 1) return;
    std::uint32_t bits = 0;
    float* number = step.state().front().params() + 3;
    std::memcpy(&bits, number, sizeof(bits));
    bits ^= 1u << 20;
    std::memcpy(number, &bits, sizeof(bits));
  }
};

TEST(DoctorRoutes, AFlippedBitIsStateOrHardware) {
  const TempDir dir;
  FlippedBit trouble;
  const Status ran = RunJob(dir / "run", {}, trouble);
  EXPECT_THAT(std::string(ran.message()), HasSubstr("params/layer0.w differs"));
  const Diagnosis d = Doctor(dir / "run");
  EXPECT_EQ(d.FirstSymptom(), "desync");
  EXPECT_EQ(d.Standing("distributed state"), "supported");
  EXPECT_THAT(d.Supports("hardware"), HasSubstr("flipped bit"));
  EXPECT_EQ(d.Standing("numerics"), "excluded");
}

class CorruptedSample final : public Trouble {
 public:
  void Spoil(SampleBatch& batch, int) override {
    for (std::size_t i = 0; i < batch.sample_ids.size(); ++i) {
      if (batch.sample_ids[i] != 13) continue;
      batch.tensors.at("y").data<float>()[i] =
          std::numeric_limits<float>::quiet_NaN();
    }
  }
};

TEST(DoctorRoutes, ACorruptedSampleIsData) {
  const TempDir dir;
  CorruptedSample trouble;
  const Status ran = RunJob(dir / "run", {.ranks = 4}, trouble);
  EXPECT_TRUE(ran.ok()) << ran;
  const Diagnosis d = Doctor(dir / "run");
  EXPECT_EQ(d.FirstSymptom(), "bad_numbers");
  EXPECT_EQ(d.FirstFamily(), "data");
  EXPECT_THAT(d.Supports("data"), HasSubstr("day 13"));
  EXPECT_EQ(d.Standing("distributed state"), "excluded");
}

TEST(DoctorRoutes, ALearningRateJumpIsOptimization) {
  const TempDir dir;
  Trouble none;
  Job job = {.ranks = 2, .steps = 200};
  job.options.learning_rate = [](std::int64_t step) {
    return step < 120 ? 1e-3 : 1.0;
  };
  const Status ran = RunJob(dir / "run", job, none);
  EXPECT_TRUE(ran.ok()) << ran;
  const Diagnosis d = Doctor(dir / "run");
  EXPECT_EQ(d.FirstFamily(), "optimization");
  EXPECT_THAT(d.Supports("optimization"), HasSubstr("learning rate rose"));
  EXPECT_NE(d.Standing("numerics"), "supported");
  EXPECT_EQ(d.Standing("distributed state"), "excluded");
}

// Trains on in `path`, from the checkpoint of `from` before step `at`.
Status GoOn(const std::string& path,
            const std::string& from,
            std::int64_t steps,
            double rate) {
  return LocalWorld(2).Run([&](Communicator& comm) -> Status {
    LineOptions options;
    options.learning_rate = optim::Constant{rate};
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    GYRE_RETURN_IF_ERROR(LoadCheckpoint(from, *step));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                          StartRun(step->mesh(), path, from));
    LineSource source(step->mesh());
    return RunTraining(*step, source, run, {.steps = steps}).status();
  });
}

// Nothing in the resumed run's own records tells what it was like before.
TEST(DoctorRoutes, ARateThatChangesAtAResumeIsSeen) {
  const TempDir dir;
  Trouble none;
  Job job = {.ranks = 2, .steps = 300};
  job.options.learning_rate = optim::Constant{3e-3};
  ASSERT_TRUE(RunJob(dir / "first", job, none).ok());
  ASSERT_TRUE(GoOn(dir / "same", dir / "first", 600, 3e-3).ok());
  const Diagnosis same = Doctor(dir / "same");
  EXPECT_EQ(same.FirstSymptom(), "none");
  ASSERT_TRUE(GoOn(dir / "again", dir / "first", 600, 3).ok());
  const Diagnosis d = Doctor(dir / "again");
  EXPECT_NE(d.FirstSymptom(), "none");
  EXPECT_EQ(d.Standing("optimization"), "supported");
  EXPECT_THAT(d.Supports("optimization"),
              HasSubstr("lr 0.003 -> 3 at the resume of step 300"));
  EXPECT_NE(d.Standing("numerics"), "excluded");
  const Result spikes =
      RunCommand({GYRE_COMMAND, "spikes", dir / "again", "--json"});
  EXPECT_THAT(spikes.text, HasSubstr("lr 0.003 -> 3 at the resume"));
  EXPECT_THAT(spikes.text, HasSubstr("persistent"));
}

class LateRank final : public Trouble {
 public:
  void BeforeStep(TrainStep&, std::int64_t, int rank) override {
    using namespace std::chrono_literals;
    if (rank == 1) std::this_thread::sleep_for(15ms);
  }
};

TEST(DoctorRoutes, ALateRankIsAStraggler) {
  const TempDir dir;
  LateRank trouble;
  const Status ran = RunJob(dir / "run", {.ranks = 2, .steps = 40}, trouble);
  EXPECT_TRUE(ran.ok()) << ran;
  const Diagnosis d = Doctor(dir / "run");
  EXPECT_EQ(d.FirstSymptom(), "straggler");
  EXPECT_THAT(d.Supports("hardware"), HasSubstr("rank 1 keeps the others"));
  EXPECT_EQ(d.Standing("data"), "excluded");
  EXPECT_EQ(d.Standing("numerics"), "excluded");
}

// Its records lie on a device that has no room.
class FullDisk final : public Trouble {};

TEST(DoctorRoutes, AFullDiskIsHardware) {
  const TempDir dir;
  const std::string run = dir / "run";
  std::filesystem::create_directories(run);
  std::filesystem::create_symlink("/dev/full", run + "/metrics.jsonl");
  FullDisk trouble;
  const Status ran = RunJob(run, {.ranks = 2, .steps = 2000}, trouble);
  EXPECT_THAT(std::string(ran.message()), HasSubstr("No space left"));
  std::filesystem::remove(run + "/metrics.jsonl");  // reading it never ends
  const Diagnosis d = Doctor(run);
  EXPECT_EQ(d.FirstSymptom(), "error");
  EXPECT_THAT(d.Supports("hardware"), HasSubstr("No space left"));
  EXPECT_THAT(d.json.Dump(), HasSubstr("df -h"));
  EXPECT_EQ(d.Standing("numerics"), "excluded");
}

}  // namespace
}  // namespace gyre::internal::inline tests
