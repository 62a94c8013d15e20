#include "gyre/runtime/run_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "gyre/core/exit_code.h"
#include "gyre/runtime/run_main.h"

namespace gyre::internal::inline tests {
namespace {

using Variables = std::map<std::string, std::string>;

EnvReader Having(const Variables& all) {
  return [all](const std::string& name) -> std::optional<std::string> {
    const auto found = all.find(name);
    if (found == all.end()) return std::nullopt;
    return found->second;
  };
}

TEST(RunEnvironment, NothingIsAPlainRun) {
  const auto context = ReadRunContext(Having({}));
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ(context->replay + context->rewind + context->inject, "");
  EXPECT_EQ(context->restarts, 0);
  EXPECT_TRUE(context->variables.empty());
}

TEST(RunEnvironment, EveryLaunchersRestartsCount) {
  for (const char* name :
       {"GYRE_RESTART", "TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT"}) {
    EXPECT_EQ(ReadRunContext(Having({{name, "0"}}))->restarts, 0) << name;
    EXPECT_EQ(ReadRunContext(Having({{name, "2"}}))->restarts, 2) << name;
    for (const char* bad : {"often", "-1", "1x", ""}) {
      const auto none = ReadRunContext(Having({{name, bad}}));
      EXPECT_EQ(KindOf(none.status()), ErrorKind::kConfig) << name << bad;
      EXPECT_THAT(Message(none.status()), testing::HasSubstr(name));
    }
  }
  EXPECT_EQ(ReadRunContext(
                Having({{"GYRE_RESTART", "0"}, {"SLURM_RESTART_COUNT", "3"}}))
                ->restarts,
            3);
}

TEST(RunEnvironment, ReachesTheBodyOnTheCommunicator) {
  const Variables said = {{"GYRE_REPLAY", "a"},
                          {"GYRE_REPLAY_OUT", "b"},
                          {"GYRE_REPLAY_WITH", "jit=off"},
                          {"GYRE_REWIND", "{}"},
                          {"GYRE_INJECT", "nan_grad@step=1"},
                          {"GYRE_JIT", "0"}};
  RunContext context;
  const int code = RunMain(
      [&](World& world) {
        context = world.comm().run_context();
        return OkStatus();
      },
      {.env = Having(said)});
  EXPECT_EQ(code, kExitDone);
  EXPECT_EQ(context.replay, "a");
  EXPECT_EQ(context.replay_out, "b");
  EXPECT_EQ(context.replay_with, "jit=off");
  EXPECT_EQ(context.rewind, "{}");
  EXPECT_EQ(context.inject, "nan_grad@step=1");
  EXPECT_EQ(context.variables.size(), 2u);
}

TEST(RunEnvironment, WhatIsNoNumberEndsTheProgramBeforeItBegins) {
  testing::internal::CaptureStderr();
  bool ran = false;
  const int code = RunMain(
      [&](World&) {
        ran = true;
        return OkStatus();
      },
      {.env = Having({{"GYRE_RESTART", "often"}})});
  EXPECT_EQ(code, kExitUsage);
  EXPECT_FALSE(ran);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("GYRE_RESTART"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
