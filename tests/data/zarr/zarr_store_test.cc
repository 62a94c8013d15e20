#include "gyre/data/zarr/zarr_store.h"

#include <blosc.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>
#include <random>

#include "gyre/core/io/file.h"
#include "gyre/data/cf/field.h"
#include "gyre/data/file/masked.h"
#include "gyre/data/zarr/codecs.h"
#include "tests/support/temp_dir.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string BytesOfShorts(const std::vector<std::int16_t>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 2};
}

std::string Packed(const std::string& codec, const std::string& bytes) {
  std::string out(bytes.size() + 1000, '\0');
  if (codec == "zlib") {
    uLongf size = out.size();
    compress(reinterpret_cast<Bytef*>(out.data()),
             &size,
             reinterpret_cast<const Bytef*>(bytes.data()),
             bytes.size());
    out.resize(size);
  } else if (codec == "zstd") {
    out.resize(
        ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3));
  } else if (codec == "blosc") {
    const int size = blosc_compress_ctx(5,
                                        BLOSC_SHUFFLE,
                                        2,
                                        bytes.size(),
                                        bytes.data(),
                                        out.data(),
                                        out.size(),
                                        "lz4",
                                        0,
                                        1);
    out.resize(static_cast<std::size_t>(size));
  } else {
    return bytes;
  }
  return out;
}

std::string WithCrc(const std::string& bytes) {
  const std::uint32_t crc = Crc32c(bytes);
  return bytes + std::string(reinterpret_cast<const char*>(&crc), 4);
}

class ZarrStoreTest : public testing::Test {
 protected:
  void Put(const std::string& name, const std::string& text) {
    const std::string path = dir_ / name;
    ASSERT_TRUE(CreateDirectories(path.substr(0, path.rfind('/'))).ok());
    ASSERT_TRUE(WriteFileAtomically(path, text).ok());
  }
  // x(3, 4) in chunks of (2, 3), whose numbers are 10 * row + column.
  void PutVersion2(const std::string& codec,
                   const std::string& more = "",
                   const std::string& dtype = "<i2",
                   bool fortran = false) {
    Put(".zgroup", R"({"zarr_format": 2})");
    Put("x/.zarray",
        Cat(R"({"zarr_format": 2, "shape": [3, 4], "chunks": [2, 3], )",
            R"("dtype": ")",
            dtype,
            R"(", "fill_value": -1, "order": ")",
            fortran ? "F" : "C",
            R"(", "filters": null, "compressor": )",
            codec.empty() ? "null" : R"({"id": ")" + codec + "\"}",
            more,
            "}"));
    Put("x/.zattrs", R"({"_ARRAY_DIMENSIONS": ["a", "b"], "units": "K"})");
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        if (i == 1 && j == 1) continue;  // never written
        std::vector<std::int16_t> numbers;
        for (int k = 0; k < 6; ++k) {
          const int row = 2 * i + (fortran ? k % 2 : k / 3);
          const int column = 3 * j + (fortran ? k / 2 : k % 3);
          const bool inside = row < 3 && column < 4;
          numbers.push_back(
              static_cast<std::int16_t>(inside ? 10 * row + column : 99));
        }
        std::string bytes = BytesOfShorts(numbers);
        if (dtype[0] == '>') {
          for (std::size_t k = 0; k < bytes.size(); k += 2) {
            std::swap(bytes[k], bytes[k + 1]);
          }
        }
        Put(Cat("x/", i, ".", j), Packed(codec, bytes));
      }
    }
  }
  // x(4) in one shard of two chunks, the second one left out.
  void PutShard(const std::string& chunk) {
    Put("zarr.json", R"({"zarr_format": 3, "node_type": "group"})");
    Put("x/zarr.json", R"({"zarr_format": 3, "node_type": "array",
      "shape": [4], "data_type": "int16", "fill_value": 7,
      "chunk_grid": {"name": "regular",
                     "configuration": {"chunk_shape": [4]}},
      "chunk_key_encoding": {"name": "default"},
      "dimension_names": ["n"], "attributes": {"valid_max": 100},
      "codecs": [{"name": "sharding_indexed", "configuration": {
        "chunk_shape": [2],
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                   {"name": "zstd"}],
        "index_codecs": [{"name": "bytes"}, {"name": "crc32c"}]}}]})");
    const std::uint64_t index[] = {0, chunk.size(), ~0ull, ~0ull};
    Put("x/c/0",
        chunk + WithCrc(std::string(reinterpret_cast<const char*>(index),
                                    sizeof index)));
  }
  StatusOr<MaskedBlock> ReadX() {
    GYRE_ASSIGN_OR_RETURN(const auto store, OpenScienceFile(dir_.path()));
    GYRE_ASSIGN_OR_RETURN(const VariableInfo* x, store->Find("x"));
    return ReadMasked(*store, *x, BlockOf(*x));
  }

  TempDir dir_;
};

