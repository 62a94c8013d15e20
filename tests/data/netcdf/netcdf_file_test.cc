#include "gyre/data/netcdf/netcdf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "gyre/core/io/file.h"
#include "gyre/data/file/masked.h"
#include "tests/data/netcdf_writer.h"
#include "tests/support/special_numbers.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

// One variable of a file, whole.
StatusOr<MaskedBlock> ReadAll(const ScienceFile& file,
                              const std::string& name) {
  GYRE_ASSIGN_OR_RETURN(const VariableInfo* info, file.Find(name));
  return ReadMasked(file, *info, BlockOf(*info));
}

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class NetcdfTest : public testing::Test {
 protected:
  // A file with one variable x(n) of `type`; `attributes` are doubles.
  struct Attribute {
    std::string name;
    nc_type type;
    std::vector<double> numbers;
  };
  MaskedBlock ReadPacked(nc_type type,
                         const std::vector<Attribute>& attributes,
                         const std::vector<double>& packed,
                         int mode = 0) {
    {
      NetcdfWriter writer(path_, mode);
      writer.Dimension("n", packed.size());
      writer.Variable("x", type, {"n"});
      for (const Attribute& a : attributes) {
        writer.Attribute("x", a.name, a.type, a.numbers);
      }
      writer.Put("x", packed);
    }
    const auto file = OpenNetcdf(path_);
    GYRE_CHECK(file.ok(), file.status());
    StatusOr<MaskedBlock> field = ReadAll(**file, "x");
    GYRE_CHECK(field.ok(), field.status());
    return *std::move(field);
  }
  static std::vector<int> Mask(const MaskedBlock& field) {
    const auto mask = field.mask.data<std::uint8_t>();
    return std::vector<int>(mask.begin(), mask.end());
  }
  static std::vector<float> Values(const MaskedBlock& field) {
    const auto values = field.values.data<float>();
    return std::vector<float>(values.begin(), values.end());
  }

  TempDir dir_;
  std::string path_ = dir_ / "x.cdf";
};

TEST_F(NetcdfTest, MasksFillValueAndStoresZero) {
  const MaskedBlock field = ReadPacked(
      NC_FLOAT, {{"_FillValue", NC_FLOAT, {-9999}}}, {1.5, -9999, 3});
  EXPECT_THAT(Mask(field), ElementsAre(1, 0, 1));
  EXPECT_THAT(Values(field), ElementsAre(1.5f, 0.0f, 3.0f));
}

TEST_F(NetcdfTest, BothAttributesCountAndNanAlways) {
  const MaskedBlock field = ReadPacked(
      NC_FLOAT,
      {{"_FillValue", NC_FLOAT, {-1}}, {"missing_value", NC_DOUBLE, {1e20}}},
      {-1, 1e20, kNan, 7});
  EXPECT_THAT(Mask(field), ElementsAre(0, 0, 0, 1));
}

TEST_F(NetcdfTest, MissingValueMayHoldSeveral) {
  const MaskedBlock field =
      ReadPacked(NC_INT, {{"missing_value", NC_INT, {-1, -2}}}, {-1, -2, -3});
  EXPECT_THAT(Mask(field), ElementsAre(0, 0, 1));
}

TEST_F(NetcdfTest, UnpacksAfterMasking) {
  // 0.5 * 20 - 10 = 0: the packed 20 is valid, the packed -10 is not, and
  // the unpacked value -10 (packed 0) is.
  const MaskedBlock field = ReadPacked(NC_SHORT,
                                       {{"_FillValue", NC_SHORT, {-10}},
                                        {"scale_factor", NC_DOUBLE, {0.5}},
                                        {"add_offset", NC_DOUBLE, {-10}}},
                                       {20, -10, 0});
  EXPECT_THAT(Mask(field), ElementsAre(1, 0, 1));
  EXPECT_THAT(Values(field), ElementsAre(0.0f, 0.0f, -10.0f));
}

TEST_F(NetcdfTest, AFillValueThatTheTypeCannotHoldMarksNothing) {
  // libnetcdf's own conversion makes 0 of it, and would mask the zeros. Such
  // an attribute can be written under the other name only.
  const MaskedBlock field =
      ReadPacked(NC_SHORT, {{"missing_value", NC_DOUBLE, {kNan}}}, {0, 5});
  EXPECT_THAT(Mask(field), ElementsAre(1, 1));
}

