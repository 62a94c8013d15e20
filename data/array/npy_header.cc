#include "gyre/data/array/npy_header.h"

#include <charconv>
#include <vector>

namespace gyre::internal::inline data {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = 1 << 20;

struct NpyType {
  std::string_view code;  // without the byte order
  DType dtype;
};

constexpr NpyType kNpyTypes[] = {{"f4", DType::kF32},
                                 {"f8", DType::kF64},
                                 {"f2", DType::kF16},
                                 {"i4", DType::kI32},
                                 {"i8", DType::kI64},
                                 {"u1", DType::kU8},
                                 {"b1", DType::kBool}};

// Takes the dictionary apart, from front to back.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : text_(text) {}

  Status Read(NpyHeader* header) {
    if (!Take("{")) return Bad("a dictionary");
    int seen = 0;
    while (!Take("}")) {
      if (Take("'descr'") && Take(":")) {
        GYRE_RETURN_IF_ERROR(ReadType(header));
        seen |= 1;
      } else if (Take("'fortran_order'") && Take(":")) {
        header->fortran_order = Take("True");
        if (!header->fortran_order && !Take("False")) {
          return Bad("True or False");
        }
        seen |= 2;
      } else if (Take("'shape'") && Take(":")) {
        GYRE_RETURN_IF_ERROR(ReadShape(header));
        seen |= 4;
      } else {
        return Bad("'descr', 'fortran_order' or 'shape'");
      }
      if (!Take(",") && !Next('}')) return Bad("a comma");
    }
    if (seen != 7) return DataError("its header lacks an entry");
    Blanks();
    return at_ == text_.size() ? OkStatus() : Bad("its end");
  }

 private:
  void Blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool Take(std::string_view word) {
    Blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool Next(char c) {
    Blanks();
    return at_ < text_.size() && text_[at_] == c;
  }
  Status Bad(std::string_view wanted) const {
    return DataError("its header is damaged: expected ",
                     wanted,
                     " at byte ",
                     at_,
                     " of the dictionary: save it again with numpy.save");
  }

  Status ReadType(NpyHeader* header) {
    if (!Take("'")) return Bad("a plain element type");
    const std::size_t end = text_.find('\'', at_);
    if (end == std::string_view::npos) return Bad("a quote");
    const std::string_view type = text_.substr(at_, end - at_);
    at_ = end + 1;
    for (const NpyType& known : kNpyTypes) {
      if (type.size() != 3 || type.substr(1) != known.code) continue;
      if (std::string_view("<>|=").find(type[0]) == std::string_view::npos) {
        continue;
      }
      header->dtype = known.dtype;
      header->big_endian = type[0] == '>';
      return OkStatus();
    }
    return DataError(
        "expected numbers of type f2, f4, f8, i4, i8, u1 or b1, "
        "got \"",
        type,
        "\": convert it, as in numpy.save(file, "
        "x.astype(\"f4\"))");
  }

  Status ReadShape(NpyHeader* header) {
    if (!Take("(")) return Bad("a tuple");
    std::vector<std::int64_t> dims;
    while (!Take(")")) {
      Blanks();
      std::int64_t extent = -1;
      const char* const begin = text_.data() + at_;
      const auto [stop, error] =
          std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) return Bad("an extent");
      at_ += static_cast<std::size_t>(stop - begin);
      dims.push_back(extent);
      if (!Take(",") && !Next(')')) return Bad("a comma");
    }
    header->shape = Shape(std::move(dims));
    const Status valid = header->shape.Validate();
    return valid.ok() ? valid : DataError("its shape: ", Message(valid));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::size_t LittleEndian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

StatusOr<NpyHeader> ParseNpyHeader(std::string_view file) {
  if (file.size() < 10 || file.substr(0, kMagic.size()) != kMagic) {
    return DataError("expected a .npy file, which begins with \\x93NUMPY");
  }
  const int version = static_cast<unsigned char>(file[6]);
  if (version < 1 || version > 3) {
    return DataError("expected version 1, 2 or 3 of the .npy format, got ",
                     version);
  }
  const std::size_t width = version == 1 ? 2 : 4;
  const std::size_t text_begin = 8 + width;
  if (file.size() < text_begin) return DataError("it is cut short");
  const std::size_t length = LittleEndian(file.substr(8, width));
  if (length > kLongestHeader || length > file.size() - text_begin) {
    return DataError("it is cut short within its header of ", length, " bytes");
  }
  NpyHeader header;
  GYRE_RETURN_IF_ERROR(
      DictionaryReader(file.substr(text_begin, length)).Read(&header));
  header.data_begin = text_begin + length;
  const std::size_t wanted =
      static_cast<std::size_t>(header.shape.elements()) * SizeOf(header.dtype);
  if (file.size() - header.data_begin != wanted) {
    return DataError("its header ",
                     header.shape,
                     " asks for ",
                     wanted,
                     " bytes of data, the file has ",
                     file.size() - header.data_begin,
                     ": get the file again");
  }
  return header;
}

StatusOr<std::string> MakeNpyHeader(DType dtype, const Shape& shape) {
  std::string_view code;
  for (const NpyType& known : kNpyTypes) {
    if (known.dtype == dtype) code = known.code;
  }
  if (code.empty()) {
    return DataError(
        ".npy has no type for ", dtype, ": convert the tensor to f32 first");
  }
  std::string text = Cat("{'descr': '",
                         SizeOf(dtype) == 1 ? "|" : "<",
                         code,
                         "', 'fortran_order': False, 'shape': (");
  for (const std::int64_t extent : shape.dims()) text += Cat(extent, ", ");
  if (shape.rank() > 1) text.resize(text.size() - 2);
  if (shape.rank() == 1) text.resize(text.size() - 1);
  text += "), }";
  // The data begins at a multiple of 64, behind a line break.
  text.resize((10 + text.size()) / 64 * 64 + 64 - 10 - 1, ' ');
  text += '\n';
  const std::size_t length = text.size();
  return std::string(kMagic) + std::string("\1\0", 2) +
         static_cast<char>(length & 255) + static_cast<char>(length >> 8) +
         text;
}

}  // namespace gyre::internal::inline data
