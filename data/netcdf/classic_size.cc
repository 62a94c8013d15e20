#include "gyre/data/netcdf/classic_size.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <vector>

namespace gyre::internal::inline data {
namespace {

constexpr std::uint32_t kDimensionTag = 0x0a;
constexpr std::uint32_t kVariableTag = 0x0b;
constexpr std::uint32_t kAttributeTag = 0x0c;
// The number of records of a file whose writer has not finished.
constexpr std::uint64_t kStreaming32 = 0xffffffffu;
constexpr std::uint64_t kStreaming64 = ~std::uint64_t{0};

// Bytes of one element of a NetCDF type; 0: no such type.
std::uint64_t TypeSize(std::uint64_t type) {
  constexpr std::uint8_t kSizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  return type < std::size(kSizes) ? kSizes[type] : 0;
}

// Saturates: a size that overflows is longer than any file.
std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kStreaming64 : product;
}
std::uint64_t Plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kStreaming64 : sum;
}
std::uint64_t Padded(std::uint64_t n) { return Plus(n, (4 - n % 4) % 4); }

// Reads the header from front to back. After the first failure every read
// gives 0, and ok() is false.
class HeaderReader {
 public:
  HeaderReader(std::istream& in, std::uint64_t file_size)
      : in_(in), file_size_(file_size) {}

  // The size that the header asks for.
  std::uint64_t Read() {
    Unsigned(3);  // "CDF"
    version_ = static_cast<int>(Unsigned(1));
    std::uint64_t records = Count();
    if (records == (version_ == 5 ? kStreaming64 : kStreaming32)) records = 0;
    ReadDimensions();
    SkipAttributes();
    ReadVariables();
    return Needed(records);
  }

  bool ok() const { return ok_; }

 private:
  struct Variable {
    std::uint64_t begin;
    std::uint64_t bytes;  // of one record, if it has records
    bool has_records;
  };

  std::uint64_t Unsigned(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes && ok_; ++i) {
      const int byte = in_.get();
      if (byte == std::istream::traits_type::eof()) {
        ok_ = false;
        return 0;
      }
      value = value << 8 | static_cast<std::uint64_t>(byte);
    }
    return value;
  }
  std::uint64_t Count() { return Unsigned(version_ == 5 ? 8 : 4); }

  void Skip(std::uint64_t bytes) {
    const std::uint64_t at = static_cast<std::uint64_t>(in_.tellg());
    if (!ok_ || Plus(at, bytes) > file_size_) {
      ok_ = false;
      return;
    }
    in_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
  }
  void SkipName() { Skip(Padded(Count())); }

  // The number of entries of a list; an absent list has a tag of 0.
  std::uint64_t ListLength(std::uint32_t tag) {
    const std::uint64_t found = Unsigned(4);
    const std::uint64_t length = Count();
    if (found != tag && (found != 0 || length != 0)) ok_ = false;
    // Each entry takes 8 bytes at least: no length can make us loop long.
    if (length > file_size_ / 8) ok_ = false;
    return ok_ ? length : 0;
  }

  void ReadDimensions() {
    const std::uint64_t length = ListLength(kDimensionTag);
    for (std::uint64_t i = 0; i < length && ok_; ++i) {
      SkipName();
      dimensions_.push_back(Count());  // 0: the one that grows
    }
  }

  void SkipAttributes() {
    const std::uint64_t length = ListLength(kAttributeTag);
    for (std::uint64_t i = 0; i < length && ok_; ++i) {
      SkipName();
      const std::uint64_t size = TypeSize(Unsigned(4));
      if (size == 0) ok_ = false;
      Skip(Padded(Times(size, Count())));
    }
  }

  void ReadVariables() {
    const std::uint64_t length = ListLength(kVariableTag);
    for (std::uint64_t i = 0; i < length && ok_; ++i) {
      SkipName();
      std::uint64_t elements = 1;
      bool has_records = false;
      const std::uint64_t rank = Count();
      for (std::uint64_t k = 0; k < rank && ok_; ++k) {
        const std::uint64_t id = Count();
        if (id >= dimensions_.size()) {
          ok_ = false;
        } else if (k == 0 && dimensions_[id] == 0) {
          has_records = true;
        } else {
          elements = Times(elements, dimensions_[id]);
        }
      }
      SkipAttributes();
      const std::uint64_t size = TypeSize(Unsigned(4));
      if (size == 0) ok_ = false;
      Count();  // vsize: redundant, and too small for large variables
      const std::uint64_t begin = Unsigned(version_ == 1 ? 4 : 8);
      variables_.push_back({begin, Times(elements, size), has_records});
    }
  }

  std::uint64_t Needed(std::uint64_t records) const {
    // A record is one piece of each such variable, padded to 4 bytes; unless
    // there is one such variable alone.
    std::uint64_t record_bytes = 0;
    std::int64_t record_variables = 0;
    for (const Variable& v : variables_) {
      if (!v.has_records) continue;
      record_bytes = Plus(record_bytes, Padded(v.bytes));
      ++record_variables;
    }
    std::uint64_t needed = 0;
    for (const Variable& v : variables_) {
      std::uint64_t end = Plus(v.begin, v.bytes);
      if (v.has_records) {
        if (records == 0) continue;
        const std::uint64_t stride =
            record_variables == 1 ? v.bytes : record_bytes;
        end = Plus(end, Times(records - 1, stride));
      }
      needed = std::max(needed, end);
    }
    return needed;
  }

  std::istream& in_;
  std::uint64_t file_size_;
  bool ok_ = true;
  int version_ = 1;
  std::vector<std::uint64_t> dimensions_;
  std::vector<Variable> variables_;
};

bool IsClassic(const char (&magic)[4]) {
  return magic[0] == 'C' && magic[1] == 'D' && magic[2] == 'F' &&
         (magic[3] == 1 || magic[3] == 2 || magic[3] == 5);
}

}  // namespace

Status CheckClassicSize(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return DataError("cannot open ", path, ": check the path");
  const auto size = static_cast<std::uint64_t>(in.tellg());
  in.seekg(0);
  char magic[4] = {};
  if (!in.read(magic, sizeof magic) || !IsClassic(magic)) return OkStatus();
  in.seekg(0);
  HeaderReader reader(in, size);
  const std::uint64_t needed = reader.Read();
  if (!reader.ok()) {
    return DataError(path,
                     ": the NetCDF header is damaged or cut short in its ",
                     size,
                     " bytes: get the file again");
  }
  if (size < needed) {
    return DataError(path,
                     " is cut short: its header asks for ",
                     needed,
                     " bytes, the file has ",
                     size,
                     ": get the file again");
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline data
