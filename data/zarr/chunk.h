// One chunk of a Zarr array: from its bytes to numbers in C order.

#ifndef GYRE_DATA_ZARR_CHUNK_H_
#define GYRE_DATA_ZARR_CHUNK_H_

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/data/zarr/zarr_array.h"

namespace gyre::internal::inline data {

// `width`: bytes of a number; `fill`: one number, for the chunks that a shard
// lacks. Errors lack the path.
StatusOr<std::vector<std::byte>> DecodeChunk(std::string_view bytes,
                                             const ZarrCoding& coding,
                                             std::size_t width,
                                             std::span<const std::byte> fill);

// `elements` times `fill`; zeros where it is empty.
std::vector<std::byte> FilledChunk(std::size_t elements,
                                   std::size_t width,
                                   std::span<const std::byte> fill);

// Copies a block of `count` between two arrays in C order, of the extents
// `from_shape` and `to_shape`.
void CopyBlock(const std::byte* from,
               std::span<const std::size_t> from_shape,
               std::span<const std::size_t> from_start,
               std::byte* to,
               std::span<const std::size_t> to_shape,
               std::span<const std::size_t> to_start,
               std::span<const std::size_t> count,
               std::size_t width);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_ZARR_CHUNK_H_
