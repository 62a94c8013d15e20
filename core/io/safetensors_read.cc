#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <tuple>
#include <vector>

#include "gyre/core/io/file.h"
#include "gyre/core/io/json.h"
#include "gyre/core/io/safetensors.h"
#include "gyre/core/io/safetensors_dtype.h"

namespace gyre::internal::inline core {
namespace {

constexpr std::size_t kLengthBytes = 8;
// The reference implementation's bound.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

struct TensorEntry {
  std::string name;
  DType dtype;
  Shape shape;
  std::uint64_t begin;
  std::uint64_t end;
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& what, ErrorKind kind)
      : bytes_(bytes), what_(what), kind_(kind) {}

  StatusOr<Safetensors> Read() {
    GYRE_ASSIGN_OR_RETURN(const Json header, ReadHeader());
    Safetensors file;
    std::vector<TensorEntry> entries;
    for (const auto& [name, value] : header.members()) {
      if (name == internal::kMetadataKey) {
        GYRE_RETURN_IF_ERROR(ReadMetadata(value, &file));
      } else {
        GYRE_ASSIGN_OR_RETURN(TensorEntry entry, ReadEntry(name, value));
        entries.push_back(std::move(entry));
      }
    }
    GYRE_RETURN_IF_ERROR(CheckCover(&entries));
    for (const TensorEntry& entry : entries) {
      GYRE_ASSIGN_OR_RETURN(file.tensors[entry.name], ReadTensor(entry));
    }
    return file;
  }

 private:
  template <class... Parts>
  Status Damaged(const Parts&... parts) const {
    return ErrorOfKind(kind_,
                       Cat(what_,
                           " is not a valid safetensors file: ",
                           parts...,
                           "; use another copy of it"));
  }

  StatusOr<Json> ReadHeader() {
    if (bytes_.size() < kLengthBytes) {
      return Damaged(
          "expected 8 bytes of header length, got ", bytes_.size(), " bytes");
    }
    std::uint64_t length = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;) {
      length = length << 8 | static_cast<unsigned char>(bytes_[i]);
    }
    const std::uint64_t rest = bytes_.size() - kLengthBytes;
    if (length > rest || length > kMaxHeaderBytes) {
      return Damaged("its header should have ",
                     length,
                     " bytes, and ",
                     rest,
                     " are there");
    }
    data_ = bytes_.substr(kLengthBytes + length);
    const std::string_view text = bytes_.substr(kLengthBytes, length);
    StatusOr<Json> header = Json::Parse(text, "the header");
    if (!header.ok()) return Damaged(Message(header.status()));
    if (!header->is_object()) {
      return Damaged("the header is ", header->TypeName(), ", no object");
    }
    return header;
  }

  Status ReadMetadata(const Json& value, Safetensors* file) const {
    if (!value.is_object()) {
      return Damaged("__metadata__ is ", value.TypeName(), ", no object");
    }
    for (const auto& [key, entry] : value.members()) {
      StatusOr<std::string> text = entry.AsString();
      if (!text.ok()) {
        return Damaged("metadata \"", key, "\": ", Message(text.status()));
      }
      file->metadata[key] = *std::move(text);
    }
    return OkStatus();
  }

  StatusOr<TensorEntry> ReadEntry(const std::string& name,
                                  const Json& value) const {
    const StatusOr<std::string> dtype_name = value.GetString("dtype");
    if (!dtype_name.ok()) {
      return Damaged("tensor \"", name, "\": ", Message(dtype_name.status()));
    }
    std::optional<DType> dtype;
    for (const auto& [ours, format_name] : internal::kSafetensorsDTypes) {
      if (format_name == *dtype_name) dtype = ours;
    }
    if (!dtype.has_value()) {
      return Damaged("tensor \"",
                     name,
                     "\" has the dtype ",
                     *dtype_name,
                     ", expected F32, F64, BF16, F16, I32, I64, U8 or BOOL");
    }
    GYRE_ASSIGN_OR_RETURN(const std::vector<std::int64_t> dims,
                          Numbers(name, value, "shape"));
    GYRE_ASSIGN_OR_RETURN(const std::vector<std::int64_t> offsets,
                          Numbers(name, value, "data_offsets"));
    Shape shape(dims);
    if (const Status valid = shape.Validate(); !valid.ok()) {
      return Damaged("tensor \"", name, "\": ", Message(valid));
    }
    if (offsets.size() != 2) {
      return Damaged("tensor \"",
                     name,
                     "\" has ",
                     offsets.size(),
                     " data_offsets, expected 2");
    }
    TensorEntry entry = {name,
                         *dtype,
                         std::move(shape),
                         static_cast<std::uint64_t>(offsets[0]),
                         static_cast<std::uint64_t>(offsets[1])};
    GYRE_RETURN_IF_ERROR(CheckRange(entry));
    return entry;
  }

