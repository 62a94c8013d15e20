#include "gyre/train/replay/step_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

// Of the first step, on two ranks.
Json ResultOf(const LineOptions& options) {
  Json result;
  LocalWorld world(2);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), 2);
    GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(0));
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    GYRE_ASSIGN_OR_RETURN(const Json json,
                          GatherStepResult(*step, report, batch));
    if (comm.rank() == 1) result = json;
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return result;
}

TEST(StepResult, OfTwoEqualStepsIsEqual) {
  const Json a = ResultOf({});
  const Json b = ResultOf({});
  EXPECT_FALSE(*a.GetBool("bad"));
  const auto& ranks = a.Find("ranks")->elements();
  ASSERT_EQ(ranks.size(), 2u);
  // Each rank has a gradient of its own, and one sum.
  EXPECT_NE(*ranks[0].GetString("local_gradient"),
            *ranks[1].GetString("local_gradient"));
  EXPECT_EQ(*ranks[0].GetString("reduced_gradient"),
            *ranks[1].GetString("reduced_gradient"));
  const auto differences = CompareResults(a, b);
  ASSERT_TRUE(differences.ok());
  EXPECT_TRUE(differences->empty()) << (*differences)[0].what;
}

TEST(StepResult, ABadNumberOnOneRankIsSeenThere) {
  const Json good = ResultOf({});
  LineOptions options;
  options.inject = "nan_data@rank=1,step=0";
  const Json bad = ResultOf(options);
  EXPECT_TRUE(*bad.GetBool("bad"));
  const auto differences = CompareResults(good, bad);
  ASSERT_TRUE(differences.ok());
  bool own = false;
  for (const ResultDifference& d : *differences) {
    own = own || (d.rank == 1 && d.what == "local_gradient");
  }
  EXPECT_TRUE(own);
}

TEST(StepResult, WhatIsNoneIsRefused) {
  const Json good = ResultOf({});
  const Status status = CompareResults(good, Json::Object()).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kCheckpoint);
  Json alone = good;
  alone.Set("ranks", Json::Array());
  const auto differences = CompareResults(good, alone);
  ASSERT_TRUE(differences.ok());
  ASSERT_EQ(differences->size(), 1u);
  EXPECT_EQ((*differences)[0].what, "ranks");
}

}  // namespace
}  // namespace gyre::internal::inline tests
