#include "gyre/monitor/inspect/difference_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gyre/monitor/inspect/inspect.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::Not;

CheckpointFiles Files(float second) {
  CheckpointFiles files;
  files.folder = "somewhere";
  files.manifest = Json::Object({{"next_step", 7}});
  files.tensors["params/w"] = Tensor::Of<float>({3}, {1, second, 4});
  files.tensors["params/b"] = Tensor::Of<float>({1}, {0});
  return files;
}

TEST(DifferenceTable, OfTheSameIsShort) {
  const Json json =
      Json::Object({{"checkpoint", CompareCheckpoints(Files(2), Files(2))}});
  const std::string text = DifferenceTable(json);
  EXPECT_THAT(text, HasSubstr("same: true\n"));
  EXPECT_THAT(text, HasSubstr("tensors: 2 the same, 0 differ\n"));
  EXPECT_THAT(text, HasSubstr("manifest.json: the same\n"));
  EXPECT_THAT(text, Not(HasSubstr("params/w")));
}

TEST(DifferenceTable, HasALineForEachTensorThatDiffers) {
  CheckpointFiles b = Files(NAN);
  b.tensors["params/w"].data<float>()[2] = 5;
  b.tensors["state/m"] = Tensor::Of<float>({1}, {0});
  b.tensors["params/b"] = Tensor::Of<float>({2}, {0, 0});
  b.manifest.Set("next_step", 8);
  b.problems = {"state/m is not in the manifest"};
  const std::string text = DifferenceTable(
      Json::Object({{"checkpoint", CompareCheckpoints(Files(2), b)}}));
  EXPECT_THAT(text, HasSubstr("same: false\n"));
  EXPECT_THAT(text, HasSubstr("next_step  7  8"));
  EXPECT_THAT(text, HasSubstr("params/w  2 of 3"));
  EXPECT_THAT(text, HasSubstr("0 | 1"));
  EXPECT_THAT(text, HasSubstr("only_b: state/m"));
  EXPECT_THAT(text, HasSubstr("params/b  shape (1) | (2)"));
  EXPECT_THAT(text, HasSubstr("problems_b: state/m"));
}

TEST(DifferenceTable, OfTwoRunsNamesTheFields) {
  const Json a = *Json::Parse(R"({"config": {"lr": 0.1}, "seed": 1})");
  const Json b = *Json::Parse(R"({"config": {"lr": 0.2}, "seed": 1})");
  const std::string text =
      DifferenceTable(Json::Object({{"run", CompareJson(a, b)}}));
  EXPECT_THAT(text, HasSubstr("run.json: 1 differ\n"));
  EXPECT_THAT(text, HasSubstr("config.lr  0.1  0.2"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
