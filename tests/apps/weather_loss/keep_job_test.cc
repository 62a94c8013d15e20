// Checkpoints and the ranks' checks, as real processes: killed while they
// write, on a disk that is full, with a bit that turned over.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "gyre/core/clock.h"
#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/monitor/event_log.h"
#include "gyre/monitor/metrics.h"
#include "gyre/train/checkpoint/checkpoint_files.h"
#include "gyre/train/checkpoint/resume.h"
#include "tests/apps/weather_loss/job_run.h"
#include "tests/support/command.h"
#include "tests/support/some_rank.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;

Arguments LaunchKeepJob(int ranks, const std::string& out, Arguments more) {
  more.insert(more.begin(), {"--loss", "storm_softplus"});
  return LaunchJob(ranks, "synthetic", out, more);
}

std::vector<Event> EventsIn(const std::string& path) {
  return *ReadEvents(path);
}

std::vector<CheckpointEntry> CheckpointsIn(const std::string& folder) {
  return *ListCheckpoints(folder);
}

// Kills a rank as soon as the checkpoint is there; whether it was in time.
void KillAt(const Arguments& arguments, const std::string& checkpoint) {
  Command job(arguments);
  const std::string manifest = checkpoint + "/manifest.json";
  for (const Stopwatch clock; clock.Seconds() < 60 && !FileExists(manifest);) {
    ::usleep(500);
  }
  const pid_t rank = SomeRank(job.pid(), "weather_loss");
  ASSERT_GT(rank, 0) << job.text();
  ASSERT_EQ(::kill(rank, SIGKILL), 0);
  EXPECT_EQ(job.Finish().code, kExitPeer);
}

// 100 steps = 63 + kill -9 + 21 more + kill -9 + the rest, in mid-epoch.
TEST(KeepJob, AKilledRunGoesOnToTheSameBitsTheSecondTimeToo) {
  const TempDir dir;
  const Arguments options = {
      "--steps", "100", "--hidden", "48", "--checkpoint-every", "21"};
  const Result whole = RunCommand(LaunchKeepJob(2, dir / "whole", options));
  ASSERT_EQ(whole.code, kExitDone) << whole.text;
  const std::string out = dir / "killed";
  KillAt(LaunchKeepJob(2, out, options), out + "/checkpoints/step-00000063");
  Arguments again = options;
  again.insert(again.end(), {"--resume", out});
  KillAt(LaunchKeepJob(2, out, again), out + "/checkpoints/step-00000084");
  const Result last = RunCommand(LaunchKeepJob(2, out, again));
  ASSERT_EQ(last.code, kExitDone) << last.text;
  EXPECT_EQ(HashOf(out), HashOf(dir / "whole"));
  int resumed = 0;
  for (const Event& event : EventsIn(out + "/events.jsonl")) {
    if (event.kind != event_kind::kResume) continue;
    ++resumed;
    EXPECT_EQ(event.step % 21, 0);
    EXPECT_TRUE(*event.fields.GetBool("same_samples"));
  }
  EXPECT_EQ(resumed, 2);
  for (const auto& entry : CheckpointsIn(out + "/checkpoints")) {
    const Status status = VerifyCheckpoint(out + "/checkpoints/" + entry.name);
    EXPECT_TRUE(status.ok()) << status;
  }
}

// data=4 wrote it, data=2 goes on with the same global batches.
TEST(KeepJob, ASmallerWorldGoesOnWithTheSameSamples) {
  const TempDir dir;
  const Result four = RunCommand(LaunchKeepJob(
      4, dir / "four", {"--steps", "20", "--checkpoint-every", "13"}));
  ASSERT_EQ(four.code, kExitDone) << four.text;
  const std::string middle = dir / "four/checkpoints/step-00000013";
  const Result two = RunCommand(
      LaunchKeepJob(2, dir / "two", {"--steps", "20", "--resume", middle}));
  ASSERT_EQ(two.code, kExitDone) << two.text;
  bool told = false;
  for (const Event& event : EventsIn(dir / "two/events.jsonl")) {
    if (event.kind != event_kind::kResume) continue;
    told = true;
    EXPECT_TRUE(*event.fields.GetBool("same_samples"));
    EXPECT_THAT(event.fields.Find("changed")->Dump(),
                HasSubstr("{\"what\":\"world\",\"then\":4,\"now\":2}"));
  }
  EXPECT_TRUE(told);
  // Close to what four have done: the sums have another order.
  const auto losses = *ReadMetrics(dir / "two/metrics.jsonl");
  const auto wanted = *ReadMetrics(dir / "four/metrics.jsonl");
  ASSERT_EQ(losses.size(), 7u);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(losses[i].step, i + 13);
    EXPECT_NEAR(
        losses[i].loss, wanted[i + 13].loss, 1e-4 * wanted[i + 13].loss);
  }
}

// A file may not grow beyond 75 or 150 kB, as the shell counts its blocks: the
// logs are smaller, the state of 64 channels is not.
// (On one rank: the limit holds for shared memory, too.)
TEST(KeepJob, AFullDiskEndsTheRunWithAnErrorAndLastGoodStaysWhole) {
  const TempDir dir;
  const std::string out = dir / "run";
  ASSERT_EQ(
      RunCommand(LaunchKeepJob(1, out, {"--steps", "5", "--hidden", "64"}))
          .code,
      kExitDone);
  const std::string program =
      std::string(GYRE_COMMAND).substr(0, sizeof(GYRE_COMMAND) - 5) +
      "weather_loss";
  const Result result = RunCommand(
      {"/bin/sh",
       "-c",
       Cat("ulimit -f 150; exec '",
           program,
           "' --data synthetic --loss storm_softplus --steps 40 --hidden 64 "
           "--checkpoint-every 10 --out '",
           out,
           "' --resume '",
           out,
           "'")});
  EXPECT_EQ(result.code, kExitCheckpoint) << result.text;
  EXPECT_THAT(result.text,
              HasSubstr("the checkpoint before step 10 is not written"));
  EXPECT_THAT(result.text, HasSubstr("state-00000.safetensors"));
  EXPECT_EQ(*NewestGoodCheckpoint(out), out + "/checkpoints/step-00000005");
  bool told = false;
  for (const Event& event : EventsIn(out + "/events.jsonl")) {
    told = told || (event.kind == event_kind::kError && event.rank == 0 &&
                    *event.fields.GetString("error") == "checkpoint");
  }
  EXPECT_TRUE(told);
}

TEST(KeepJob, AFlippedBitEndsTheRunAndNamesTensorAndRank) {
  const TempDir dir;
  for (const auto& [fault, tensor, step] :
       {std::tuple("flip_param@rank=2,step=21,tensor=hidden0.w,element=7",
                   "params/hidden0.w",
                   21),
        std::tuple("flip_moment@rank=2,step=24,tensor=hidden0.b",
                   "state/0.m/hidden0.b",
                   24)}) {
    const std::string out = dir / tensor + std::string("-run");
    const Result result = RunCommand(LaunchKeepJob(
        4,
        out,
        {"--steps", "40", "--check-states-every", "8", "--inject", fault}));
    EXPECT_EQ(result.code, kExitMismatch) << result.text;
    EXPECT_THAT(result.text,
                HasSubstr(Cat("the ranks differ before step ",
                              step,
                              ": ",
                              tensor,
                              " differs: rank 2 stands against the others")));
  }
}

}  // namespace
}  // namespace gyre::weather
