#include "gyre/monitor/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

Event Named(const std::string& kind, std::int64_t step) {
  Event event;
  event.kind = kind;
  event.step = step;
  return event;
}

TEST(EventLog, FillsInTimeAndRank) {
  TempDir dir;
  StatusOr<EventLog> log = EventLog::Open(dir / "events.jsonl", 3);
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_TRUE(log->Write(Named("skip", 7)).ok());
  Event other = Named("desync", 8);
  other.rank = 1;
  other.time = "then";
  ASSERT_TRUE(log->Write(other).ok());

  const StatusOr<std::vector<Event>> events = ReadEvents(dir / "events.jsonl");
  ASSERT_TRUE(events.ok()) << events.status();
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ((*events)[0].rank, 3);
  EXPECT_EQ((*events)[0].step, 7);
  EXPECT_FALSE((*events)[0].time.empty());
  EXPECT_EQ((*events)[1].rank, 1);
  EXPECT_EQ((*events)[1].time, "then");
}

TEST(EventLog, RanksShareOneFile) {
  TempDir dir;
  for (int rank = 0; rank < 3; ++rank) {
    StatusOr<EventLog> log = EventLog::Open(dir / "e", rank);
    ASSERT_TRUE(log.ok());
    ASSERT_TRUE(log->Write(Named("start", -1)).ok());
  }
  const StatusOr<std::vector<Event>> events = ReadEvents(dir / "e");
  ASSERT_TRUE(events.ok());
  EXPECT_EQ(events->size(), 3u);
  EXPECT_EQ(events->back().rank, 2);
}

TEST(EventLog, OpenErrorNamesThePath) {
  EXPECT_THAT(Message(EventLog::Open("/no/such/events", 0).status()),
              HasSubstr("/no/such/events"));
}

TEST(ReadEvents, PassesOverTheHalfLineOfACrash) {
  TempDir dir;
  const std::string line = R"({"time":"t","step":1,"rank":0,"kind":"skip"})";
  ASSERT_TRUE(WriteFileAtomically(dir / "e", line + "\n{\"time\":").ok());
  EXPECT_EQ(ReadEvents(dir / "e")->size(), 1u);
}

TEST(ReadEvents, ErrorsNameFileAndLine) {
  TempDir dir;
  const std::string line = R"({"time":"t","step":1,"rank":0,"kind":"skip"})";
  ASSERT_TRUE(WriteFileAtomically(dir / "e", line + "\nbroken\n").ok());
  EXPECT_THAT(Message(ReadEvents(dir / "e").status()), HasSubstr("e:2"));
  ASSERT_TRUE(WriteFileAtomically(dir / "e", line + "\n{}\n").ok());
  EXPECT_THAT(Message(ReadEvents(dir / "e").status()),
              HasSubstr("e:2: \"time\" is missing"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
