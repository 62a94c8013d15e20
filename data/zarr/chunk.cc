#include "gyre/data/zarr/chunk.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "gyre/data/zarr/codecs.h"

namespace gyre::internal::inline data {
namespace {

std::size_t ElementsOf(std::span<const std::size_t> extents) {
  std::size_t n = 1;
  for (const std::size_t extent : extents) n *= extent;
  return n;
}

// The next position within `extents`, last axis fastest; false at the end.
bool Advance(std::span<const std::size_t> extents,
             std::vector<std::size_t>* at) {
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (++(*at)[axis] < extents[axis]) return true;
    (*at)[axis] = 0;
  }
  return false;
}

std::size_t OffsetOf(std::span<const std::size_t> extents,
                     std::span<const std::size_t> at) {
  std::size_t offset = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    offset = offset * extents[axis] + at[axis];
  }
  return offset;
}

// Undoes the codecs of bytes, last to first.
StatusOr<std::string> UnpackAll(std::string_view bytes,
                                const std::vector<std::string>& codecs,
                                std::size_t size) {
  std::string result(bytes);
  // What an earlier codec packs may be somewhat longer than the numbers.
  const std::size_t slack = size + size / 8 + 4096;
  for (std::size_t i = codecs.size(); i-- > 0;) {
    GYRE_ASSIGN_OR_RETURN(
        result, Unpacked(codecs[i], result, i == 0 ? size : slack, i == 0));
  }
  return result;
}

void SwapNumbers(std::size_t width, std::string* bytes) {
  for (std::size_t i = 0; i + width <= bytes->size(); i += width) {
    std::reverse(bytes->begin() + static_cast<std::ptrdiff_t>(i),
                 bytes->begin() + static_cast<std::ptrdiff_t>(i + width));
  }
}

// From the stored order of axes to C order.
std::vector<std::byte> InCOrder(const std::string& bytes,
                                const ZarrCoding& coding,
                                std::size_t width) {
  std::vector<std::byte> result(bytes.size());
  if (std::is_sorted(coding.order.begin(), coding.order.end())) {
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
  std::vector<std::size_t> stored;
  for (const std::size_t axis : coding.order) {
    stored.push_back(coding.chunk[axis]);
  }
  std::vector<std::size_t> at(stored.size(), 0), place(stored.size(), 0);
  std::size_t from = 0;
  do {
    for (std::size_t k = 0; k < at.size(); ++k) place[coding.order[k]] = at[k];
    std::memcpy(result.data() + OffsetOf(coding.chunk, place) * width,
                bytes.data() + from,
                width);
    from += width;
  } while (Advance(stored, &at));
  return result;
}

StatusOr<std::vector<std::byte>> DecodeNumbers(std::string_view bytes,
                                               const ZarrCoding& coding,
                                               std::size_t width) {
  const std::size_t size = ElementsOf(coding.chunk) * width;
  GYRE_ASSIGN_OR_RETURN(std::string numbers,
                        UnpackAll(bytes, coding.codecs, size));
  if (numbers.size() != size) {
    return DataError("expected ",
                     size,
                     " bytes of numbers, got ",
                     numbers.size(),
                     ": get the chunk again");
  }
  if (coding.big_endian) SwapNumbers(width, &numbers);
  return InCOrder(numbers, coding, width);
}

struct IndexEntry {
  std::uint64_t offset;
  std::uint64_t size;
};

StatusOr<std::vector<IndexEntry>> ReadIndex(std::string_view shard,
                                            const ZarrCoding& coding,
                                            std::size_t chunks) {
  const std::size_t size = chunks * sizeof(IndexEntry);
  const std::size_t stored = size + 4 * coding.index_codecs.size();
  if (stored > shard.size()) {
    return DataError("it is cut short within the index of its shard");
  }
  const std::string_view bytes = coding.index_at_end
                                     ? shard.substr(shard.size() - stored)
                                     : shard.substr(0, stored);
  GYRE_ASSIGN_OR_RETURN(const std::string index,
                        UnpackAll(bytes, coding.index_codecs, size));
  std::vector<IndexEntry> entries(chunks);
  std::memcpy(entries.data(), index.data(), std::min(size, index.size()));
  return entries;
}

StatusOr<std::vector<std::byte>> DecodeShard(std::string_view shard,
                                             const ZarrCoding& coding,
                                             std::size_t width,
                                             std::span<const std::byte> fill) {
  constexpr std::uint64_t kAbsent = ~std::uint64_t{0};
  const ZarrCoding& inner = coding.inner[0];
  std::vector<std::size_t> grid;
  for (std::size_t axis = 0; axis < coding.chunk.size(); ++axis) {
    grid.push_back(coding.chunk[axis] / inner.chunk[axis]);
  }
  GYRE_ASSIGN_OR_RETURN(const std::vector<IndexEntry> index,
                        ReadIndex(shard, coding, ElementsOf(grid)));
  std::vector<std::byte> result =
      FilledChunk(ElementsOf(coding.chunk), width, fill);
  std::vector<std::size_t> at(grid.size(), 0);
  const std::vector<std::size_t> zero(grid.size(), 0);
  std::size_t k = 0;
  do {
    const IndexEntry entry = index[k++];
    if (entry.offset == kAbsent && entry.size == kAbsent) continue;
    if (entry.offset > shard.size() ||
        entry.size > shard.size() - entry.offset) {
      return DataError("a chunk of its shard lies beyond the end");
    }
    GYRE_ASSIGN_OR_RETURN(
        const std::vector<std::byte> numbers,
        DecodeNumbers(shard.substr(entry.offset, entry.size), inner, width));
    std::vector<std::size_t> to(at.size());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      to[axis] = at[axis] * inner.chunk[axis];
    }
    CopyBlock(numbers.data(),
              inner.chunk,
              zero,
              result.data(),
              coding.chunk,
              to,
              inner.chunk,
              width);
  } while (Advance(grid, &at));
  return result;
}

}  // namespace

