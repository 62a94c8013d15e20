#include "gyre/core/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "gyre/core/io/file.h"
#include "gyre/core/rng.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// The bytes of a file with this header and data.
std::string FileOf(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[i] = char(header.size() >> (8 * i));
  return bytes + header + data;
}

std::string Refusal(const std::string& bytes) {
  const StatusOr<Safetensors> file = ParseSafetensors(bytes, "test file");
  if (file.ok()) return "accepted";
  EXPECT_EQ(KindOf(file.status()), ErrorKind::kCheckpoint);
  EXPECT_THAT(Message(file.status()), HasSubstr("test file"));
  return Message(file.status());
}

Safetensors Sample() {
  Safetensors file;
  for (const DType dtype : {DType::kF32,
                            DType::kF64,
                            DType::kBF16,
                            DType::kF16,
                            DType::kI32,
                            DType::kI64,
                            DType::kU8,
                            DType::kBool}) {
    Tensor tensor(dtype, {3, 1});
    for (std::size_t i = 0; i < tensor.bytes(); ++i) {
      tensor.raw()[i] = std::byte(dtype == DType::kBool ? i % 2 : 37 * i + 1);
    }
    file.tensors.emplace(Cat("all.", dtype), tensor);
  }
  file.tensors.emplace("scalar", Tensor::Of<float>(Shape({}), {4.5f}));
  file.tensors.emplace("empty", Tensor::Zeros({0, 7}, DType::kF64));
  file.metadata = {{"step", "12"}, {"note", "grün \"\n"}};
  return file;
}

void ExpectEqual(const Safetensors& a, const Safetensors& b) {
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (const auto& [name, tensor] : a.tensors) {
    ASSERT_EQ(b.tensors.count(name), 1u) << name;
    const Tensor& other = b.tensors.at(name);
    EXPECT_EQ(tensor.dtype(), other.dtype()) << name;
    ASSERT_EQ(tensor.shape(), other.shape()) << name;
    if (tensor.bytes() == 0) continue;
    EXPECT_EQ(std::memcmp(tensor.raw(), other.raw(), tensor.bytes()), 0)
        << name;
  }
}

TEST(Safetensors, EveryDtypeComesBackToTheBit) {
  TempDir dir;
  const Safetensors file = Sample();
  ASSERT_TRUE(WriteSafetensors(dir / "s", file).ok());
  const StatusOr<Safetensors> back = ReadSafetensors(dir / "s");
  ASSERT_TRUE(back.ok()) << back.status();
  ExpectEqual(file, *back);
  EXPECT_EQ(*ReadFile(dir / "s"), *SerializeSafetensors(file));
}

TEST(Safetensors, NoTensorsAtAll) {
  const StatusOr<std::string> bytes = SerializeSafetensors({});
  ASSERT_TRUE(bytes.ok());
  ExpectEqual({}, *ParseSafetensors(*bytes, "x"));
}

TEST(Safetensors, LayoutIsThatOfTheFormat) {
  Safetensors file;
  file.tensors.emplace("a", Tensor::Of<std::uint8_t>({3}, {1, 2, 3}));
  file.tensors.emplace("b", Tensor::Of<double>({1}, {1.0}));
  const std::string bytes = *SerializeSafetensors(file);
  const std::size_t length = static_cast<unsigned char>(bytes[0]) +
                             256 * static_cast<unsigned char>(bytes[1]);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_EQ(bytes.size(), 8 + length + 11);
  EXPECT_THAT(bytes.substr(8, length),
              testing::StartsWith(
                  R"({"b":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
                  R"("a":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})"));
}

TEST(Safetensors, ReadsAFileThatOthersWrote) {
  const std::string header =
      R"({"w":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}})";
  const StatusOr<Safetensors> file =
      ParseSafetensors(FileOf(header, std::string("\1\0\0\0\2\0\0\0", 8)), "x");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->tensors.at("w").data<std::int32_t>(),
              testing::ElementsAre(1, 2));
}

