#include "gyre/monitor/records/telemetry.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gyre::internal::inline tests {
namespace {

RunRecords Records(
    std::initializer_list<std::initializer_list<const char*>> ranks) {
  RunRecords records;
  int rank = 0;
  for (const auto& lines : ranks) {
    for (const char* line : lines) {
      records.ranks[rank].push_back(*Json::Parse(line));
    }
    ++rank;
  }
  return records;
}

TEST(Telemetry, TheLargestOfTheRanksIsShown) {
  const auto lines = LargestOfRanks(
      Records({{R"({"step": 0, "layers": {"local_norm": {"a": 1, "b": 7}}})",
                R"({"step": 1, "local_norm": 3})",
                R"({"step": 20, "layers": {"local_norm": {"a": 5}}})"},
               {R"({"step": 0, "layers": {"local_norm": {"a": 2, "b": 6}}})",
                R"({"step": 20, "layers": {"local_norm": {"a": "NaN"}}})"}}),
      "local_norm");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "a");
  EXPECT_EQ(lines[0].x, (std::vector<double>{0, 20}));
  EXPECT_EQ(lines[0].y[0], 2);
  EXPECT_TRUE(std::isnan(lines[0].y[1]));
  EXPECT_EQ(lines[1].y, (std::vector<double>{7}));
}

TEST(Telemetry, GroupsAreMeansOverAllRanks) {
  const auto lines = GroupLosses(
      Records({{R"({"step": 0, "groups": {"deep": {"sum": 3, "weight": 1},
                                  "calm": {"sum": 0, "weight": 0}}})"},
               {R"({"step": 0, "groups": {"deep": {"sum": 5, "weight": 3},
                                  "calm": {"sum": 0, "weight": 0}}})"}}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].name, "deep");
  EXPECT_EQ(lines[0].y, (std::vector<double>{2}));
  EXPECT_TRUE(lines[1].y.empty());
}

TEST(Telemetry, ReadsOverWhatIsNotThere) {
  const RunRecords records =
      Records({{R"({"step": 0})",
                R"({"layers": {"local_norm": {"a": 1}}})",
                R"({"step": 2, "layers": 7, "groups": {"x": 1}})",
                R"({"step": 5, "machine": {"rss_mb": 20}})"},
               {R"({"step": 5, "machine": {"rss_mb": 30}})"}});
  EXPECT_TRUE(LargestOfRanks(records, "local_norm").empty());
  EXPECT_TRUE(GroupLosses(records).empty());
  EXPECT_EQ(MachineLine(records, "rss_mb").y, (std::vector<double>{30}));
  EXPECT_TRUE(MachineLine(records, "load").y.empty());
}

}  // namespace
}  // namespace gyre::internal::inline tests