  // A member that is an array of integers from 0 on.
  StatusOr<std::vector<std::int64_t>> Numbers(const std::string& name,
                                              const Json& value,
                                              std::string_view key) const {
    const Json* array = value.Find(key);
    if (array == nullptr || !array->is_array()) {
      return Damaged("tensor \"", name, "\" has no array \"", key, "\"");
    }
    std::vector<std::int64_t> numbers;
    for (const Json& element : array->elements()) {
      const StatusOr<std::int64_t> number = element.AsInt();
      if (!element.is_int() || !number.ok() || *number < 0) {
        return Damaged("tensor \"",
                       name,
                       "\": expected integers from 0 on in \"",
                       key,
                       "\", got ",
                       element.Dump());
      }
      numbers.push_back(*number);
    }
    return numbers;
  }

  Status CheckRange(const TensorEntry& entry) const {
    if (entry.begin > entry.end || entry.end > data_.size()) {
      return Damaged("tensor \"",
                     entry.name,
                     "\" should lie in bytes ",
                     entry.begin,
                     " to ",
                     entry.end,
                     " of the data, which has ",
                     data_.size(),
                     " (is the file cut short?)");
    }
    // Shape::Validate bounds the product, so this cannot overflow.
    const std::uint64_t expected =
        static_cast<std::uint64_t>(entry.shape.elements()) *
        SizeOf(entry.dtype);
    if (entry.end - entry.begin != expected) {
      return Damaged("tensor \"",
                     entry.name,
                     "\" of shape ",
                     entry.shape,
                     " and dtype ",
                     entry.dtype,
                     " takes ",
                     expected,
                     " bytes, and its offsets span ",
                     entry.end - entry.begin);
    }
    return OkStatus();
  }

  // The tensors must cover the data, without overlap and without a hole.
  Status CheckCover(std::vector<TensorEntry>* entries) const {
    std::sort(entries->begin(),
              entries->end(),
              [](const TensorEntry& a, const TensorEntry& b) {
                return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
              });
    std::uint64_t covered = 0;
    for (const TensorEntry& entry : *entries) {
      if (entry.begin != covered) {
        return Damaged("tensor \"",
                       entry.name,
                       "\" begins at byte ",
                       entry.begin,
                       entry.begin < covered ? " inside the one before it"
                                             : " and leaves a hole before it",
                       " (expected ",
                       covered,
                       ")");
      }
      covered = entry.end;
    }
    if (covered != data_.size()) {
      return Damaged(data_.size() - covered,
                     " bytes at the end belong to no tensor");
    }
    return OkStatus();
  }

  StatusOr<Tensor> ReadTensor(const TensorEntry& entry) const {
    const std::string_view source =
        data_.substr(entry.begin, entry.end - entry.begin);
    if (entry.dtype == DType::kBool) {
      for (const unsigned char byte : source) {
        if (byte > 1) {
          return Damaged("tensor \"",
                         entry.name,
                         "\" of BOOL holds a byte ",
                         static_cast<int>(byte));
        }
      }
    }
    Tensor tensor(entry.dtype, entry.shape);
    if (!source.empty()) {
      std::memcpy(tensor.raw(), source.data(), source.size());
    }
    return tensor;
  }

  std::string_view bytes_;
  std::string_view data_;  // what follows the header
  const std::string& what_;
  ErrorKind kind_;
};

}  // namespace

StatusOr<Safetensors> ParseSafetensors(std::string_view bytes,
                                       const std::string& what,
                                       ErrorKind kind) {
  return Reader(bytes, what, kind).Read();
}

StatusOr<Safetensors> ReadSafetensors(const std::string& path, ErrorKind kind) {
  GYRE_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kind));
  return ParseSafetensors(bytes, path, kind);
}

}  // namespace gyre::internal::inline core
