#include "gyre/core/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <optional>

#include "gyre/core/exit_code.h"

namespace gyre::internal::inline tests {
namespace {

TEST(StopSignalsTest, TheFirstSignalIsKept) {
  const StopSignals signals;
  EXPECT_EQ(signals.requested(), 0);
  ::raise(SIGUSR1);
  EXPECT_EQ(signals.requested(), SIGUSR1);
  ::raise(SIGTERM);
  EXPECT_EQ(signals.requested(), SIGUSR1);
}

TEST(StopSignalsTest, ObjectsShareARequestAndTheLastRestores) {
  ::signal(SIGTERM, SIG_IGN);
  {
    std::optional<StopSignals> first(std::in_place);
    const StopSignals second;
    first.reset();
    ::raise(SIGTERM);
    EXPECT_EQ(second.requested(), SIGTERM);
  }
  ::raise(SIGTERM);  // ignored, as before
  {
    const StopSignals fresh;
    EXPECT_EQ(fresh.requested(), 0);
  }
  EXPECT_EQ(::signal(SIGTERM, SIG_DFL), SIG_IGN);
}

TEST(StopSignalsTest, TheStatusAndItsExitCode) {
  const Status stopped = StoppedBySignal(SIGTERM, "stopped");
  EXPECT_FALSE(stopped.ok());
  EXPECT_EQ(Message(stopped), "stopped");
  EXPECT_EQ(StopSignalOf(stopped), SIGTERM);
  EXPECT_EQ(ExitCodeOf(stopped), 128 + SIGTERM);
  EXPECT_EQ(StopSignalOf(DataError("no")), std::nullopt);
  EXPECT_EQ(StopSignalOf(OkStatus()), std::nullopt);
}

}  // namespace
}  // namespace gyre::internal::inline tests
