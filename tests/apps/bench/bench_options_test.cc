#include "apps/gyre/bench/bench_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gyre::internal::inline tests {
namespace {

StatusOr<std::optional<BenchOptions>> Parse(
    const std::vector<std::string>& args) {
  return ParseBenchOptions(args);
}

TEST(BenchOptionsTest, AllOfThem) {
  const auto options = Parse({"reduce-scatter",
                              "-n",
                              "4",
                              "--sizes=4K,1M",
                              "--payload",
                              "nan",
                              "--form",
                              "sum",
                              "--collectives",
                              "shm",
                              "--seconds",
                              "0.5",
                              "--bind",
                              "--json"});
  ASSERT_TRUE(options.ok() && options->has_value()) << options.status();
  const BenchOptions& o = **options;
  EXPECT_EQ(o.op, BenchOp::kReduceScatter);
  EXPECT_EQ(o.op_name, "reduce-scatter");
  EXPECT_EQ(o.ranks, 4);
  EXPECT_THAT(o.sizes, testing::ElementsAre(4096, 1 << 20));
  EXPECT_FALSE(o.default_sizes);
  EXPECT_EQ(o.payload, Payload::kNaN);
  EXPECT_EQ(o.form, Form::kSum);
  EXPECT_EQ(o.collectives, "shm");
  EXPECT_EQ(o.seconds, 0.5);
  EXPECT_TRUE(o.bind && o.json);
}

TEST(BenchOptionsTest, DefaultSizesGoFrom4To256M) {
  const auto options = Parse({"all-reduce"});
  ASSERT_TRUE(options.ok() && options->has_value());
  EXPECT_EQ((*options)->sizes.front(), 4u);
  EXPECT_EQ((*options)->sizes.back(), 256u << 20);
  EXPECT_TRUE((*options)->default_sizes);
}

TEST(BenchOptionsTest, MistakesAreNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "one of all-reduce, all-gather, reduce-scatter was expected"},
      {{"all-to-none"}, "gyre bench all-to-none"},
      {{"all-reduce", "all-gather"}, "gyre bench all-reduce all-gather"},
      {{"all-reduce", "-n", "-2"}, "-n -2"},
      {{"all-reduce", "--sizes", "4KB"}, "\"4KB\""},
      {{"all-reduce", "--seconds", "0"}, "--seconds must be above 0"},
      {{"all-reduce", "--payload", "zero"}, "payload"},
      {{"all-reduce", "--size", "4"}, "--sizes"}};
  for (const auto& [args, expected] : cases) {
    const auto options = Parse(args);
    ASSERT_FALSE(options.ok()) << expected;
    EXPECT_EQ(KindOf(options.status()), ErrorKind::kConfig);
    EXPECT_THAT(Message(options.status()), testing::HasSubstr(expected));
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
