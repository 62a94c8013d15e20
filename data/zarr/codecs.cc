#include "gyre/data/zarr/codecs.h"

#include <blosc.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cstring>

namespace gyre::internal::inline data {
namespace {

Status Damaged(std::string_view codec) {
  return DataError("its bytes are no ", codec, ": get the chunk again");
}

StatusOr<std::string> UnpackBlosc(std::string_view packed, std::size_t most) {
  std::size_t size = 0;
  if (packed.size() < BLOSC_MIN_HEADER_LENGTH ||
      blosc_cbuffer_validate(packed.data(), packed.size(), &size) < 0 ||
      size > most) {
    return Damaged("blosc");
  }
  std::string bytes(size, '\0');
  const int got =
      blosc_decompress_ctx(packed.data(), bytes.data(), bytes.size(), 1);
  if (got < 0 || static_cast<std::size_t>(got) != size) return Damaged("blosc");
  return bytes;
}

// zlib's own format, or gzip's.
StatusOr<std::string> UnpackZlib(std::string_view codec,
                                 std::string_view packed,
                                 std::size_t most) {
  z_stream stream = {};
  constexpr int kAnyFormat = 32;  // zlib or gzip, as the header says
  if (inflateInit2(&stream, MAX_WBITS + kAnyFormat) != Z_OK) {
    return Damaged(codec);
  }
  std::string bytes(most, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const int code = inflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return code == Z_STREAM_END ? StatusOr<std::string>(std::move(bytes))
                              : Damaged(codec);
}

StatusOr<std::string> UnpackZstd(std::string_view packed, std::size_t most) {
  std::string bytes(most, '\0');
  const std::size_t size =
      ZSTD_decompress(bytes.data(), most, packed.data(), packed.size());
  if (ZSTD_isError(size) != 0) return Damaged("zstd");
  bytes.resize(size);
  return bytes;
}

StatusOr<std::string> CheckedCrc32c(std::string_view packed) {
  constexpr std::size_t kWidth = 4;
  if (packed.size() < kWidth) return Damaged("crc32c");
  const std::string_view bytes = packed.substr(0, packed.size() - kWidth);
  std::uint32_t stored = 0;
  std::memcpy(&stored, packed.data() + bytes.size(), kWidth);
  if (stored != Crc32c(bytes)) {
    return DataError("its checksum is wrong: get the chunk again");
  }
  return std::string(bytes);
}

StatusOr<std::string> UnpackOne(std::string_view codec,
                                std::string_view packed,
                                std::size_t most) {
  if (codec == "blosc") return UnpackBlosc(packed, most);
  if (codec == "zlib" || codec == "gzip") {
    return UnpackZlib(codec, packed, most);
  }
  if (codec == "zstd") return UnpackZstd(packed, most);
  if (codec == "crc32c") return CheckedCrc32c(packed);
  return DataError("the codec ", codec, " is not known");
}

}  // namespace

bool IsZarrCodec(std::string_view name) {
  for (const char* known : {"blosc", "zlib", "gzip", "zstd", "crc32c"}) {
    if (name == known) return true;
  }
  return false;
}

StatusOr<std::string> Unpacked(std::string_view codec,
                               std::string_view packed,
                               std::size_t most,
                               bool exact) {
  GYRE_ASSIGN_OR_RETURN(std::string bytes, UnpackOne(codec, packed, most));
  if (bytes.size() > most || (exact && bytes.size() != most)) {
    return DataError("expected ",
                     most,
                     " bytes of it, got ",
                     bytes.size(),
                     ": get the chunk again");
  }
  return bytes;
}

std::uint32_t Crc32c(std::string_view bytes) {
  static const auto& table = *[] {
    auto* made = new std::array<std::uint32_t, 256>;
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int k = 0; k < 8; ++k) {
        value = value >> 1 ^ ((value & 1) != 0 ? 0x82f63b78u : 0u);
      }
      (*made)[i] = value;
    }
    return made;
  }();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(c)) & 255];
  }
  return ~crc;
}

}  // namespace gyre::internal::inline data
