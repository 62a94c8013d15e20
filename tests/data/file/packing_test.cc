#include "gyre/data/file/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "gyre/data/file/masked.h"
#include "gyre/data/netcdf/netcdf_file.h"
#include "tests/data/netcdf_writer.h"
#include "tests/support/special_numbers.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

TEST(AsStored, AnIntegerTakesOnlyWhatItHolds) {
  EXPECT_EQ(AsStored<short>(-9999), short{-9999});
  EXPECT_EQ(AsStored<short>(32767), short{32767});
  EXPECT_EQ(AsStored<short>(-32768), short{-32768});
  EXPECT_FALSE(AsStored<short>(32768).has_value());
  EXPECT_FALSE(AsStored<short>(1.5).has_value());
  EXPECT_FALSE(AsStored<short>(kNan).has_value());
  EXPECT_FALSE(AsStored<unsigned char>(-1).has_value());
  EXPECT_EQ(AsStored<unsigned char>(255), 255);
  EXPECT_FALSE(AsStored<long long>(0x1p63).has_value());
  EXPECT_EQ(AsStored<long long>(-0x1p63),
            std::numeric_limits<long long>::min());
}

TEST(AsStored, AFloatRounds) {
  EXPECT_EQ(AsStored<float>(1e20), 1e20f);
  EXPECT_EQ(AsStored<double>(0.1), 0.1);
}

// A file with one variable x(n), its attributes, and what is read of it.
class PackingTest : public testing::Test {
 protected:
  struct Numbers {
    std::string name;
    nc_type type;
    std::vector<double> values;
  };
  StatusOr<MaskedBlock> Read(
      nc_type type,
      const std::vector<Numbers>& numbers,
      const std::vector<std::pair<std::string, std::string>>& texts,
      const std::vector<double>& stored,
      int mode = NC_NETCDF4) {
    const std::string path = dir_ / "x.nc";
    {
      NetcdfWriter writer(path, mode);
      writer.Dimension("n", stored.size());
      writer.Variable("x", type, {"n"});
      for (const Numbers& a : numbers) {
        writer.Attribute("x", a.name, a.type, a.values);
      }
      for (const auto& [name, text] : texts) {
        writer.TextAttribute("x", name, text);
      }
      writer.Put("x", stored);
    }
    GYRE_ASSIGN_OR_RETURN(const auto file, OpenNetcdf(path));
    GYRE_ASSIGN_OR_RETURN(const VariableInfo* info, file->Find("x"));
    return ReadMasked(*file, *info, BlockOf(*info));
  }
  std::vector<int> MaskOf(nc_type type,
                          const std::vector<Numbers>& numbers,
                          const std::vector<double>& stored) {
    const auto block = Read(type, numbers, {}, stored);
    EXPECT_TRUE(block.ok()) << block.status();
    if (!block.ok()) return {};
    const auto mask = block->mask.data<std::uint8_t>();
    return {mask.begin(), mask.end()};
  }
  std::string ErrorOf(
      const std::vector<Numbers>& numbers,
      const std::vector<std::pair<std::string, std::string>>& texts = {},
      nc_type type = NC_SHORT) {
    const Status status = Read(type, numbers, texts, {1, 2}).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kData);
    EXPECT_THAT(Message(status), HasSubstr("x.nc: variable x: "));
    return Message(status);
  }

  TempDir dir_;
};

TEST_F(PackingTest, WhatIsOutsideOfTheValidRangeIsMissing) {
  const std::vector<double> stored = {-101, -100, 0, 100, 120};
  EXPECT_THAT(
      MaskOf(NC_FLOAT, {{"valid_range", NC_FLOAT, {-100, 100}}}, stored),
      ElementsAre(0, 1, 1, 1, 0));
  EXPECT_THAT(MaskOf(NC_FLOAT, {{"valid_min", NC_FLOAT, {-100}}}, stored),
              ElementsAre(0, 1, 1, 1, 1));
  EXPECT_THAT(MaskOf(NC_INT, {{"valid_max", NC_INT, {100}}}, stored),
              ElementsAre(1, 1, 1, 1, 0));
  EXPECT_THAT(MaskOf(NC_INT, {{"valid_max", NC_DOUBLE, {99.5}}}, stored),
              ElementsAre(1, 1, 1, 0, 0));
  // A range that the type cannot hold excludes nothing.
  EXPECT_THAT(MaskOf(NC_SHORT, {{"valid_max", NC_INT, {100000}}}, stored),
              ElementsAre(1, 1, 1, 1, 1));
}

TEST_F(PackingTest, AnEndThatAFloatRoundsBelongsToTheRange) {
  EXPECT_THAT(
      MaskOf(NC_FLOAT, {{"valid_range", NC_DOUBLE, {0.1, 0.3}}}, {0.1, 0.3}),
      ElementsAre(1, 1));
}