TEST(Safetensors, RefusesABadFrame) {
  EXPECT_THAT(Refusal(""), HasSubstr("got 0 bytes"));
  EXPECT_THAT(Refusal("1234567"), HasSubstr("got 7 bytes"));
  EXPECT_THAT(Refusal(std::string(8, '\xff')),
              HasSubstr("18446744073709551615 bytes"));
  EXPECT_THAT(Refusal(FileOf("{}", "").substr(0, 9)), HasSubstr("1 are there"));
  EXPECT_THAT(Refusal(FileOf("{\"\xff\":1}", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(Refusal(FileOf("[]", "")), HasSubstr("an array, no object"));
  EXPECT_THAT(Refusal(FileOf("{}", "x")), HasSubstr("1 bytes at the end"));
}

// A file with one tensor, described by `entry`, and 8 bytes of data.
std::string OneTensor(const std::string& entry) {
  return FileOf("{\"w\":" + entry + "}", std::string(8, '\0'));
}

TEST(Safetensors, RefusesABadEntry) {
  EXPECT_THAT(Refusal(OneTensor("7")), HasSubstr("\"dtype\" is missing"));
  EXPECT_THAT(
      Refusal(OneTensor(R"({"dtype":"I16","shape":[4],"data_offsets":[0,8]})")),
      HasSubstr("dtype I16"));
  EXPECT_THAT(Refusal(OneTensor(R"({"dtype":"F32","data_offsets":[0,8]})")),
              HasSubstr("no array \"shape\""));
  EXPECT_THAT(Refusal(OneTensor(
                  R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})")),
              HasSubstr("got -2"));
  EXPECT_THAT(Refusal(OneTensor(
                  R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})")),
              HasSubstr("got 2.0"));
  EXPECT_THAT(
      Refusal(OneTensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})")),
      HasSubstr("1 data_offsets"));
  EXPECT_THAT(
      Refusal(OneTensor(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})")),
      HasSubstr("takes 12 bytes, and its offsets span 8"));
  EXPECT_THAT(
      Refusal(OneTensor(R"({"dtype":"F32","shape":[9223372036854775807,4],)"
                        R"("data_offsets":[0,8]})")),
      HasSubstr("2^48"));
  EXPECT_THAT(Refusal(OneTensor(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],)"
                                R"("data_offsets":[0,8]})")),
              HasSubstr("axes"));
  EXPECT_THAT(
      Refusal(OneTensor(R"({"dtype":"F32","shape":[0],"data_offsets":[8,0]})")),
      HasSubstr("bytes 8 to 0"));
  EXPECT_THAT(Refusal(OneTensor(
                  R"({"dtype":"F32","shape":[4],"data_offsets":[0,16]})")),
              HasSubstr("cut short"));
}

TEST(Safetensors, RefusesOverlapsHolesAndLeftovers) {
  const std::string half = R"({"dtype":"F32","shape":[1],"data_offsets":)";
  EXPECT_THAT(
      Refusal(FileOf("{\"a\":" + half + "[0,4]},\"b\":" + half + "[0,4]}}",
                     std::string(4, '\0'))),
      HasSubstr("inside the one before it"));
  EXPECT_THAT(
      Refusal(FileOf("{\"a\":" + half + "[4,8]}}", std::string(8, '\0'))),
      HasSubstr("leaves a hole"));
  EXPECT_THAT(
      Refusal(FileOf("{\"a\":" + half + "[0,4]}}", std::string(6, '\0'))),
      HasSubstr("2 bytes at the end"));
}

TEST(Safetensors, RefusesABoolThatIsNone) {
  const std::string header =
      R"({"m":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})";
  EXPECT_THAT(Refusal(FileOf(header, "\2")), HasSubstr("a byte 2"));
}

TEST(Safetensors, RefusesMetadataThatIsNoText) {
  EXPECT_THAT(Refusal(FileOf(R"({"__metadata__":{"a":1}})", "")),
              HasSubstr("metadata \"a\""));
  EXPECT_THAT(Refusal(FileOf(R"({"__metadata__":[]})", "")),
              HasSubstr("__metadata__ is an array"));
}

TEST(Safetensors, WriterRefusesWhatCannotBeReadBack) {
  Safetensors file;
  file.tensors.emplace("__metadata__", Tensor::Zeros({1}));
  EXPECT_FALSE(SerializeSafetensors(file).ok());
  file.tensors.clear();
  file.tensors.emplace("a\xff", Tensor::Zeros({1}));
  EXPECT_THAT(Message(SerializeSafetensors(file).status()),
              HasSubstr("not UTF-8"));
  file.tensors.clear();
  file.metadata["key"] = "\xff";
  EXPECT_THAT(Message(SerializeSafetensors(file).status()),
              HasSubstr("metadata \"key\""));
}

TEST(Safetensors, SurvivesAnyDamage) {
  const std::string whole = *SerializeSafetensors(Sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(Refusal(whole.substr(0, size)), "accepted") << size;
  }
  // A flipped bit may be harmless (in the data), but it never crashes.
  const Rng rng({.seed = 5});
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = whole;
    damaged[rng.Bits(2 * i) % whole.size()] ^= 1 << rng.Bits(2 * i + 1) % 8;
    ParseSafetensors(damaged, "damaged").status().IgnoreError();
  }
}

TEST(ReadSafetensors, ErrorNamesTheFile) {
  const Status status =
      ReadSafetensors("/no/such/file", ErrorKind::kData).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kData);
  EXPECT_THAT(Message(status), HasSubstr("/no/such/file"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
