// One array of a Zarr store as its metadata describe it.
//
// Version 2: .zarray and .zattrs; version 3: zarr.json. Read strictly: a
// filter, a codec or a type that is not known is an error, never passed over.

#ifndef GYRE_DATA_ZARR_ZARR_ARRAY_H_
#define GYRE_DATA_ZARR_ZARR_ARRAY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "gyre/core/io/json.h"
#include "gyre/core/status.h"
#include "gyre/data/file/science_file.h"

namespace gyre::internal::inline data {

// How a chunk becomes numbers: its bytes are unpacked by `codecs` from the last
// to the first; then they are numbers in the order of axes `order`, or, of a
// shard, chunks with an index.
struct ZarrCoding {
  std::vector<std::size_t> chunk;  // extents
  std::vector<std::size_t>
      order;  // the axes, slowest first, as they are stored
  bool big_endian = false;
  std::vector<std::string> codecs;  // of bytes, first applied first
  // Of a shard: what its inner chunks are made by, and its index.
  std::vector<ZarrCoding> inner;  // none, or one
  std::vector<std::string> index_codecs;
  bool index_at_end = true;
};

struct ZarrArray {
  VariableInfo info;
  ZarrCoding coding;
  std::vector<std::byte> fill;  // of chunks that are not there
  bool has_prefix = false;      // keys are "c/0/1", not "0/1"
  char separator = '.';
};

// `name`: as the store calls it, for errors. Errors lack the path.
StatusOr<ZarrArray> ParseZarr2(const std::string& name,
                               const Json& array,
                               const Json& attributes);
StatusOr<ZarrArray> ParseZarr3(const std::string& name, const Json& metadata);

// Attributes of an array or a group; numbers in f64, or i64.
std::vector<FileAttribute> ZarrAttributes(const Json& attributes);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_ZARR_ZARR_ARRAY_H_
