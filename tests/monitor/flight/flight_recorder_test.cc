#include "gyre/monitor/flight/flight_recorder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <memory>

#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/monitor/flight/safe_text.h"
#include "gyre/monitor/flight/signal_dump.h"
#include "gyre/monitor/json_lines.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

TEST(SafeText, WritesNumbersThatReadBack) {
  TempDir dir;
  const int fd = ::open((dir / "t").c_str(), O_WRONLY | O_CREAT, 0600);
  SafeText out(fd);
  const double values[] = {
      0, 1, -1, 0.1, 1234567.25, 1e300, -2.5e-300, 9.9999999999, 5e-324};
  out.Text("[");
  for (const double value : values) out.Number(value).Text(",");
  out.Number(NAN).Text(",").Number(-INFINITY).Text(",");
  out.Integer(std::numeric_limits<std::int64_t>::min()).Text(",");
  out.Quoted("a\"\\\n\xFF b").Text("]");
  out.Flush();
  ::close(fd);
  const auto json = Json::Parse(*ReadFile(dir / "t"));
  ASSERT_TRUE(json.ok()) << json.status();
  const auto& found = json->elements();
  for (int i = 0; i < 8; ++i) {
    EXPECT_NEAR(*found[i].AsDouble(), values[i], 1e-7 * std::abs(values[i]));
  }
  EXPECT_TRUE(std::isnan(*found[9].AsDouble()));
  EXPECT_EQ(*found[10].AsDouble(), -INFINITY);
  EXPECT_EQ(*found[11].AsInt(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(*found[12].AsString(), "a???? b");
}

TEST(FlightRecorder, KeepsTheLastSteps) {
  TempDir dir;
  const auto flight = std::make_unique<FlightRecorder>(3);
  for (int i = 0; i < 5000; ++i) {
    flight->Step({.step = i, .loss = i == 4990 ? NAN : 0.5});
  }
  ASSERT_TRUE(flight->Dump((dir / "f").c_str(), "test"));
  const auto lines = ReadJsonLines(dir / "f");
  ASSERT_TRUE(lines.ok()) << lines.status();
  ASSERT_EQ(lines->size(), FlightRecorder::kKept);  // the head, and 1023
  EXPECT_EQ(*(*lines)[0].GetInt("rank"), 3);
  EXPECT_EQ(*(*lines)[0].GetInt("steps"), 5000);
  EXPECT_EQ(*(*lines)[1].GetInt("step"), 5000 - 1023);
  EXPECT_EQ(*lines->back().GetInt("step"), 4999);
  EXPECT_EQ(*(*lines)[lines->size() - 10].GetString("loss"), "NaN");
}

TEST(FlightRecorder, ShowsTheCollectiveThatWasNotLeft) {
  TempDir dir;
  const auto flight = std::make_unique<FlightRecorder>(0);
  flight->Leave(flight->Enter("all_reduce", "gradients", 64), 3, 1500);
  flight->Enter("barrier", std::string(100, 'x'), 0);
  ASSERT_TRUE(flight->Dump((dir / "f").c_str(), "deadline"));
  const auto lines = ReadJsonLines(dir / "f");
  ASSERT_TRUE(lines.ok()) << lines.status();
  ASSERT_EQ(lines->size(), 3u);
  EXPECT_NE((*lines)[1].Find("leave_ns"), nullptr);
  EXPECT_EQ(*(*lines)[1].GetInt("last_rank"), 3);
  EXPECT_EQ(*(*lines)[1].GetInt("behind_ns"), 1500);
  EXPECT_EQ((*lines)[2].Find("last_rank"), nullptr);
  EXPECT_EQ((*lines)[2].Find("leave_ns"), nullptr);
  EXPECT_EQ(*(*lines)[2].GetString("label"), std::string(47, 'x'));
}

TEST(FlightRecorder, SaysWhenItCannotWrite) {
  const auto flight = std::make_unique<FlightRecorder>(0);
  EXPECT_FALSE(flight->Dump("/no/such/folder/f", "test"));
}

// A process of its own, which dies by `signal`.
int DieBy(int signal, const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto flight = std::make_unique<FlightRecorder>(1);
    const SignalDump dump(*flight, path);
    flight->Step({.step = 41});
    ::raise(signal);
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(SignalDump, WritesAndThenDiesAsBefore) {
  TempDir dir;
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
    const int status = DieBy(signal, dir / "f");
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), signal);
    const auto lines = ReadJsonLines(dir / "f");
    ASSERT_TRUE(lines.ok()) << lines.status();
    ASSERT_EQ(lines->size(), 2u);
    EXPECT_EQ(*(*lines)[1].GetInt("step"), 41);
  }
}

TEST(SignalDump, OfSigusr2TheRunGoesOn) {
  TempDir dir;
  const int status = DieBy(SIGUSR2, dir / "f");
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_THAT(*ReadFile(dir / "f"), testing::HasSubstr("SIGUSR2"));
}

TEST(SignalDump, AllRanksOfAProcessAreWritten) {
  TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto zero = std::make_unique<FlightRecorder>(0);
    const auto one = std::make_unique<FlightRecorder>(1);
    const SignalDump first(*zero, dir / "0");
    { const SignalDump gone(*one, dir / "gone"); }
    const SignalDump second(*one, dir / "1");
    ::raise(SIGABRT);
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
  for (const int rank : {0, 1}) {
    const auto lines = ReadJsonLines(dir / Cat(rank));
    ASSERT_TRUE(lines.ok()) << lines.status();
    EXPECT_EQ(*(*lines)[0].GetInt("rank"), rank);
  }
  EXPECT_FALSE(FileExists(dir / "gone"));
}

TEST(SignalDump, TheLastOfAProcessPutsTheFormerHandlersBack) {
  const auto flight = std::make_unique<FlightRecorder>(0);
  const auto handler = [] {
    struct sigaction action = {};
    ::sigaction(SIGUSR2, nullptr, &action);
    return action.sa_handler;
  };
  const auto before = handler();
  auto first = std::make_unique<SignalDump>(*flight, "/dev/null");
  auto second = std::make_unique<SignalDump>(*flight, "/dev/null");
  EXPECT_TRUE(first->active());
  EXPECT_TRUE(second->active());
  EXPECT_NE(handler(), before);
  first.reset();
  EXPECT_NE(handler(), before);
  second.reset();
  EXPECT_EQ(handler(), before);
}

}  // namespace
}  // namespace gyre::internal::inline tests
