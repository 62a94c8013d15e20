#include "train/loop.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "collectives/local/local_world.h"
#include "core/io/file.h"
#include "core/stop_signals.h"
#include "monitor/event_log.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre {
namespace {

// A source in whose fourth step somebody wants the process to stop.
class SignalSource final : public BatchSource {
 public:
  SignalSource(int rank, int ranks, int signal)
      : source_(rank, ranks), rank_(rank), signal_(signal) {}

  StatusOr<SampleBatch> Load(std::int64_t step) override {
    if (step == 3 && rank_ == 0) ::raise(signal_);
    return source_.Load(step);
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }

 private:
  LineSource source_;
  int rank_;
  int signal_;
};

TEST(Loop, ASignalEndsTheRunAfterACheckpointOnAllRanksAlike) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const TempDir dir;
    std::int64_t ends[2] = {-1, -2};
    LocalWorld world(2);
    const Status status = world.Run([&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
      GYRE_ASSIGN_OR_RETURN(const RunDirectory run,
                            RunDirectory::Create(dir / "run", comm.rank()));
      SignalSource source(comm.rank(), comm.size(), signal);
      const auto result = RunTraining(*step, source, run, {.steps = 100});
      EXPECT_EQ(StopSignalOf(result.status()), signal) << result.status();
      ends[comm.rank()] = step->next_step();
      return OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    // The signal is seen before the next step, whose reduction spreads it.
    EXPECT_EQ(ends[0], ends[1]);
    EXPECT_GE(ends[0], 4);
    EXPECT_LE(ends[0], 6);
    const std::string checkpoint =
        Cat(dir / "run/checkpoints/", StepName(ends[0]), "/manifest.json");
    EXPECT_TRUE(FileExists(checkpoint)) << checkpoint;
  }
}

TEST(Loop, OneRankThatIsAskedTellsAllInTheSameStep) {
  LocalWorld world(4);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < 4; ++i) {
      if (i == 2 && comm.rank() == 1) step->RequestStop(SIGUSR1);
      if (i == 3 && comm.rank() == 2) step->RequestStop(SIGTERM);
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_TRUE(report.verdict.clean());
      EXPECT_EQ(report.stop_signal, i < 2 ? 0 : i == 2 ? SIGUSR1 : SIGTERM);
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gyre
