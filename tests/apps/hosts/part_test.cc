#include "apps/gyre/launch/hosts/part.h"

#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

Part Example() {
  Part part;
  part.options.ranks = 2;
  part.options.log_dir = "logs";
  part.options.grace_s = 2.5;
  part.options.deadline_s = 7;
  part.options.bind = true;
  part.options.env = {{"A", "x y"}, {"B", ""}};
  part.options.network = {"grpc", "auto", true};
  part.options.command = {"app", "it's", "a \"b\"\n"};
  part.meeting.token = "secret";
  part.meeting.restart = 1;
  part.meeting.first_rank = 2;
  part.meeting.size = 4;
  part.meeting.coordinator = "node1:61500";
  part.host = "node2";
  part.folder = "/tmp";
  part.certificates = "-----BEGIN";
  return part;
}

TEST(PartTest, ComesThroughALineOfText) {
  const std::string line = ToJson(Example()).Dump();
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = Json::Parse(line);
  ASSERT_TRUE(json.ok());
  const auto part = PartFromJson(*json);
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_EQ(part->options.command, Example().options.command);
  EXPECT_EQ(part->options.env, Example().options.env);
  EXPECT_EQ(part->options.deadline_s, 7.0);
  EXPECT_EQ(part->meeting.first_rank, 2);
  EXPECT_EQ(ToJson(*part).Dump(), line);
  Part none = Example();
  none.options.deadline_s.reset();
  EXPECT_EQ(PartFromJson(ToJson(none))->options.deadline_s, std::nullopt);
}

TEST(PartTest, WhatIsMissingIsAnError) {
  const Json whole = ToJson(Example());
  for (const auto& member : whole.members()) {
    Json rest = Json::Object();
    for (const auto& [key, value] : whole.members()) {
      if (key != member.first) rest.Set(key, value);
    }
    EXPECT_FALSE(PartFromJson(rest).ok()) << member.first;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