TEST_F(NetcdfTest, DefaultFillCountsWithoutAttributes) {
  EXPECT_THAT(Mask(ReadPacked(NC_FLOAT, {}, {NC_FILL_FLOAT, -9999})),
              ElementsAre(0, 1));
  EXPECT_THAT(Mask(ReadPacked(NC_SHORT, {}, {NC_FILL_SHORT, 1})),
              ElementsAre(0, 1));
  EXPECT_THAT(Mask(ReadPacked(NC_DOUBLE, {}, {NC_FILL_DOUBLE, 1})),
              ElementsAre(0, 1));
  // With an attribute the default is a value as any other.
  EXPECT_THAT(
      Mask(ReadPacked(
          NC_SHORT, {{"_FillValue", NC_SHORT, {5}}}, {NC_FILL_SHORT, 5})),
      ElementsAre(1, 0));
}

TEST_F(NetcdfTest, BytesHaveNoDefaultFill) {
  EXPECT_THAT(Mask(ReadPacked(NC_BYTE, {}, {NC_FILL_BYTE, 1})),
              ElementsAre(1, 1));
  EXPECT_THAT(Mask(ReadPacked(NC_UBYTE, {}, {255, 1}, NC_NETCDF4)),
              ElementsAre(1, 1));
}

TEST_F(NetcdfTest, WithoutFillModeThereIsNoDefaultFill) {
  {
    NetcdfWriter writer(path_, NC_NETCDF4);
    writer.Dimension("n", 2);
    writer.Variable("x", NC_INT, {"n"});
    writer.NoFill("x");
    writer.Put("x", {NC_FILL_INT, 1});
  }
  const auto file = OpenNetcdf(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(Mask(*ReadAll(**file, "x")), ElementsAre(1, 1));
}

TEST_F(NetcdfTest, ReadsEveryNumericType) {
  for (const nc_type type : {NC_BYTE,
                             NC_UBYTE,
                             NC_SHORT,
                             NC_USHORT,
                             NC_INT,
                             NC_UINT,
                             NC_INT64,
                             NC_UINT64,
                             NC_FLOAT,
                             NC_DOUBLE}) {
    const MaskedBlock field =
        ReadPacked(type, {{"_FillValue", type, {9}}}, {1, 9, 100}, NC_NETCDF4);
    EXPECT_THAT(Values(field), ElementsAre(1, 0, 100)) << type;
    EXPECT_THAT(Mask(field), ElementsAre(1, 0, 1)) << type;
  }
}

TEST_F(NetcdfTest, AnInfiniteValueIsAnError) {
  {
    NetcdfWriter writer(path_);
    writer.Dimension("n", 3);
    writer.Variable("x", NC_DOUBLE, {"n"});
    writer.Put("x", {1, 1e300, 2});
  }
  const auto file = OpenNetcdf(path_);
  ASSERT_TRUE(file.ok());
  const Status status = ReadAll(**file, "x").status();
  EXPECT_EQ(KindOf(status), ErrorKind::kData);
  EXPECT_THAT(Message(status),
              AllOf(HasSubstr("x.cdf"), HasSubstr("element 1 is infinite")));
}

TEST_F(NetcdfTest, AScaleThatIsNoNumberIsAnError) {
  {
    NetcdfWriter writer(path_);
    writer.Dimension("n", 1);
    writer.Variable("x", NC_SHORT, {"n"});
    writer.Attribute("x", "scale_factor", NC_DOUBLE, {kNan});
    writer.Put("x", {1});
  }
  const auto file = OpenNetcdf(path_);
  ASSERT_TRUE(file.ok());
  EXPECT_THAT(Message(ReadAll(**file, "x").status()),
              HasSubstr("scale_factor"));
}

TEST_F(NetcdfTest, ReadsTextShapesAndAttributes) {
  {
    NetcdfWriter writer(path_, NC_NETCDF4);
    writer.Dimension("lat", 2);
    writer.Dimension("lon", 3);
    writer.Dimension("len", 8);
    writer.Variable("p", NC_FLOAT, {"lat", "lon"});
    writer.Variable("when", NC_CHAR, {"len"});
    writer.StringAttribute("p", "units", "Pa");
    writer.TextAttribute("p", "long_name", "pressure  ");
    writer.Attribute("p", "levels", NC_SHORT, {1, 2});
    writer.Put("p", {1, 2, 3, 4, 5, 6});
    writer.PutText("when", std::string("1996 \0\0\0", 8));
  }
  const auto file = OpenNetcdf(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->format(), "NetCDF-4");
  const VariableInfo& p = **(*file)->Find("p");
  EXPECT_THAT(p.dims, ElementsAre("lat", "lon"));
  EXPECT_EQ(p.shape, Shape({2, 3}));
  EXPECT_EQ(p.type, StoredType::kF32);
  EXPECT_EQ(p.Text("units"), "Pa");
  EXPECT_EQ(p.Text("long_name"), "pressure");
  EXPECT_THAT(p.Find("levels")->numbers, ElementsAre(1, 2));
  EXPECT_EQ(p.Find("calendar"), nullptr);
  EXPECT_EQ(*(*file)->ReadText("when"), "1996");

  EXPECT_THAT(Message(ReadAll(**file, "when").status()),
              HasSubstr("expected numbers"));
  EXPECT_FALSE((*file)->ReadText("p").ok());
  const Status missing = ReadAll(**file, "q").status();
  EXPECT_EQ(KindOf(missing), ErrorKind::kData);
  EXPECT_THAT(
      Message(missing),
      AllOf(HasSubstr("x.cdf: variable q"), HasSubstr("It has: p, when")));
}

TEST_F(NetcdfTest, ReadsBlocksOfGroups) {
  {
    int file = 0, group = 0, dim = 0, variable = 0;
    ASSERT_EQ(nc_create(path_.c_str(), NC_NETCDF4, &file), NC_NOERR);
    ASSERT_EQ(nc_def_dim(file, "n", 4, &dim), NC_NOERR);
    ASSERT_EQ(nc_def_grp(file, "deep", &group), NC_NOERR);
    ASSERT_EQ(nc_def_var(group, "x", NC_INT, 1, &dim, &variable), NC_NOERR);
    const int numbers[] = {1, 2, 3, 4};
    ASSERT_EQ(nc_put_var(group, variable, numbers), NC_NOERR);
    ASSERT_EQ(nc_close(file), NC_NOERR);
  }
  const auto file = OpenNetcdf(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  const StatusOr<const VariableInfo*> x = (*file)->Find("deep/x");
  ASSERT_TRUE(x.ok()) << x.status();
  EXPECT_THAT((*x)->dims, ElementsAre("n"));
  const auto part = ReadMasked(**file, **x, {{1}, {2}});
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_THAT(part->values.data<float>(), ElementsAre(2, 3));
}

// Ranks that are threads of one process read at the same time.
TEST_F(NetcdfTest, ThreadsReadAtTheSameTime) {
  {
    NetcdfWriter writer(path_, 0);
    writer.Dimension("n", 3);
    writer.Variable("x", NC_FLOAT, {"n"});
    writer.Put("x", {1, 2, 3});
  }
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto file = OpenNetcdf(path_);
        if (!file.ok() || !ReadAll(**file, "x").ok()) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(NetcdfTest, OpenErrorsNameTheFile) {
  EXPECT_THAT(Message(OpenNetcdf("/no/such.cdf").status()),
              HasSubstr("/no/such.cdf"));
  EXPECT_THAT(Message(OpenNetcdf(dir_.path()).status()),
              HasSubstr("is a folder"));
  ASSERT_TRUE(WriteFileAtomically(path_, "no NetCDF at all").ok());
  EXPECT_THAT(Message(OpenNetcdf(path_).status()),
              HasSubstr("expected a NetCDF file"));
  ASSERT_TRUE(WriteFileAtomically(path_, "").ok());
  EXPECT_EQ(KindOf(OpenNetcdf(path_).status()), ErrorKind::kData);
}

TEST_F(NetcdfTest, ATruncatedFileIsAnErrorInEitherFormat) {
  for (const int mode : {0, NC_NETCDF4}) {
    ReadPacked(NC_FLOAT, {}, std::vector<double>(1000, 1.0), mode);
    const std::string whole = *ReadFile(path_);
    ASSERT_TRUE(
        WriteFileAtomically(path_, whole.substr(0, whole.size() - 8)).ok());
    const Status status = OpenNetcdf(path_).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kData) << mode;
    EXPECT_THAT(Message(status), HasSubstr("cut short")) << mode;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
