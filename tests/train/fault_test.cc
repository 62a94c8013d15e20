#include "gyre/train/faults/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

optim::FlatLayout Layout() {
  optim::FlatLayout layout;
  EXPECT_TRUE(layout.Add("a.w", {3}).ok());
  EXPECT_TRUE(layout.Add("a.b", {2}).ok());
  return layout;
}

TEST(FaultPlan, WritesWhereItWasAsked) {
  const auto plan = FaultPlan::Parse(
      "nan_grad@rank=2,step=50;-inf_grad@rank=0,step=3,tensor=a.b,element=1");
  ASSERT_TRUE(plan.ok()) << Message(plan.status());
  const optim::FlatLayout layout = Layout();
  EXPECT_TRUE(plan->Check(layout, 4).ok());
  std::vector<float> grads(layout.elements(), 1.0f);
  EXPECT_TRUE(plan->Hits(49, 4).empty());
  const std::vector<FaultHit> first = plan->Hits(50, 4);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].rank, 2);
  WriteHit(first[0], layout, grads.data());
  EXPECT_TRUE(std::isnan(grads[0]));
  WriteHit(plan->Hits(3, 4)[0], layout, grads.data());
  EXPECT_EQ(grads[layout[1].offset + 1], -INFINITY);
}

TEST(FaultPlan, ARateDrawsValuePlaceRankAndElement) {
  const auto plan = FaultPlan::Parse("any_any@rate=0.25,seed=3");
  ASSERT_TRUE(plan.ok()) << Message(plan.status());
  int values[kFaultValues] = {}, places[kFaultPlaces] = {}, ranks[3] = {};
  int total = 0;
  for (int step = 0; step < 4000; ++step) {
    for (const FaultHit& hit : plan->Hits(step, 3)) {
      ++total;
      ++values[static_cast<int>(hit.value)];
      ++places[static_cast<int>(hit.place)];
      ++ranks[hit.rank];
      EXPECT_LT(hit.Element(5), 5);
    }
  }
  EXPECT_NEAR(total, 1000, 120);
  for (const int n : values) EXPECT_NEAR(n, total / 5.0, 60);
  for (const int n : places) EXPECT_NEAR(n, total / 4.0, 70);
  for (const int n : ranks) EXPECT_NEAR(n, total / 3.0, 80);
  EXPECT_TRUE(plan->MayHit(FaultPlace::kActivation));
  EXPECT_FALSE(
      FaultPlan::Parse("nan_grad@rate=0.5")->MayHit(FaultPlace::kActivation));
}

TEST(FaultPlan, AnEmptyTextIsNoFault) {
  EXPECT_TRUE(FaultPlan::Parse("")->empty());
}

TEST(FaultPlan, SaysWhatItDoesNotUnderstand) {
  const auto error = [](const char* text) {
    return Message(FaultPlan::Parse(text).status());
  };
  EXPECT_THAT(error("nan_grad"), HasSubstr("expected KIND@rank=R,step=S"));
  EXPECT_THAT(error("nam_grad@rank=1,step=2"), HasSubstr("nam_grad"));
  EXPECT_THAT(error("nan_grad@rank=x"), HasSubstr("rank=x is not a number"));
  EXPECT_THAT(error("nan_grad@rnk=1"), HasSubstr("unknown \"rnk\""));
  EXPECT_THAT(error("nan_grid@rank=1"), HasSubstr("nan_grid"));
  EXPECT_THAT(error("nan_grad@rate=2"), HasSubstr("rate=2 is not a share"));
  EXPECT_THAT(error("nan_grad@rank"), HasSubstr("cannot read \"rank\""));
}

TEST(FaultPlan, ChecksRankTensorAndElement) {
  const auto error = [](const char* text) {
    return Message(FaultPlan::Parse(text)->Check(Layout(), 2));
  };
  EXPECT_THAT(error("nan_grad@rank=2,step=0"), HasSubstr("not one of the 2"));
  EXPECT_THAT(error("nan_grad@rank=0,step=0,tensor=c"),
              HasSubstr("no tensor \"c\"; it has a.w, a.b"));
  EXPECT_THAT(error("nan_grad@rank=0,step=0,element=3"),
              HasSubstr("outside a.w"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
