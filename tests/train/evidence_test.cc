#include "gyre/train/replay/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "tests/train/bad_step.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// One evidence of two ranks for all tests that only read it.
class EvidenceTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(TrainWithBadStep(dir_ / "run", 2).ok());
    folder_ = BadStepFolder(dir_ / "run");
  }

  const TempDir dir_;
  std::string folder_;
};

TEST_F(EvidenceTest, ReadsBackWhatARankHad) {
  const auto evidence = ReadEvidence(folder_);
  ASSERT_TRUE(evidence.ok()) << evidence.status();
  EXPECT_EQ(evidence->step, kBadStep);
  EXPECT_EQ(evidence->world, 2);
  for (const int rank : {0, 1}) {
    const auto batch = ReadBatch(*evidence, rank, 2);
    ASSERT_TRUE(batch.ok()) << batch.status();
    BadTargetSource source(rank, 2, 1);
    const SampleBatch original = *source.Load(kBadStep);
    EXPECT_EQ(batch->sample_ids, original.sample_ids);
    for (const auto& [name, tensor] : original.tensors) {
      const Tensor& read = batch->tensors.at(name);
      ASSERT_EQ(read.shape(), tensor.shape());
      EXPECT_EQ(std::memcmp(read.raw(), tensor.raw(), tensor.bytes()), 0);
    }
  }
}

TEST_F(EvidenceTest, JoinsTheBatchesForOneRank) {
  const auto evidence = ReadEvidence(folder_);
  const auto batch = ReadBatch(*evidence, 0, 1);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->sample_ids.size(), 8u);
  EXPECT_EQ(batch->tensors.at("x").shape(), Shape({8, 2}));
  EXPECT_EQ(batch->tensors.at("y").data<float>()[5], -2);
  EXPECT_THAT(Message(ReadBatch(*evidence, 0, 3).status()),
              HasSubstr("kept of 2 ranks"));
}

// Writes evidence of two ranks with these batches, and joins them.
StatusOr<SampleBatch> Joined(const std::string& folder,
                             const SampleBatch& a,
                             const SampleBatch& b) {
  const BadTargetSource source(0, 2, 1);
  Evidence evidence;
  evidence.folder = folder;
  evidence.world = 2;
  Json batches = Json::Array();
  Json hashes = Json::Object();
  for (const SampleBatch* batch : {&a, &b}) {
    const int rank = batch == &a ? 0 : 1;
    GYRE_ASSIGN_OR_RETURN(const Json entry,
                          WriteBatch(folder, 7, rank, *batch, source));
    for (const auto& [name, hash] : entry.Find("hashes")->members()) {
      hashes.Set(name, hash);
    }
    batches.Append(entry);
  }
  evidence.manifest =
      Json::Object({{"batches", batches}, {"hashes", std::move(hashes)}});
  return ReadBatch(evidence, 0, 1);
}

TEST(Evidence, ABatchThatRanksShareIsJoinedOnceAndPartsOfSamplesAreNot) {
  const TempDir dir;
  const SampleBatch a{{{"x", Tensor::Of<float>({2}, {1, 2})},
                       {"all", Tensor::Of<float>({3}, {7, 8, 9})}},
                      {4, 5}};
  SampleBatch b = a;
  const auto shared = Joined(dir / "shared", a, b);
  ASSERT_TRUE(shared.ok()) << shared.status();
  EXPECT_EQ(shared->sample_ids.size(), 2u);
  b.sample_ids = {6, 7};
  const auto joined = Joined(dir / "joined", a, b);
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(joined->tensors.at("x").shape(), Shape({4}));
  EXPECT_EQ(joined->tensors.at("all").shape(), Shape({3}));
  b.tensors["all"] = Tensor::Of<float>({3}, {7, 8, 0});
  EXPECT_THAT(Message(Joined(dir / "other", a, b).status()),
              HasSubstr("has no axis of the 2 samples"));
  b.sample_ids = a.sample_ids;
  EXPECT_THAT(Message(Joined(dir / "parts", a, b).status()),
              HasSubstr("another part of the same samples"));
}

TEST_F(EvidenceTest, KnowsTheProgramThatMadeIt) {
  const auto evidence = ReadEvidence(folder_);
  const auto here = ReadEvidenceStart({});
  ASSERT_TRUE(here.ok()) << here.status();
  EXPECT_EQ(ToJson(evidence->start), ToJson(*here));
  const auto with =
      ReadEvidenceStart({.variables = {{"GYRE_INJECT", "nan_grad@step=1"}}});
  ASSERT_EQ(with->environment.size(), here->environment.size() + 1);
  EXPECT_EQ(with->environment[0].second, "nan_grad@step=1");
}

TEST_F(EvidenceTest, DamageIsNamedAndRefused) {
  const std::string path = folder_ + "/batch-00001.safetensors";
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-3, std::ios::end);
    file.put('x');
  }
  const auto evidence = ReadEvidence(folder_);
  EXPECT_TRUE(ReadBatch(*evidence, 0, 2).ok());
  const Status damaged = ReadBatch(*evidence, 1, 2).status();
  EXPECT_EQ(KindOf(damaged), ErrorKind::kCheckpoint);
  EXPECT_THAT(Message(damaged), HasSubstr("is damaged"));
  EXPECT_FALSE(ReadBatch(*evidence, 0, 1).ok());
}

TEST_F(EvidenceTest, AManifestThatLacksSomethingIsRefused) {
  const auto refused = [&](const char* text) {
    const Status status = ReadEvidence(folder_).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kCheckpoint) << text;
    EXPECT_THAT(Message(status), HasSubstr(text));
  };
  ASSERT_TRUE(ChangeManifest(folder_, "batches", Json::Array()).ok());
  refused("0 batches for 2 ranks");
  ASSERT_TRUE(ChangeManifest(folder_, "world", 0).ok());
  refused("a world of 0 ranks");
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/manifest.json", "{\"st").ok());
  refused("not valid JSON");
  // A checkpoint has a manifest, too.
  const std::string checkpoint = dir_ / "run/checkpoints/latest";
  EXPECT_THAT(Message(ReadEvidence(checkpoint).status()),
              HasSubstr("is not that of a kept step"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
