// What the bytes of a Zarr chunk are packed with: blosc, zlib, gzip, zstd, and
// the checksum crc32c.

#ifndef GYRE_DATA_ZARR_CODECS_H_
#define GYRE_DATA_ZARR_CODECS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline data {

// Does Unpacked know it?
bool IsZarrCodec(std::string_view name);

// The bytes that `packed` stands for; at most `most` of them, and exactly
// `most` if `exact`. Errors: damaged bytes, or another number of them.
StatusOr<std::string> Unpacked(std::string_view codec,
                               std::string_view packed,
                               std::size_t most,
                               bool exact);

// Castagnoli's checksum.
std::uint32_t Crc32c(std::string_view bytes);

}  // namespace gyre::internal::inline data

#endif  // GYRE_DATA_ZARR_CODECS_H_
