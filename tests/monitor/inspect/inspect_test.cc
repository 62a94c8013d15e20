#include "gyre/monitor/inspect/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gyre/core/hash.h"
#include "gyre/core/io/file.h"
#include "gyre/core/io/safetensors.h"
#include "gyre/monitor/inspect/json_diff.h"
#include "gyre/monitor/inspect/tensor_facts.h"
#include "tests/monitor/records/example_run.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(DiffJson, NamesTheLeavesThatDiffer) {
  const Json a = *Json::Parse(R"({"c": {"lr": 1, "x": [1, 2]}, "old": 3})");
  const Json b = *Json::Parse(R"({"c": {"lr": 2, "x": [1]}, "new": 4})");
  std::vector<std::string> paths;
  for (const JsonDifference& d : DiffJson(a, b)) paths.push_back(d.path);
  EXPECT_THAT(paths, testing::ElementsAre("c.lr", "c.x[1]", "old", "new"));
  EXPECT_TRUE(DiffJson(a, a).empty());
}

TEST(TensorFacts, CountWhatIsNotFinite) {
  const auto t = Tensor::Of<float>({4}, {3, NAN, -4, INFINITY});
  const TensorFacts facts = FactsOf(t);
  EXPECT_EQ(facts.least, -4);
  EXPECT_EQ(facts.largest, 3);
  EXPECT_EQ(facts.norm, 5);
  EXPECT_EQ(facts.not_finite, 2);
  EXPECT_EQ(facts.first_not_finite, 1);
}

TEST(Compare, EqualBitsAndTwoNansAreNoDifference) {
  const auto a = Tensor::Of<float>({3}, {1, NAN, 4});
  const auto b = Tensor::Of<float>({3}, {1, NAN, 5});
  EXPECT_EQ(Compare(a, a).different, 0);
  const TensorDifference d = Compare(a, b);
  EXPECT_EQ(d.different, 1);
  EXPECT_EQ(d.first, 2);
  EXPECT_EQ(d.largest, 1);
  EXPECT_FALSE(Compare(a, Tensor::Of<float>({1, 3}, {1, 2, 3})).comparable);
}

void WriteCheckpoint(const std::string& folder, float value, bool damaged) {
  Safetensors file;
  file.tensors["params/w"] = Tensor::Of<float>({2}, {1, value});
  file.tensors["params/b"] = Tensor::Of<float>({1}, {0});
  Json hashes = Json::Object();
  for (const auto& [name, t] : file.tensors) {
    hashes.Set(name, HexHash(Hash64(t.raw(), t.bytes()) + damaged));
  }
  ASSERT_TRUE(CreateDirectories(folder).ok());
  ASSERT_TRUE(WriteSafetensors(folder + "/s.safetensors", file).ok());
  const Json manifest = Json::Object({{"next_step", 7},
                                      {"good", true},
                                      {"files", Json::Array({"s.safetensors"})},
                                      {"hashes", hashes}});
  ASSERT_TRUE(
      WriteFileAtomically(folder + "/manifest.json", manifest.Dump()).ok());
}

TEST(Inspect, ACheckpointTensorByTensor) {
  TempDir dir;
  WriteCheckpoint(dir / "a", NAN, false);
  const auto files = ReadCheckpointFiles(dir / "a");
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_TRUE(files->problems.empty());
  const Json json = InspectCheckpoint(*files);
  EXPECT_EQ(*json.GetInt("not_finite"), 1);
  EXPECT_THAT(InWords(json), HasSubstr("params/w:  dtype f32"));
}

TEST(Inspect, ADamagedTensorIsNamed) {
  TempDir dir;
  WriteCheckpoint(dir / "a", 2, true);
  const auto files = ReadCheckpointFiles(dir / "a");
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(files->problems, Contains(HasSubstr("params/w: its hash")));
}

TEST(Inspect, TwoCheckpointsDifferInOneTensor) {
  TempDir dir;
  WriteCheckpoint(dir / "a", 2, false);
  WriteCheckpoint(dir / "b", 3, false);
  const auto a = ReadCheckpointFiles(dir / "a");
  const auto b = ReadCheckpointFiles(dir / "b");
  ASSERT_TRUE(a.ok() && b.ok());
  const Json json = CompareCheckpoints(*a, *b);
  EXPECT_FALSE(*json.GetBool("same"));
  EXPECT_EQ(*json.GetInt("equal"), 1);
  const Json* w = json.Find("tensors")->Find("params/w");
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(*w->GetInt("first"), 1);
  EXPECT_TRUE(*CompareCheckpoints(*a, *a).GetBool("same"));
}

TEST(Inspect, WhatIsNoCheckpointIsAnError) {
  TempDir dir;
  EXPECT_THAT(Message(ReadCheckpointFiles(dir.path()).status()),
              HasSubstr("is no checkpoint"));
  ASSERT_TRUE(
      WriteFileAtomically(dir / "manifest.json", "{\"files\": [\"../x\"]}")
          .ok());
  EXPECT_THAT(Message(ReadCheckpointFiles(dir.path()).status()),
              HasSubstr("is no name of a file"));
}

TEST(Inspect, ARunInWords) {
  ExampleRun example;
  const auto records = ReadRunRecords(example.path());
  ASSERT_TRUE(records.ok());
  const std::string words = InWords(InspectRun(*records));
  EXPECT_THAT(words, HasSubstr("program: weather_loss"));
  EXPECT_THAT(words, HasSubstr("steps: 300"));
  EXPECT_THAT(words, HasSubstr("skip: 1"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