std::vector<std::byte> FilledChunk(std::size_t elements,
                                   std::size_t width,
                                   std::span<const std::byte> fill) {
  std::vector<std::byte> result(elements * width);
  for (std::size_t i = 0; i < elements && fill.size() == width; ++i) {
    std::memcpy(result.data() + i * width, fill.data(), width);
  }
  return result;
}

void CopyBlock(const std::byte* from,
               std::span<const std::size_t> from_shape,
               std::span<const std::size_t> from_start,
               std::byte* to,
               std::span<const std::size_t> to_shape,
               std::span<const std::size_t> to_start,
               std::span<const std::size_t> count,
               std::size_t width) {
  std::vector<std::size_t> rows(count.begin(), count.end());
  const std::size_t row = rows.empty() ? 1 : rows.back();
  if (!rows.empty()) rows.back() = 1;
  std::vector<std::size_t> at(rows.size(), 0), a(at), b(at);
  do {
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      a[axis] = from_start[axis] + at[axis];
      b[axis] = to_start[axis] + at[axis];
    }
    std::memcpy(to + OffsetOf(to_shape, b) * width,
                from + OffsetOf(from_shape, a) * width,
                row * width);
  } while (Advance(rows, &at));
}

StatusOr<std::vector<std::byte>> DecodeChunk(std::string_view bytes,
                                             const ZarrCoding& coding,
                                             std::size_t width,
                                             std::span<const std::byte> fill) {
  if (coding.inner.empty()) return DecodeNumbers(bytes, coding, width);
  const std::size_t size = ElementsOf(coding.chunk) * width;
  if (coding.codecs.empty()) return DecodeShard(bytes, coding, width, fill);
  std::string shard(bytes);
  for (std::size_t i = coding.codecs.size(); i-- > 0;) {
    GYRE_ASSIGN_OR_RETURN(
        shard, Unpacked(coding.codecs[i], shard, 2 * size + 65536, false));
  }
  return DecodeShard(shard, coding, width, fill);
}

}  // namespace gyre::internal::inline data
