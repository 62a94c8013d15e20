#include "gyre/monitor/event.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

Event Skip() {
  Event event;
  event.time = "2026-11-29T17:04:05.123Z";
  event.step = 412;
  event.rank = 0;
  event.kind = event_kind::kSkip;
  event.fields.Set("ranks", Json::Array({2}));
  return event;
}

TEST(Event, IsOneLineWithTheCommonFieldsFirst) {
  EXPECT_EQ(ToJson(Skip()).Dump(),
            R"({"time":"2026-11-29T17:04:05.123Z","step":412,"rank":0,)"
            R"("kind":"skip","ranks":[2]})");
}

TEST(Event, ComesBackFromItsLine) {
  const StatusOr<Event> back = EventFromJson(ToJson(Skip()));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(ToJson(*back), ToJson(Skip()));
}

TEST(Event, ALineWithoutItsStepIsNone) {
  const Json json = Json::Object({{"time", "now"}, {"kind", "skip"}});
  EXPECT_EQ(Message(EventFromJson(json).status()), "\"step\" is missing");
  EXPECT_FALSE(EventFromJson(Json(3)).ok());
}

TEST(EventDeathTest, ACommonFieldCannotBeOverwritten) {
  Event event = Skip();
  event.fields.Set("rank", 7);
  EXPECT_DEATH(ToJson(event), "\"rank\" is taken");
}

}  // namespace
}  // namespace gyre::internal::inline tests