TEST_F(ZarrStoreTest, Version2WithEveryCodecOrderAndEndian) {
  const auto expect = [&] {
    const auto x = ReadX();
    ASSERT_TRUE(x.ok()) << x.status();
    EXPECT_THAT(x->values.data<float>(),
                ElementsAre(0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 0));
    EXPECT_THAT(x->mask.data<std::uint8_t>(),
                ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0));
  };
  for (const char* codec : {"", "zlib", "zstd", "blosc"}) {
    PutVersion2(codec);
    expect();
  }
  PutVersion2("", "", ">i2");
  expect();
  PutVersion2("zlib", "", "<i2", true);
  expect();
}

TEST_F(ZarrStoreTest, ABlockOfIt) {
  PutVersion2("blosc");
  const auto store = OpenZarr(dir_.path());
  ASSERT_TRUE(store.ok()) << store.status();
  const VariableInfo& x = **(*store)->Find("x");
  EXPECT_THAT(x.dims, ElementsAre("a", "b"));
  EXPECT_EQ(x.Text("units"), "K");
  const auto part = ReadMasked(**store, x, {{1, 2}, {2, 1}});
  ASSERT_TRUE(part.ok()) << part.status();
  EXPECT_THAT(part->values.data<float>(), ElementsAre(12, 22));
}

TEST_F(ZarrStoreTest, Version3InShards) {
  PutShard(Packed("zstd", BytesOfShorts({5, 101})));
  const auto x = ReadX();
  ASSERT_TRUE(x.ok()) << x.status();
  // 7 stands for the chunk that is not there; 101 is beyond valid_max.
  EXPECT_THAT(x->values.data<float>(), ElementsAre(5, 0, 7, 7));
  EXPECT_THAT(x->mask.data<std::uint8_t>(), ElementsAre(1, 0, 1, 1));
}

TEST_F(ZarrStoreTest, WhatIsNotReadIsAnErrorThatNamesIt) {
  PutVersion2("");
  Put("x/.zarray",
      R"({"zarr_format": 2, "shape": [3], "chunks": [2], "dtype": "<i2",
          "fill_value": 0, "order": "C", "filters": null,
          "compressor": {"id": "lz4"}})");
  EXPECT_THAT(Message(ReadX().status()),
              AllOf(HasSubstr("variable x"), HasSubstr("packed with lz4")));
  PutVersion2("", R"(, "filters": [{"id": "delta"}])");
  EXPECT_FALSE(ReadX().ok());  // a key given twice
  PutShard("short");
  EXPECT_THAT(Message(ReadX().status()), HasSubstr("no zstd"));
  Put("x/c/0", "cut");
  EXPECT_THAT(Message(ReadX().status()), HasSubstr("cut short"));
}

TEST_F(ZarrStoreTest, ADamagedIndexIsNoticed) {
  PutShard(Packed("zstd", BytesOfShorts({5, 6})));
  std::string shard = *ReadFile(dir_ / "x/c/0");
  shard[shard.size() - 10] ^= 1;
  Put("x/c/0", shard);
  EXPECT_THAT(Message(ReadX().status()), HasSubstr("checksum is wrong"));
}

// No damage to metadata or chunks crashes.
TEST_F(ZarrStoreTest, DamagedStoresAreErrorsOrFit) {
  std::mt19937 random(3);
  const auto damage = [&](const std::string& name) {
    const std::string whole = *ReadFile(dir_ / name);
    for (int i = 0; i < 150; ++i) {
      std::string bad = whole;
      for (int k = 0; k < 2; ++k) {
        bad[random() % bad.size()] = static_cast<char>(random());
      }
      if (i % 3 == 0) bad.resize(random() % bad.size());
      Put(name, bad);
      const auto x = ReadX();
      EXPECT_TRUE(x.ok() || KindOf(x.status()) == ErrorKind::kData);
    }
    Put(name, whole);
  };
  for (const char* codec : {"zlib", "zstd", "blosc"}) {
    PutVersion2(codec);
    damage("x/0.0");
  }
  damage("x/.zarray");
  damage("x/.zattrs");
  PutShard(Packed("zstd", BytesOfShorts({5, 6})));
  damage("x/c/0");
  damage("x/zarr.json");
}

TEST(Crc32c, OfTheStandard) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
}

}  // namespace
}  // namespace gyre::internal::inline tests
