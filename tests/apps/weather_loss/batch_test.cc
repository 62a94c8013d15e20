#include "apps/weather_loss/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/apps/weather_loss/small_fields.h"

namespace gyre::weather {

using namespace internal;

namespace {

using testing::HasSubstr;

Fields Sample() {
  Fields fields = SmallFields(4, 3, [](std::int64_t t, int c, std::int64_t i) {
    const float base = c == kP ? 101000.0f : 0.0f;
    return base + static_cast<float>(10 * t * (c + 1) + i * i + c);
  });
  for (std::int64_t t = 0; t < 4; ++t) {
    for (int c = 0; c < kChannels; ++c) Remove(&fields, t, c, 5);
  }
  Remove(&fields, 2, kU, 1);
  return fields;
}

class BatchTest : public testing::Test {
 protected:
  BatchBuilder Make(const BatchOptions& options = {}) {
    StatusOr<BatchBuilder> builder =
        BatchBuilder::Create(fields_, statistics_, options);
    GYRE_CHECK(builder.ok(), builder.status());
    return *std::move(builder);
  }
  std::map<std::string, Tensor> Build(const BatchBuilder& builder,
                                      const std::vector<std::int64_t>& ids) {
    StatusOr<std::map<std::string, Tensor>> batch = builder.Build(ids);
    GYRE_CHECK(batch.ok(), batch.status());
    return *std::move(batch);
  }

  Fields fields_ = Sample();
  Statistics statistics_ = *ComputeStatistics(fields_, 4);
};

TEST_F(BatchTest, HasTheShapesThatTheHeaderSays) {
  const std::map<std::string, Tensor> batch = Build(Make(), {0, 2});
  EXPECT_EQ(batch.at("input").shape(), Shape({2, 6, 2, 3}));
  EXPECT_EQ(batch.at("target").shape(), Shape({2, 6, 2, 3}));
  EXPECT_EQ(batch.at("mask").shape(), Shape({2, 6, 2, 3}));
  EXPECT_EQ(batch.at("slp_now").shape(), Shape({2, 1, 2, 3}));
  EXPECT_EQ(batch.at("slp_next").shape(), Shape({2, 1, 2, 3}));
  EXPECT_EQ(batch.size(), 5u);
}

TEST_F(BatchTest, NormalisesNowAndNext) {
  const std::map<std::string, Tensor> batch = Build(Make(), {2, 1});
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t t = k == 0 ? 2 : 1;
    for (int c = 0; c < kChannels; ++c) {
      const ChannelStatistics& s = statistics_.channels[c];
      for (std::size_t i = 0; i < 6; ++i) {
        const std::size_t at = (k * kChannels + c) * 6 + i;
        const bool now = fields_.Mask(t, c)[i] == 1;
        const bool next = fields_.Mask(t + 1, c)[i] == 1;
        EXPECT_FLOAT_EQ(
            batch.at("input").data<float>()[at],
            now ? static_cast<float>((fields_.Values(t, c)[i] - s.mean) / s.std)
                : 0.0f);
        EXPECT_FLOAT_EQ(
            batch.at("target").data<float>()[at],
            next ? static_cast<float>((fields_.Values(t + 1, c)[i] - s.mean) /
                                      s.std)
                 : 0.0f);
        EXPECT_EQ(batch.at("mask").data<float>()[at],
                  now && next ? 1.0f : 0.0f);
      }
    }
  }
}

TEST_F(BatchTest, PressureIsObservedAndAMissingOneIsNoStorm) {
  const std::map<std::string, Tensor> batch = Build(Make(), {1});
  const auto now = batch.at("slp_now").data<float>();
  const auto next = batch.at("slp_next").data<float>();
  EXPECT_EQ(now[4], fields_.Values(1, kP)[4]);
  EXPECT_EQ(next[4], fields_.Values(2, kP)[4]);
  EXPECT_EQ(now[5], 101325.0f);
  EXPECT_EQ(next[5], 101325.0f);
}

TEST_F(BatchTest, ConstantsFitTheBatch) {
  const BatchBuilder builder = Make();
  const std::map<std::string, Tensor> constants = builder.Constants();
  EXPECT_EQ(constants.at("area").shape(), Shape({1, 1, 2, 1}));
  const auto area = constants.at("area").data<float>();
  EXPECT_NEAR(area[0] + area[1], 2, 1e-6);
  EXPECT_GT(area[0], area[1]);  // 10 N has more than 50 N
  EXPECT_EQ(constants.at("tendency_scale").shape(), Shape({1, 6, 1, 1}));
  const ChannelStatistics& v = statistics_.channels[kV];
  EXPECT_FLOAT_EQ(constants.at("tendency_scale").data<float>()[kV],
                  static_cast<float>(v.std_tendency / v.std));
  EXPECT_FLOAT_EQ(constants.at("mean").data<float>()[kV],
                  static_cast<float>(v.mean));
  EXPECT_FLOAT_EQ(constants.at("std").data<float>()[kV],
                  static_cast<float>(v.std));
}

TEST_F(BatchTest, ToPhysicalUndoesIt) {
  const BatchBuilder builder = Make();
  const Tensor physical = builder.ToPhysical(Build(builder, {0}).at("input"));
  for (int c = 0; c < kChannels; ++c) {
    for (std::size_t i = 0; i < 5; ++i) {
      const float expected = fields_.Values(0, c)[i];
      EXPECT_NEAR(physical.data<float>()[c * 6 + i],
                  expected,
                  1e-5 * std::abs(expected) + 1e-4);
    }
  }
}

TEST_F(BatchTest, StaticInputsFollowTheFields) {
  const BatchBuilder builder = Make({.static_inputs = true});
  EXPECT_EQ(builder.inputs(), 11);
  const std::map<std::string, Tensor> batch = Build(builder, {0, 1});
  ASSERT_EQ(batch.at("input").shape(), Shape({2, 11, 2, 3}));
  const auto input = batch.at("input").data<float>();
  for (const std::size_t k : {0, 1}) {
    const auto valid = input.subspan((k * 11 + 6) * 6, 6);
    EXPECT_THAT(valid, testing::ElementsAre(1, 1, 1, 1, 1, 0));
    const auto sin_lat = input.subspan((k * 11 + 7) * 6, 6);
    EXPECT_NEAR(sin_lat[0], 0.17365, 1e-5);
    EXPECT_NEAR(sin_lat[5], 0.76604, 1e-5);
    const auto cos_lon = input.subspan((k * 11 + 10) * 6, 6);
    EXPECT_NEAR(cos_lon[0], 1, 1e-6);
  }
  EXPECT_EQ(batch.at("target").shape(), Shape({2, 6, 2, 3}));
  EXPECT_EQ(Make().inputs(), 6);
}

TEST_F(BatchTest, RefusesASampleWithoutANext) {
  const BatchBuilder builder = Make();
  for (const std::int64_t id : {-1, 3, 100}) {
    const Status status = builder.Build(std::vector{id}).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kData) << id;
    EXPECT_THAT(Message(status), HasSubstr(Cat("got ", id)));
  }
}

TEST_F(BatchTest, NoSamplesGiveEmptyTensors) {
  EXPECT_EQ(Build(Make(), {}).at("input").shape(), Shape({0, 6, 2, 3}));
}

}  // namespace
}  // namespace gyre::weather
