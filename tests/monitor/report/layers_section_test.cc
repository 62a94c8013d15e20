#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/status.h"
#include "gyre/monitor/report/sections.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::Not;

Json RankLine(int step, double scale) {
  return *Json::Parse(Cat(R"({"step": )",
                          step,
                          R"(, "layers": {"local_norm": {"head.w": )",
                          scale,
                          R"(}, "act_norm": {"head": 1}},
            "groups": {"deep storms": {"sum": 2, "weight": 4}},
            "machine": {"rss_mb": 100}})"));
}

TEST(LayersSection, ShowsWhatTelemetryRecorded) {
  RunRecords records;
  for (const int step : {0, 20, 40}) {
    records.metrics.push_back(
        *Json::Parse(Cat(R"({"step": )",
                         step,
                         R"(, "layers": {"update_ratio": {"head.w": 0.01}},
                "masks": {"losses.cc:31": 812}})")));
    for (int rank = 0; rank < 2; ++rank) {
      records.ranks[rank].push_back(RankLine(step, 1 + rank));
    }
  }
  const std::string html = LayersSection({records, {}});
  for (const char* part : {"update ratio by tensor",
                           "losses.cc:31",
                           "the largest of the ranks&#39; own",
                           "activations by layer",
                           "deep storms",
                           "memory of the largest process"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  // Of one rank, its own gradient is the gradient.
  records.ranks.erase(1);
  EXPECT_THAT(LayersSection({records, {}}),
              Not(HasSubstr("of the ranks&#39;")));
}

TEST(LayersSection, IsEmptyWithoutTelemetry) {
  RunRecords records;
  records.metrics.push_back(*Json::Parse(R"({"step": 0, "loss": 1})"));
  EXPECT_EQ(LayersSection({records, {}}), "");
}

}  // namespace
}  // namespace gyre::internal::inline tests
