// CRC-32C (Castagnoli), which TFRecord files use.

#ifndef GYRE_MONITOR_SINKS_CRC32C_H_
#define GYRE_MONITOR_SINKS_CRC32C_H_

#include <cstdint>
#include <string_view>

namespace gyre::internal::inline monitor {

std::uint32_t Crc32c(std::string_view bytes);

// As it is stored: rotated and shifted, so that a checksum of data that hold
// checksums stays one.
std::uint32_t MaskedCrc32c(std::string_view bytes);

}  // namespace gyre::internal::inline monitor

#endif  // GYRE_MONITOR_SINKS_CRC32C_H_