TEST_F(PackingTest, TheRangeIsPackedOrUnpackedByItsType) {
  const std::vector<double> stored = {0, 50, 150};
  const Numbers scale = {"scale_factor", NC_DOUBLE, {0.1}};
  EXPECT_THAT(MaskOf(NC_SHORT, {scale, {"valid_max", NC_SHORT, {100}}}, stored),
              ElementsAre(1, 1, 0));
  EXPECT_THAT(MaskOf(NC_SHORT, {scale, {"valid_max", NC_DOUBLE, {5}}}, stored),
              ElementsAre(1, 1, 0));
  EXPECT_THAT(ErrorOf({scale, {"valid_max", NC_FLOAT, {5}}}),
              HasSubstr("write it in the type of the numbers"));
}

TEST_F(PackingTest, UnsignedIsObeyedByNumbersAndAttributes) {
  const auto block = Read(NC_BYTE,
                          {{"_FillValue", NC_BYTE, {-1}},
                           {"valid_max", NC_BYTE, {-56}},  // 200
                           {"scale_factor", NC_FLOAT, {0.5}}},
                          {{"_Unsigned", "true"}},
                          {-1, -56, -55, 100},
                          0);
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_THAT(block->mask.data<std::uint8_t>(), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(block->values.data<float>(), ElementsAre(0, 100, 0, 50));
  EXPECT_EQ(block->outside_range, 1);
  const auto with_sign = Read(NC_UBYTE, {}, {{"_Unsigned", "false"}}, {255, 1});
  ASSERT_TRUE(with_sign.ok()) << with_sign.status();
  EXPECT_THAT(with_sign->values.data<float>(), ElementsAre(-1, 1));
  EXPECT_THAT(ErrorOf({}, {{"_Unsigned", "yes"}}), HasSubstr("_Unsigned"));
  EXPECT_THAT(ErrorOf({}, {{"_Unsigned", "true"}}, NC_FLOAT),
              HasSubstr("is for integers"));
}

TEST_F(PackingTest, ATextWhereANumberBelongsIsAnError) {
  for (const char* name : {"scale_factor",
                           "add_offset",
                           "missing_value",
                           "valid_min",
                           "valid_max",
                           "valid_range"}) {
    EXPECT_THAT(ErrorOf({}, {{name, "0.01"}}),
                AllOf(HasSubstr(name),
                      HasSubstr("is the text \"0.01\""),
                      HasSubstr("ncatted")));
  }
}

TEST_F(PackingTest, AnAttributeThatIsNearlyOneOfThemIsAnError) {
  for (const char* name : {"Scale_Factor",
                           "scale",
                           "Add_Offset",
                           "offset",
                           "fill_value",
                           "Missing_Value",
                           "VALID_RANGE",
                           "Units",
                           "unsigned"}) {
    EXPECT_THAT(ErrorOf({{name, NC_DOUBLE, {2}}}),
                AllOf(HasSubstr(name), HasSubstr("ncrename")));
  }
  // Beside the right one it says nothing.
  const auto block =
      Read(NC_SHORT,
           {{"Scale_Factor", NC_DOUBLE, {2}}, {"scale_factor", NC_DOUBLE, {3}}},
           {},
           {1});
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_THAT(block->values.data<float>(), ElementsAre(3));
}

TEST_F(PackingTest, ContradictionsAreErrors) {
  EXPECT_THAT(ErrorOf({{"scale_factor", NC_DOUBLE, {0}}}), HasSubstr("is 0"));
  EXPECT_THAT(ErrorOf({{"scale_factor", NC_DOUBLE, {1, 2}}}),
              HasSubstr("one finite number"));
  EXPECT_THAT(ErrorOf({{"valid_range", NC_SHORT, {5, 1}}}),
              HasSubstr("leaves no valid value"));
  EXPECT_THAT(ErrorOf({{"valid_range", NC_SHORT, {5}}}),
              HasSubstr("two numbers"));
  EXPECT_THAT(ErrorOf({{"valid_range", NC_FLOAT, {kNan, 1}}}),
              HasSubstr("leaves no valid value"));
  EXPECT_THAT(ErrorOf({{"valid_range", NC_SHORT, {1, 5}},
                       {"valid_min", NC_SHORT, {1}}}),
              HasSubstr("beside valid_range"));
}

TEST_F(PackingTest, NanIsCountedWhereNoAttributeDeclaresIt) {
  const auto counted = Read(NC_FLOAT, {}, {}, {1, kNan, kNan});
  ASSERT_TRUE(counted.ok()) << counted.status();
  EXPECT_EQ(counted->undeclared_nan, 2);
  EXPECT_EQ(counted->first_nan, 1);
  EXPECT_EQ(counted->missing, 2);
  const auto declared =
      Read(NC_FLOAT, {{"_FillValue", NC_FLOAT, {kNan}}}, {}, {1, kNan});
  ASSERT_TRUE(declared.ok()) << declared.status();
  EXPECT_EQ(declared->undeclared_nan, 0);
  EXPECT_EQ(declared->missing, 1);
}

}  // namespace
}  // namespace gyre::internal::inline tests
