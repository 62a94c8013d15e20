#include "gyre/train/faults/inject.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gyre::internal::inline tests {
namespace {

StepFaults Faults(const char* text, int rank) {
  StepFaults faults{*FaultPlan::Parse(text), rank};
  faults.Begin(3, 2);
  return faults;
}

SampleBatch Batch() {
  SampleBatch batch;
  batch.tensors = {{"ids", Tensor(DType::kI64, Shape({2}))},
                   {"x", Tensor::Of<float>({3}, {1, 2, 3})},
                   {"y", Tensor::Of<float>({2}, {4, 5})}};
  return batch;
}

TEST(Inject, DataFaultsLeaveTheCallersTensorsAlone) {
  const SampleBatch batch = Batch();
  StepFaults faults = Faults("nan_data@rank=1,step=3,tensor=x,element=2", 1);
  const SampleBatch spoiled = WithDataFaults(batch, faults);
  EXPECT_EQ(faults.injected, 1);
  EXPECT_TRUE(std::isnan(spoiled.tensors.at("x").data<float>()[2]));
  EXPECT_EQ(spoiled.tensors.at("x").data<float>()[1], 2);
  EXPECT_EQ(spoiled.tensors.at("y").data<float>()[0], 4);
  EXPECT_EQ(batch.tensors.at("x").data<float>()[2], 3);
}

TEST(Inject, OtherRanksAndStepsAreSpared) {
  const SampleBatch batch = Batch();
  StepFaults other = Faults("nan_data@rank=1,step=3", 0);
  WithDataFaults(batch, other);
  EXPECT_EQ(other.injected, 0);
  EXPECT_TRUE(Faults("nan_data@rank=1,step=4", 1).hits.empty());
}

TEST(Inject, WithoutANameAFloatTensorIsChosen) {
  const SampleBatch batch = Batch();
  StepFaults faults = Faults("inf_data@rate=1,rank=0", 0);
  const SampleBatch spoiled = WithDataFaults(batch, faults);
  int bad = 0;
  for (const char* name : {"x", "y"}) {
    for (const float v : spoiled.tensors.at(name).data<float>()) {
      if (std::isinf(v)) ++bad;
    }
  }
  EXPECT_EQ(bad, 1);
}

TEST(Inject, AnUpdateFaultIsOnAllRanksAndCountedOnOne) {
  optim::FlatLayout layout;
  ASSERT_TRUE(layout.Add("w", {4}).ok());
  for (const int rank : {0, 1}) {
    StepFaults faults = Faults("-inf_update@rank=1,step=3,element=2", rank);
    std::vector<float> grads(layout.elements(), 0.0f);
    WriteGradientFaults(layout, faults, grads.data(), 0, layout.count());
    EXPECT_EQ(grads[2], 0);
    WriteUpdateFaults(layout, faults, grads.data());
    EXPECT_EQ(grads[2], -INFINITY);
    EXPECT_EQ(faults.injected, rank);
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
