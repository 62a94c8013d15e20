#include "gyre/train/data/prefetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Sample ids are the step; some steps fail. Counts what is alive of it.
class StepSource final : public BatchSource {
 public:
  StatusOr<SampleBatch> Load(std::int64_t step) override {
    ++loads;
    furthest = std::max<std::int64_t>(furthest, step);
    if (step == throws_at) throw std::runtime_error("no such page");
    if (step == fails_at) return DataError("the file is cut short");
    SampleBatch batch;
    batch.sample_ids = {step};
    batch.tensors["x"] = Tensor::Of<float>({1}, {static_cast<float>(step)});
    return batch;
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step, int) const override {
    return {step};
  }
  std::string SampleName(std::int64_t id) const override {
    return Cat("s", id);
  }

  std::atomic<int> loads = 0;
  std::atomic<std::int64_t> furthest = 0;
  std::int64_t throws_at = -1;
  std::int64_t fails_at = -1;
};

TEST(PrefetchSource, GivesTheBatchesOfTheSourceInOrder) {
  StepSource source;
  PrefetchSource ahead(source, {.batches = 3});
  for (std::int64_t step = 5; step < 200; ++step) {
    const auto batch = ahead.Load(step);
    ASSERT_TRUE(batch.ok());
    EXPECT_THAT(batch->sample_ids, ElementsAre(step));
    EXPECT_EQ(batch->tensors.at("x").data<float>()[0], step);
    // No further than what is held and what is being loaded.
    EXPECT_LE(source.furthest, step + 4);
  }
  EXPECT_THAT(ahead.SampleIds(7, 0), ElementsAre(7));
  EXPECT_EQ(ahead.SampleName(7), "s7");
}

TEST(PrefetchSource, GoesWhereTheLoopGoes) {
  StepSource source;
  PrefetchSource ahead(source);
  for (const std::int64_t step : {0, 1, 2, 1, 2, 3, 100, 101, 0, 0, 7, 6}) {
    const auto batch = ahead.Load(step);
    ASSERT_TRUE(batch.ok());
    EXPECT_THAT(batch->sample_ids, ElementsAre(step));
  }
}

TEST(PrefetchSource, AnErrorComesOutAtItsStep) {
  StepSource source;
  source.fails_at = 2;
  source.throws_at = 3;
  PrefetchSource ahead(source, {.batches = 4});
  EXPECT_TRUE(ahead.Load(0).ok());
  EXPECT_TRUE(ahead.Load(1).ok());
  EXPECT_THAT(Message(ahead.Load(2).status()), HasSubstr("cut short"));
  EXPECT_THROW(static_cast<void>(ahead.Load(3)), std::runtime_error);
  EXPECT_TRUE(ahead.Load(4).ok());
}

TEST(PrefetchSource, UnusedItLoadsNothingAndEnds) {
  StepSource source;
  { PrefetchSource ahead(source); }
  EXPECT_EQ(source.loads, 0);
  { PrefetchSource(source, {.batches = 0}).Load(9).status().IgnoreError(); }
  EXPECT_GE(source.loads, 1);
}

}  // namespace
}  // namespace gyre::internal::inline tests
