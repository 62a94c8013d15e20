#include "gyre/train/checkpoint/guard_json.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

TEST(GuardJson, ComesBackToTheBit) {
  const optim::SpikeRule rule{
      .action = optim::SpikeAction::kClip, .window = 4, .warmup = 2};
  optim::GuardState guard{.attempted = 9,
                          .applied = 6,
                          .skipped = 3,
                          .consecutive_skips = 1,
                          .recent_skips = {2, 5, 8}};
  for (const double x : {0.1, 1 / 3.0, 2e-300, 7e30, 0.3}) {
    guard.norms.Add(x, rule);
  }
  guard.loss_scale = {.scale = 256, .good_steps = 7, .backoffs = 2};
  const auto text = GuardStateJson(guard).Pretty();
  const auto json = Json::Parse(text);
  ASSERT_TRUE(json.ok());
  const auto back = GuardStateFrom(*json);
  ASSERT_TRUE(back.ok()) << Message(back.status());
  EXPECT_EQ(*back, guard);
}

TEST(GuardJson, WhatIsMissingBeginsAnew) {
  const auto json = Json::Parse(
      R"({"attempted": 2, "applied": 1, "skipped": 1,
          "consecutive_skips": 1, "halted": false})");
  const auto back = GuardStateFrom(*json);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->attempted, 2);
  EXPECT_TRUE(back->norms.norms().empty());
}

TEST(GuardJson, RefusesWhatCannotBe) {
  Json json = GuardStateJson({});
  json.Set("norms",
           Json::Object({{"values", Json::Array({1, 2})}, {"next", 2}}));
  EXPECT_FALSE(GuardStateFrom(json).ok());
  json = GuardStateJson({});
  json.Set("loss_scale",
           Json::Object({{"scale", -1}, {"good_steps", 0}, {"backoffs", 0}}));
  EXPECT_FALSE(GuardStateFrom(json).ok());
}

}  // namespace
}  // namespace gyre::internal::inline tests
