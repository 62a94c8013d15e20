#include "gyre/core/io/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gyre/core/hash.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Json, HoldsEveryType) {
  EXPECT_TRUE(Json().is_null());
  EXPECT_TRUE(Json(nullptr).is_null());
  EXPECT_TRUE(Json(true).is_bool());
  EXPECT_TRUE(Json(3).is_int());
  EXPECT_TRUE(Json(std::size_t{3}).is_int());
  EXPECT_TRUE(Json(0.5f).is_number());
  EXPECT_FALSE(Json(0.5f).is_int());
  EXPECT_TRUE(Json("text").is_string());
  EXPECT_TRUE(Json::Array().is_array());
  EXPECT_TRUE(Json::Object().is_object());
}

TEST(Json, KeepsTheOrderOfMembersAndReplaces) {
  Json json = Json::Object();
  json.Set("z", 1).Set("a", 2).Set("z", 3);
  EXPECT_EQ(json.Dump(), R"({"z":3,"a":2})");
}

TEST(Json, PrintsCompactAndPretty) {
  const Json json =
      Json::Object({{"list", Json::Array({1, true, nullptr, "x"})},
                    {"empty", Json::Object()}});
  EXPECT_EQ(json.Dump(), R"({"list":[1,true,null,"x"],"empty":{}})");
  EXPECT_EQ(json.Pretty(),
            "{\n  \"list\": [\n    1,\n    true,\n    null,\n    \"x\"\n  ],\n"
            "  \"empty\": {}\n}\n");
}

TEST(Json, NeverHidesANumberThatIsNotFinite) {
  const Json json = Json::Array({kNan, kInfinity, -kInfinity});
  EXPECT_EQ(json.Dump(), R"(["NaN","Infinity","-Infinity"])");
  const StatusOr<Json> back = Json::Parse(json.Dump());
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(std::isnan(*back->elements()[0].AsDouble()));
  EXPECT_EQ(*back->elements()[1].AsDouble(), kInfinity);
  EXPECT_EQ(*back->elements()[2].AsDouble(), -kInfinity);
}

TEST(Json, NumbersComeBackToTheBit) {
  for (const double x : {0.1, -0.0, 1e300, 5e-324, 3.0, 1.0 / 3.0, 1e22}) {
    const StatusOr<Json> back = Json::Parse(Json(x).Dump());
    ASSERT_TRUE(back.ok()) << Json(x).Dump();
    EXPECT_FALSE(back->is_int()) << Json(x).Dump();
    EXPECT_EQ(*back->AsDouble(), x);
    EXPECT_EQ(std::signbit(*back->AsDouble()), std::signbit(x));
  }
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(*Json::Parse(Json(kMin).Dump())->AsInt(), kMin);
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(Json(kMax).Dump(), "18446744073709551615");
  EXPECT_EQ(*Json::Parse(Json(kMax).Dump()), Json(kMax));
  EXPECT_FALSE(Json(kMax).AsInt().ok());
}

TEST(Json, StringsAreEscaped) {
  const std::string text = "quote \" back \\ line \n bell \a ü";
  const std::string dumped = Json(text).Dump();
  EXPECT_EQ(dumped.find('\n'), std::string::npos);
  EXPECT_EQ(*Json::Parse(dumped)->AsString(), text);
  // A byte that is no UTF-8 is shown as the replacement character.
  EXPECT_EQ(*Json::Parse(Json("a\xff").Dump())->AsString(), "a\xef\xbf\xbd");
}

TEST(Json, ConvertsWhatIsExactAndRefusesTheRest) {
  EXPECT_EQ(*Json(3.0).AsInt(), 3);
  EXPECT_EQ(*Json(3).AsDouble(), 3.0);
  EXPECT_FALSE(Json(3.5).AsInt().ok());
  EXPECT_FALSE(Json(1e19).AsInt().ok());
  EXPECT_FALSE(Json(kNan).AsInt().ok());
  EXPECT_FALSE(Json("3").AsInt().ok());
  EXPECT_FALSE(Json("3").AsDouble().ok());
  EXPECT_FALSE(Json(1).AsBool().ok());
  EXPECT_THAT(Message(Json::Array({1}).AsString().status()),
              HasSubstr("expected a string, got [1]"));
}

TEST(Json, MembersAreReadByKeyAndErrorsNameIt) {
  const Json json = Json::Object({{"steps", "many"}, {"seed", 7}});
  EXPECT_EQ(*json.GetInt("seed"), 7);
  EXPECT_EQ(*json.GetDouble("seed"), 7.0);
  EXPECT_EQ(*json.GetString("steps"), "many");
  EXPECT_EQ(Message(json.GetInt("steps").status()),
            "\"steps\": expected an integer of 64 bits, got \"many\"");
  EXPECT_EQ(Message(json.GetBool("none").status()), "\"none\" is missing");
  EXPECT_FALSE(Json(3).GetInt("seed").ok());
  EXPECT_EQ(KindOf(json.GetInt("none").status()), ErrorKind::kData);
}

TEST(Json, HashesTravelAsHexadecimalText) {
  const std::uint64_t hash = 0xfedcba9876543210u;
  const Json json = Json::Object({{"hash", HexHash(hash)}});
  EXPECT_EQ(*json.GetHash("hash"), hash);
  for (const char* bad : {"", "123", "fedcba987654321g", "-edcba9876543210"}) {
    EXPECT_FALSE(Json(bad).AsHash().ok()) << bad;
  }
}

TEST(JsonParse, ErrorsSayWhereAndWhatFor) {
  const Status status =
      Json::Parse("{\"a\": 1,\n\"b\": }", "run.json").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kData);
  EXPECT_THAT(Message(status), HasSubstr("run.json is not valid JSON"));
  EXPECT_THAT(Message(status), HasSubstr("line 2"));
}

TEST(JsonParse, RefusesWhatIsNoJson) {
  for (const char* bad : {"",
                          " ",
                          "{",
                          "[1,]",
                          "{\"a\":1,}",
                          "NaN",
                          "[1] 2",
                          "nul",
                          "\"\xff\"",
                          "1e999",
                          "// c\n1",
                          "{\"a\":1,\"a\":2}"}) {
    EXPECT_FALSE(Json::Parse(bad).ok()) << bad;
  }
}

TEST(JsonParse, BoundsTheDepth) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(Message(Json::Parse(deep).status()), HasSubstr("200 levels"));
  const std::string fine = std::string(199, '[') + std::string(199, ']');
  EXPECT_TRUE(Json::Parse(fine).ok());
}

TEST(JsonParse, NestedObjectsKeepTheirKeys) {
  const std::string text =
      R"({"a":{"b":{"c":[{"d":1},{"e":[]}]},"f":2},"g":[[3]]})";
  EXPECT_EQ(Json::Parse(text)->Dump(), text);
}

}  // namespace
}  // namespace gyre::internal::inline tests
