// The live spike detectors go on where a checkpoint was taken.

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/run/loop.h"
#include "gyre/train/run/start_run.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

// Trains to `steps` in `path`, from the run `from` if there is one, and
// returns what the last checkpoint carries.
std::string CarriedAfter(const std::string& path,
                         std::int64_t steps,
                         const std::string& from = "") {
  LocalWorld world(1);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    if (!from.empty()) GYRE_RETURN_IF_ERROR(LoadCheckpoint(from, *step));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory run, StartRun(step->mesh(), path));
    LineSource source(0, 1);
    return RunTraining(*step, source, run, {.steps = steps}).status();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  const auto text = ReadFile(path + "/checkpoints/latest/manifest.json");
  EXPECT_TRUE(text.ok()) << text.status();
  if (!text.ok()) return "";
  const Json manifest = *Json::Parse(*text);
  const Json* const spikes = manifest.Find("carried")->Find("spikes");
  EXPECT_NE(spikes, nullptr);
  return spikes == nullptr ? "" : spikes->Dump();
}

TEST(CarriedSpikes, AResumedRunHasTheDetectorsOfAnUnbrokenOne) {
  const TempDir dir;
  const std::string whole = CarriedAfter(dir / "whole", 100);
  const std::string half = CarriedAfter(dir / "half", 60);
  EXPECT_NE(half, whole);
  EXPECT_EQ(CarriedAfter(dir / "rest", 100, dir / "half"), whole);
}

}  // namespace
}  // namespace gyre::internal::inline tests
