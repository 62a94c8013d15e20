// More ranks than anybody has processors: the job goes to its end, whether
// they are threads or processes.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "gyre/core/exit_code.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "tests/support/command.h"
#include "tests/support/temp_dir.h"

namespace gyre::weather {

using namespace internal;

namespace {

bool LongTests() { return std::getenv("GYRE_LONG_TESTS") != nullptr; }

// The hash of the parameters at the end; "" when it did not get there. The
// series of made-up fields is long enough for 128 samples a step.
std::string Train(int ranks, int processes, int steps, bool small) {
  const TempDir dir;
  std::vector<std::string> arguments = {GYRE_COMMAND,
                                        "launch",
                                        "-n",
                                        Cat(ranks),
                                        "--processes",
                                        Cat(processes),
                                        "--",
                                        "weather_loss",
                                        "--data",
                                        "synthetic:160",
                                        "--batch",
                                        Cat(ranks),
                                        "--steps",
                                        Cat(steps),
                                        "--out",
                                        dir / "run"};
  if (small) {
    arguments.insert(arguments.end(), {"--hidden", "4", "--kernel", "3"});
  }
  const Result result = RunCommand(arguments);
  EXPECT_EQ(result.code, kExitDone) << result.text;
  const auto text = ReadFile(dir / "run/summary.json");
  if (!text.ok()) return "";
  const auto json = Json::Parse(*text);
  EXPECT_TRUE(*json->GetBool("hashes_equal"));
  EXPECT_EQ(*json->GetInt("attempted"), steps);
  return *json->GetString("param_hash");
}

TEST(ManyRanks, ThirtyTwoInOneProcess) {
  EXPECT_NE(Train(32, 1, 5, /*small=*/true), "");
}

TEST(ManyRanks, ThirtyTwoAndOneHundredTwentyEightOfEitherKindToTheEnd) {
  if (!LongTests()) GTEST_SKIP() << "set GYRE_LONG_TESTS";
  for (const int ranks : {32, 128}) {
    const int steps = ranks == 32 ? 1500 : 300;
    const std::string threads = Train(ranks, 1, steps, /*small=*/false);
    EXPECT_EQ(Train(ranks, ranks, steps, /*small=*/false), threads);
    EXPECT_NE(threads, "");
  }
}

}  // namespace
}  // namespace gyre::weather
