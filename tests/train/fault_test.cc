#include "train/fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gyre {
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
  EXPECT_EQ(plan->Apply(50, 1, layout, grads.data()), 0);
  EXPECT_EQ(plan->Apply(49, 2, layout, grads.data()), 0);
  EXPECT_EQ(plan->Apply(50, 2, layout, grads.data()), 1);
  EXPECT_TRUE(std::isnan(grads[0]));
  EXPECT_EQ(plan->Apply(3, 0, layout, grads.data()), 1);
  EXPECT_EQ(grads[layout[1].offset + 1], -INFINITY);
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
}  // namespace gyre
