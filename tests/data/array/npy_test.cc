#include "gyre/data/array/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "gyre/core/io/file.h"
#include "gyre/data/array/npy_header.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class NpyTest : public testing::Test {
 protected:
  // A file as NumPy writes it.
  StatusOr<Tensor> ReadMade(const std::string& dictionary,
                            const std::string& bytes) {
    std::string text = dictionary;
    text.resize((10 + text.size()) / 64 * 64 + 63 - 10, ' ');
    text += '\n';
    const std::string file = std::string("\x93NUMPY\1\0", 8) +
                             static_cast<char>(text.size()) + '\0' + text +
                             bytes;
    EXPECT_TRUE(WriteFileAtomically(path_, file).ok());
    return ReadNpy(path_);
  }
  std::string ErrorOf(const std::string& dictionary,
                      const std::string& bytes = "") {
    const Status status = ReadMade(dictionary, bytes).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kData) << dictionary;
    EXPECT_THAT(Message(status), HasSubstr("x.npy"));
    return Message(status);
  }

  TempDir dir_;
  std::string path_ = dir_ / "x.npy";
};

TEST_F(NpyTest, WhatIsWrittenComesBack) {
  const Tensor tensors[] = {Tensor::Of<float>({2, 2}, {1, -2, 3, 4.5f}),
                            Tensor::Of<double>({3}, {1, 2, 1e300}),
                            Tensor::Of<std::int32_t>({1, 2}, {-7, 8}),
                            Tensor::Of<std::int64_t>(Shape(), {1ll << 40}),
                            Tensor::Of<std::uint8_t>({2}, {0, 255}),
                            Tensor::Of<Half>({2}, {Half(1.5f), Half(-2.0f)}),
                            Tensor::Zeros({0, 3})};
  for (const Tensor& t : tensors) {
    ASSERT_TRUE(WriteNpy(path_, t).ok());
    const StatusOr<Tensor> back = ReadNpy(path_);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->shape(), t.shape());
    ASSERT_EQ(back->dtype(), t.dtype());
    EXPECT_TRUE(std::equal(t.raw(), t.raw() + t.bytes(), back->raw()));
  }
  EXPECT_THAT(Message(WriteNpy(path_, Tensor(DType::kBF16, {2}))),
              HasSubstr("no type for bf16"));
}

TEST_F(NpyTest, BothOrdersOfBytesAndOfAxes) {
  const StatusOr<Tensor> big =
      ReadMade("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }",
               std::string("\0\0\1\2\xff\xff\xff\xfe", 8));
  ASSERT_TRUE(big.ok()) << big.status();
  EXPECT_THAT(big->data<std::int32_t>(), ElementsAre(258, -2));
  // (2, 3) with the first axis fastest: 1 3 5 / 2 4 6.
  const StatusOr<Tensor> fortran =
      ReadMade("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }",
               "\1\2\3\4\5\6");
  ASSERT_TRUE(fortran.ok()) << fortran.status();
  EXPECT_THAT(fortran->data<std::uint8_t>(), ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST_F(NpyTest, WhatIsNotReadSaysWhatToWrite) {
  EXPECT_THAT(
      ErrorOf("{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }"),
      AllOf(HasSubstr("got \"<c8\""), HasSubstr("astype")));
  EXPECT_THAT(ErrorOf("{'descr': [('a', '<f4')], 'fortran_order': False, "
                      "'shape': (2,), }"),
              HasSubstr("a plain element type"));
  EXPECT_THAT(
      ErrorOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
              "1234567"),
      AllOf(HasSubstr("asks for 8 bytes"), HasSubstr("has 7")));
  EXPECT_THAT(ErrorOf("{'descr': '<f4', 'fortran_order': False, 'shape': "
                      "(99999999, 99999999), }"),
              HasSubstr("x.npy"));
  EXPECT_THAT(ErrorOf("{'descr': '<f4', 'shape': (2,), }", "12345678"),
              HasSubstr("lacks an entry"));
  EXPECT_THAT(Message(ReadNpy(dir_ / "none.npy").status()),
              HasSubstr("none.npy"));
}

// No damage to the header crashes; what is accepted has the file's bytes.
TEST_F(NpyTest, DamagedHeadersAreErrorsOrFitTheFile) {
  ASSERT_TRUE(WriteNpy(path_, Tensor::Of<float>({2, 2}, {1, 2, 3, 4})).ok());
  const std::string whole = *ReadFile(path_);
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = whole;
    for (int k = 0; k < 3; ++k) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    if (i % 4 == 0) bad.resize(random() % bad.size());
    const StatusOr<NpyHeader> header = ParseNpyHeader(bad);
    if (!header.ok()) continue;
    const auto bytes = static_cast<std::size_t>(header->shape.elements()) *
                       SizeOf(header->dtype);
    EXPECT_EQ(header->data_begin + bytes, bad.size());
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
