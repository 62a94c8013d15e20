#include "apps/weather_loss/groups.h"

#include <gtest/gtest.h>

#include "apps/weather_loss/statistics.h"
#include "tests/apps/weather_loss/small_fields.h"

namespace gyre::weather {

using namespace internal;

namespace {

// Two rows (10 N, 50 N) of three cells; the second cell of the first row is a
// deep low, the third is never valid.
Fields Lows() {
  Fields fields = SmallFields(2, 3, [](std::int64_t t, int c, std::int64_t i) {
    if (c != kP) return static_cast<float>(t + i + c);
    return i == 1 ? 96000.0f : 101000.0f + static_cast<float>(10 * i + t);
  });
  for (std::int64_t t = 0; t < 2; ++t) Remove(&fields, t, kP, 2);
  return fields;
}

TEST(Groups, SplitTheErrorOfValidCells) {
  const Fields fields = Lows();
  const auto builder =
      BatchBuilder::Create(fields, *ComputeStatistics(fields, 2));
  ASSERT_TRUE(builder.ok()) << builder.status();
  SampleBatch batch;
  batch.sample_ids = {0};
  batch.tensors = *builder->Build(batch.sample_ids);
  // Off by 2 at the low, by 1 elsewhere.
  Tensor forecast = batch.tensors.at("target").Clone();
  for (float& x : forecast.data<float>()) x += 1;
  forecast.data<float>()[1] += 1;
  const auto groups = GroupLosses(*builder, batch, forecast);
  ASSERT_EQ(groups.size(), 11u);
  const auto mean = [&](std::size_t i) {
    return groups[i].sum / groups[i].weight;
  };
  const double south = builder->area()[0], north = builder->area()[1];
  EXPECT_NEAR(groups[kT].weight, 3 * south + 3 * north, 1e-9);
  EXPECT_NEAR(mean(kT), 1, 1e-5);
  EXPECT_NEAR(groups[kP].weight, 2 * south + 3 * north, 1e-9);
  EXPECT_EQ(groups[6].name, "p, deeper than 40 hPa");
  EXPECT_NEAR(mean(6), 4, 1e-5);
  EXPECT_EQ(groups[7].weight, 0);  // none is 20 to 40 hPa deep
  EXPECT_NEAR(mean(8), 1, 1e-5);
  EXPECT_EQ(groups[9].weight, 0);  // none is beyond 60 degrees
  EXPECT_NEAR(groups[10].sum, groups[kP].sum, 1e-5);
}

TEST(Groups, AForecastOfAnotherShapeHasNone) {
  const Fields fields = Lows();
  const auto builder =
      BatchBuilder::Create(fields, *ComputeStatistics(fields, 2));
  SampleBatch batch;
  batch.tensors = *builder->Build(std::vector<std::int64_t>{0});
  EXPECT_TRUE(GroupLosses(*builder, batch, Tensor::Zeros({3})).empty());
}

}  // namespace
}  // namespace gyre::weather
