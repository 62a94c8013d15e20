#include "apps/gyre/replay/program_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "gyre/core/clock.h"
#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// Evidence of a program that is this shell script.
class Script {
 public:
  explicit Script(const std::string& body) {
    const std::string path = dir_ / "script";
    EXPECT_TRUE(WriteFileAtomically(path, "#!/bin/sh\n" + body).ok());
    EXPECT_EQ(::chmod(path.c_str(), 0755), 0);
    run_.gyre = GYRE_COMMAND;
    run_.program = path;
    evidence_.folder = "/evidence";
    evidence_.start.start.directory = dir_.path();
    evidence_.start.start.arguments = {"--lr", "1"};
    evidence_.start.environment = {{"GYRE_INJECT", "x"}};
  }

  StatusOr<Json> Run(const Change& change, double timeout_s = 60) {
    run_.timeout_s = timeout_s;
    return RunProgram(run_, evidence_, change);
  }

 private:
  const TempDir dir_;
  ProgramRun run_;
  Evidence evidence_;
};

TEST(ProgramRun, TellsTheProgramWhatToDoAndReadsItsResult) {
  Script script(
      "echo \"{\\\"args\\\": \\\"$*\\\", \\\"with\\\": "
      "\\\"$GYRE_REPLAY_WITH\\\", \\\"of\\\": \\\"$GYRE_REPLAY\\\", "
      "\\\"inject\\\": \\\"$GYRE_INJECT\\\", \\\"in\\\": \\\"$PWD\\\"}\" "
      "> $GYRE_REPLAY_OUT/result.json\n"
      "exit 3\n");  // the result is what counts
  const auto result =
      script.Run({.name = "x", .with = "jit=off", .extra = {"--loss", "mse"}});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result->GetString("args"), "--lr 1 --loss mse");
  EXPECT_EQ(*result->GetString("with"), "jit=off");
  EXPECT_EQ(*result->GetString("of"), "/evidence");
  EXPECT_EQ(*result->GetString("inject"), "x");
  EXPECT_THAT(*result->GetString("in"), HasSubstr("gyre-test-"));
}

TEST(ProgramRun, WithoutAResultShowsTheEndOfTheOutput) {
  Script script("for i in 1 2 3; do echo line $i; done; exit 3\n");
  const Status status = script.Run({.name = "x"}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kConfig);
  EXPECT_THAT(Message(status), HasSubstr("did not run the step"));
  EXPECT_THAT(Message(status), HasSubstr("line 3"));
}

TEST(ProgramRun, ThatDoesNotEndIsEnded) {
  Script script("echo started; sleep 600\n");
  const Stopwatch watch;
  const Status status = script.Run({.name = "x"}, 1).status();
  EXPECT_LT(watch.Seconds(), 30);
  EXPECT_EQ(KindOf(status), ErrorKind::kPeer);
  EXPECT_THAT(Message(status), HasSubstr("did not end within 1 s"));
}

TEST(ScratchFolder, IsRemovedWithWhatIsInIt) {
  std::string path;
  {
    const auto scratch = ScratchFolder::Make();
    ASSERT_TRUE(scratch.ok()) << scratch.status();
    path = scratch->path();
    ASSERT_TRUE(WriteFileAtomically(path + "/x", "text").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace gyre::internal::inline tests
