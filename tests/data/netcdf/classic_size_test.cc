#include "gyre/data/netcdf/classic_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gyre/core/io/file.h"
#include "gyre/core/rng.h"
#include "tests/data/netcdf_writer.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

class ClassicSizeTest : public testing::TestWithParam<int> {
 protected:
  // Fixed variables, attributes, and `record_variables` that grow.
  std::string Write(int record_variables) {
    {
      NetcdfWriter writer(path_, GetParam());
      writer.Dimension("t", NC_UNLIMITED);
      writer.Dimension("x", 3);
      writer.Variable("fixed", NC_DOUBLE, {"x"});
      writer.TextAttribute("fixed", "units", "meters");
      std::vector<std::string> names;
      for (int i = 0; i < record_variables; ++i) {
        names.push_back(Cat("r", i));
        // Three shorts: a record is padded, unless it is the only one.
        writer.Variable(names.back(), NC_SHORT, {"t", "x"});
        writer.Attribute(names.back(), "scale_factor", NC_FLOAT, {2, 3});
      }
      for (const std::string& name : names) {
        writer.PutPart(name, {5, 3}, std::vector<double>(15, 7));
      }
      writer.Put("fixed", {1, 2, 3});
    }
    return *ReadFile(path_);
  }
  Status CheckBytes(const std::string& bytes) {
    // A new file: one that is emptied and written is flushed by the system.
    std::filesystem::remove(path_);
    std::ofstream(path_, std::ios::binary) << bytes;
    return CheckClassicSize(path_);
  }

  TempDir dir_;
  std::string path_ = dir_ / "x.cdf";
};

TEST_P(ClassicSizeTest, AWholeFilePasses) {
  for (const int records : {0, 1, 2}) {
    Write(records);
    EXPECT_TRUE(CheckClassicSize(path_).ok())
        << records << ": " << CheckClassicSize(path_);
  }
}

TEST_P(ClassicSizeTest, AFileWithoutItsEndDoesNot) {
  for (const int records : {0, 1, 2}) {
    const std::string whole = Write(records);
    // The last 2 bytes may be padding, and no reader misses them.
    for (std::size_t size = 4; size + 2 < whole.size(); ++size) {
      EXPECT_FALSE(CheckBytes(whole.substr(0, size)).ok())
          << records << " " << size << " of " << whole.size();
    }
  }
}

TEST_P(ClassicSizeTest, SaysHowLongTheFileShouldBe) {
  const std::string whole = Write(0);
  const Status status = CheckBytes(whole.substr(0, whole.size() - 8));
  EXPECT_EQ(KindOf(status), ErrorKind::kData);
  EXPECT_THAT(Message(status),
              HasSubstr(Cat("asks for ",
                            whole.size(),
                            " bytes, the file has ",
                            whole.size() - 8)));
}

TEST_P(ClassicSizeTest, SurvivesAnyDamage) {
  const std::string whole = Write(2);
  const Rng rng({.seed = 3});
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    damaged[rng.Bits(2 * i) % whole.size()] =
        static_cast<char>(rng.Bits(2 * i + 1));
    CheckBytes(damaged).IgnoreError();
  }
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         ClassicSizeTest,
                         testing::Values(0, NC_64BIT_OFFSET, NC_64BIT_DATA));

TEST(ClassicSize, LeavesOtherFormatsAlone) {
  TempDir dir;
  for (const char* text : {"", "CD", "CDF\4", "\211HDF", "text of some kind"}) {
    ASSERT_TRUE(WriteFileAtomically(dir / "x", text).ok());
    EXPECT_TRUE(CheckClassicSize(dir / "x").ok()) << text;
  }
  EXPECT_FALSE(CheckClassicSize(dir / "none").ok());
}

TEST(ClassicSize, AHugeListIsNotWalked) {
  TempDir dir;
  const std::string header("CDF\1\0\0\0\0\0\0\0\x0a\xff\xff\xff\xff", 16);
  ASSERT_TRUE(
      WriteFileAtomically(dir / "x", header + std::string(64, '\0')).ok());
  EXPECT_THAT(Message(CheckClassicSize(dir / "x")), HasSubstr("damaged"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
