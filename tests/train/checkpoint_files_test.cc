#include "gyre/train/checkpoint/checkpoint_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/core/io/file.h"
#include "gyre/core/io/safetensors.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TensorsByName Some() {
  return {{"a", Tensor::Of<float>({2}, {1, 2})},
          {"b", Tensor::Of<float>({3}, {3, 4, 5})},
          {"c", Tensor::Of<float>({1}, {6})}};
}

class CheckpointFiles : public testing::Test {
 protected:
  // 12 bytes a file.
  void SetUp() override {
    manifest_.Set("format", kCheckpointFormat).Set("good", true);
    const Status status = WriteTensors(Some(), dir_.path(), manifest_, 12);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::string ReadError() const {
    return Message(ReadVerified(dir_.path(), manifest_).status());
  }

  const TempDir dir_;
  Json manifest_ = Json::Object();
};

TEST_F(CheckpointFiles, TensorsAreSplitOverFilesAndComeBack) {
  EXPECT_EQ(manifest_.Find("files")->Dump(),
            "[\"state-00000.safetensors\",\"state-00001.safetensors\","
            "\"state-00002.safetensors\"]");
  const auto back = ReadVerified(dir_.path(), manifest_);
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_EQ(back->size(), 3u);
  EXPECT_EQ(back->at("b").data<float>()[2], 5);
}

TEST_F(CheckpointFiles, DamageIsNamedByTensorAndFile) {
  const std::string path = dir_ / "state-00001.safetensors";
  std::string bytes = *ReadFile(path);
  bytes.back() ^= 1;
  ASSERT_TRUE(WriteFileAtomically(path, bytes).ok());
  EXPECT_THAT(ReadError(),
              AllOf(HasSubstr(path), HasSubstr("\"b\" is damaged")));
}

TEST_F(CheckpointFiles, WhatIsMissingOrUnknownIsNamed) {
  Safetensors file;
  file.tensors["d"] = Tensor::Zeros({1});
  ASSERT_TRUE(WriteSafetensors(dir_ / "state-00002.safetensors", file).ok());
  EXPECT_THAT(ReadError(), HasSubstr("\"d\" does not stand in manifest.json"));
  file.tensors.clear();
  ASSERT_TRUE(WriteSafetensors(dir_ / "state-00002.safetensors", file).ok());
  EXPECT_THAT(ReadError(), HasSubstr("no file has the tensor \"c\""));
  manifest_.Set("files", Json::Array({"../state-00000.safetensors"}));
  EXPECT_THAT(ReadError(), HasSubstr("is no name of a file"));
}

TEST_F(CheckpointFiles, ANewerFormatIsRefused) {
  manifest_.Set("format", kCheckpointFormat + 1);
  ASSERT_TRUE(
      WriteFileAtomically(dir_ / "manifest.json", manifest_.Pretty()).ok());
  EXPECT_THAT(Message(VerifyCheckpoint(dir_.path())),
              HasSubstr("format 3; this build reads 1 to 2"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
