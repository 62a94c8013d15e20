#include "gyre/data/zarr/zarr_array.h"

#include <algorithm>
#include <numeric>

#include "gyre/data/zarr/codecs.h"
#include "gyre/data/zarr/zarr_values.h"

namespace gyre::internal::inline data {
namespace {

// Bytes of a chunk in memory.
constexpr std::int64_t kLargestChunk = std::int64_t{1} << 31;

StatusOr<Shape> ShapeOf(const Json* json, const char* key) {
  std::vector<std::int64_t> dims;
  if (json == nullptr || !json->is_array()) {
    return DataError("expected ", key, " to be a list of extents");
  }
  for (const Json& extent : json->elements()) {
    const StatusOr<std::int64_t> n = extent.AsInt();
    if (!n.ok() || *n < 0) return DataError(key, " must hold whole numbers");
    dims.push_back(*n);
  }
  Shape shape(std::move(dims));
  const Status valid = shape.Validate();
  if (!valid.ok()) return DataError(key, ": ", Message(valid));
  return shape;
}

StatusOr<std::vector<std::size_t>> ChunkOf(const Json* json,
                                           const char* key,
                                           int rank,
                                           StoredType type) {
  GYRE_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(json, key));
  std::vector<std::size_t> chunk(shape.dims().begin(), shape.dims().end());
  const auto width =
      static_cast<std::int64_t>(std::max<std::size_t>(1, SizeOf(type)));
  if (shape.rank() != rank ||
      std::find(chunk.begin(), chunk.end(), 0u) != chunk.end() ||
      shape.elements() > kLargestChunk / width) {
    return DataError(key,
                     " ",
                     shape,
                     " must have ",
                     rank,
                     " extents above 0, and at most 2 GB");
  }
  return chunk;
}

std::vector<std::size_t> AxesInOrder(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

// The names of the axes; of an array without, "dim_0" and so on.
void SetDims(const Json* names, VariableInfo* info) {
  for (int axis = 0; axis < info->shape.rank(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    const bool named = names != nullptr && at < names->elements().size() &&
                       names->elements()[at].is_string();
    info->dims.push_back(named ? *names->elements()[at].AsString()
                               : Cat("dim_", axis));
  }
}

std::string DescribeZarr(const ZarrCoding& coding) {
  std::string text = "chunks of (";
  for (std::size_t i = 0; i < coding.chunk.size(); ++i) {
    text += Cat(i > 0 ? ", " : "", coding.chunk[i]);
  }
  text += ")";
  for (const std::string& codec : coding.codecs) text += ", " + codec;
  if (!coding.inner.empty()) {
    text += ", shards of " + DescribeZarr(coding.inner[0]);
  }
  return text;
}

Status AddCompressor(const Json& compressor, ZarrCoding* coding) {
  if (compressor.is_null()) return OkStatus();
  const std::string id = compressor.GetString("id").value_or("?");
  if (!IsZarrCodec(id) || id == "crc32c") {
    return DataError("it is packed with ",
                     id,
                     "; blosc, zlib, gzip and zstd are read: write it with one "
                     "of them");
  }
  coding->codecs.push_back(id);
  return OkStatus();
}

// Reads the list of codecs of version 3.
class CodecReader {
 public:
  CodecReader(StoredType type, std::vector<std::size_t> chunk) : type_(type) {
    coding_.order = AxesInOrder(chunk.size());
    coding_.chunk = std::move(chunk);
  }

  StatusOr<ZarrCoding> Read(const Json* codecs, int depth = 0) {
    if (codecs == nullptr || !codecs->is_array()) {
      return DataError("expected a list of codecs");
    }
    bool numbers = false;  // the step from numbers to bytes was seen
    for (const Json& codec : codecs->elements()) {
      const std::string name = codec.GetString("name").value_or("?");
      const Json* found = codec.Find("configuration");
      const Json settings = found == nullptr ? Json::Object() : *found;
      if (name == "transpose" && !numbers) {
        GYRE_RETURN_IF_ERROR(ReadTranspose(settings));
      } else if (name == "bytes" && !numbers) {
        numbers = true;
        GYRE_RETURN_IF_ERROR(ReadEndian(settings));
      } else if (name == "sharding_indexed" && !numbers && depth == 0) {
        numbers = true;
        GYRE_RETURN_IF_ERROR(ReadSharding(settings));
      } else if (numbers && IsZarrCodec(name) && name != "zlib") {
        coding_.codecs.push_back(name);
      } else {
        return DataError("the codec ",
                         name,
                         " is not read here: transpose, bytes, "
                         "sharding_indexed, blosc, gzip, zstd and crc32c are");
      }
    }
    if (!numbers) return DataError("expected the codec bytes");
    return coding_;
  }

 private:
  Status ReadTranspose(const Json& settings) {
    const Json* order = settings.Find("order");
    std::vector<std::size_t> axes;
    if (order != nullptr) {
      for (const Json& axis : order->elements()) {
        axes.push_back(static_cast<std::size_t>(axis.AsInt().value_or(-1)));
      }
    }
    std::vector<std::size_t> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != AxesInOrder(coding_.chunk.size())) {
      return DataError("the codec transpose has no order of the axes");
    }
    std::vector<std::size_t> next;
    for (const std::size_t axis : axes) next.push_back(coding_.order[axis]);
    coding_.order = std::move(next);
    return OkStatus();
  }

  Status ReadEndian(const Json& settings) {
    const StatusOr<std::string> endian = settings.GetString("endian");
    if (SizeOf(type_) < 2) return OkStatus();
    if (!endian.ok() || (*endian != "little" && *endian != "big")) {
      return DataError("the codec bytes needs endian: little or big");
    }
    coding_.big_endian = *endian == "big";
    return OkStatus();
  }

  Status ReadSharding(const Json& settings) {
    const int rank = static_cast<int>(coding_.chunk.size());
    GYRE_ASSIGN_OR_RETURN(
        std::vector<std::size_t> inner,
        ChunkOf(settings.Find("chunk_shape"), "chunk_shape", rank, type_));
    for (std::size_t axis = 0; axis < inner.size(); ++axis) {
      if (coding_.chunk[axis] % inner[axis] != 0) {
        return DataError("the chunks of a shard do not divide it");
      }
    }
    if (coding_.order != AxesInOrder(coding_.chunk.size())) {
      return DataError("a transposed shard is not read");
    }
    GYRE_ASSIGN_OR_RETURN(
        ZarrCoding coding,
        CodecReader(type_, std::move(inner)).Read(settings.Find("codecs"), 1));
    coding_.inner.push_back(std::move(coding));
    const std::string place =
        settings.GetString("index_location").value_or("end");
    if (place != "end" && place != "start") {
      return DataError("index_location must be start or end");
    }
    coding_.index_at_end = place == "end";
    const Json* index = settings.Find("index_codecs");
    if (index == nullptr) return DataError("a shard needs index_codecs");
    for (const Json& codec : index->elements()) {
      const std::string name = codec.GetString("name").value_or("?");
      if (name == "crc32c") {
        coding_.index_codecs.push_back(name);
      } else if (name != "bytes") {
        return DataError("an index packed with ", name, " is not read");
      }
    }
    return OkStatus();
  }

  StoredType type_;
  ZarrCoding coding_;
};

}  // namespace

StatusOr<ZarrArray> ParseZarr2(const std::string& name,
                               const Json& array,
                               const Json& attributes) {
  ZarrArray result;
  result.info.name = name;
  if (array.GetInt("zarr_format").value_or(0) != 2) {
    return DataError("expected zarr_format 2");
  }
  GYRE_ASSIGN_OR_RETURN(result.info.shape,
                        ShapeOf(array.Find("shape"), "shape"));
  const int rank = result.info.shape.rank();
  const std::string dtype = array.GetString("dtype").value_or("");
  ZarrCoding& coding = result.coding;
  result.info.type = TypeOfZarr2(dtype, &coding.big_endian);
  GYRE_ASSIGN_OR_RETURN(
      coding.chunk,
      ChunkOf(array.Find("chunks"), "chunks", rank, result.info.type));
  coding.order = AxesInOrder(coding.chunk.size());
  const std::string order = array.GetString("order").value_or("C");
  if (order != "C" && order != "F") return DataError("order must be C or F");
  if (order == "F") std::reverse(coding.order.begin(), coding.order.end());
  const Json* filters = array.Find("filters");
  if (filters != nullptr && !filters->elements().empty()) {
    return DataError("it has the filter ",
                     filters->elements()[0].GetString("id").value_or("?"),
                     ", which is not read: write it without filters");
  }
  const Json* compressor = array.Find("compressor");
  if (compressor != nullptr) {
    GYRE_RETURN_IF_ERROR(AddCompressor(*compressor, &coding));
  }
  const std::string separator =
      array.GetString("dimension_separator").value_or(".");
  if (separator != "." && separator != "/") {
    return DataError("dimension_separator must be \".\" or \"/\"");
  }
  result.separator = separator[0];
  SetDims(attributes.Find("_ARRAY_DIMENSIONS"), &result.info);
  result.info.attributes = ZarrAttributes(attributes);
  const Json* fill = array.Find("fill_value");
  if (fill != nullptr && IsNumber(result.info.type)) {
    GYRE_ASSIGN_OR_RETURN(result.fill, ZarrFill(*fill, result.info.type));
    // As xarray has it: the fill value of version 2 is CF's.
    if (!result.fill.empty() && result.info.Find("_FillValue") == nullptr) {
      FileAttribute attribute;
      attribute.name = "_FillValue";
      attribute.type = result.info.type;
      attribute.raw = result.fill;
      attribute.numbers = {fill->AsDouble().value_or(0)};
      result.info.attributes.push_back(std::move(attribute));
    }
  }
  GiveStoredTypes(&result.info);
  result.info.storage = DescribeZarr(coding);
  return result;
}

StatusOr<ZarrArray> ParseZarr3(const std::string& name, const Json& metadata) {
  ZarrArray result;
  result.info.name = name;
  result.has_prefix = true;
  result.separator = '/';
  GYRE_ASSIGN_OR_RETURN(result.info.shape,
                        ShapeOf(metadata.Find("shape"), "shape"));
  result.info.type = TypeOfZarr3(metadata.GetString("data_type").value_or(""));
  const Json* grid = metadata.Find("chunk_grid");
  if (grid == nullptr || grid->GetString("name").value_or("") != "regular" ||
      grid->Find("configuration") == nullptr) {
    return DataError("expected a regular chunk_grid");
  }
  GYRE_ASSIGN_OR_RETURN(
      std::vector<std::size_t> chunk,
      ChunkOf(grid->Find("configuration")->Find("chunk_shape"),
              "chunk_shape",
              result.info.shape.rank(),
              result.info.type));
  const Json* keys = metadata.Find("chunk_key_encoding");
  if (keys != nullptr) {
    const std::string encoding = keys->GetString("name").value_or("default");
    result.has_prefix = encoding == "default";
    if (encoding != "default" && encoding != "v2") {
      return DataError("chunk_key_encoding ", encoding, " is not read");
    }
    const Json* settings = keys->Find("configuration");
    const std::string separator =
        (settings == nullptr ? Json::Object() : *settings)
            .GetString("separator")
            .value_or(encoding == "v2" ? "." : "/");
    if (separator != "." && separator != "/") {
      return DataError("separator must be \".\" or \"/\"");
    }
    result.separator = separator[0];
  }
  const Json* transformers = metadata.Find("storage_transformers");
  if (transformers != nullptr && !transformers->elements().empty()) {
    return DataError("storage_transformers are not read");
  }
  SetDims(metadata.Find("dimension_names"), &result.info);
  const Json* attributes = metadata.Find("attributes");
  if (attributes != nullptr) {
    result.info.attributes = ZarrAttributes(*attributes);
  }
  if (!IsNumber(result.info.type)) return result;
  GYRE_ASSIGN_OR_RETURN(result.coding,
                        CodecReader(result.info.type, std::move(chunk))
                            .Read(metadata.Find("codecs")));
  const Json* fill = metadata.Find("fill_value");
  if (fill == nullptr || fill->is_null()) {
    return DataError("expected a fill_value");
  }
  GYRE_ASSIGN_OR_RETURN(result.fill, ZarrFill(*fill, result.info.type));
  GiveStoredTypes(&result.info);
  result.info.storage = DescribeZarr(result.coding);
  return result;
}

}  // namespace gyre::internal::inline data
