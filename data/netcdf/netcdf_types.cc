#include "gyre/data/netcdf/netcdf_types.h"

#include <netcdf.h>

#include <cstring>

#include "gyre/data/netcdf/library.h"

namespace gyre::internal::inline data {
namespace {

StoredType FromNetcdf(nc_type type) {
  switch (type) {
    case NC_BYTE:
      return StoredType::kI8;
    case NC_UBYTE:
      return StoredType::kU8;
    case NC_SHORT:
      return StoredType::kI16;
    case NC_USHORT:
      return StoredType::kU16;
    case NC_INT:
      return StoredType::kI32;
    case NC_UINT:
      return StoredType::kU32;
    case NC_INT64:
      return StoredType::kI64;
    case NC_UINT64:
      return StoredType::kU64;
    case NC_FLOAT:
      return StoredType::kF32;
    case NC_DOUBLE:
      return StoredType::kF64;
    case NC_CHAR:
      return StoredType::kChar;
    default:
      return StoredType::kOther;
  }
}

// Of NC_STRING: all of them, with a line break between two.
int ReadStrings(int group,
                int variable,
                const char* name,
                std::size_t length,
                std::string* text) {
  std::vector<char*> strings(length, nullptr);
  const int code = nc_get_att_string(group, variable, name, strings.data());
  if (code != NC_NOERR) return code;
  for (std::size_t i = 0; i < length; ++i) {
    if (i > 0) *text += '\n';
    if (strings[i] != nullptr) *text += strings[i];
  }
  nc_free_string(length, strings.data());
  return NC_NOERR;
}

int ReadOneAttribute(int group, int variable, FileAttribute* attribute) {
  const char* const name = attribute->name.c_str();
  nc_type type = NC_NAT;
  std::size_t length = 0;
  if (const int code = nc_inq_att(group, variable, name, &type, &length)) {
    return code;
  }
  attribute->type = FromNetcdf(type);
  if (type == NC_STRING) {
    return ReadStrings(group, variable, name, length, &attribute->text);
  }
  if (attribute->type == StoredType::kOther || length == 0) return NC_NOERR;
  attribute->raw.resize(length * SizeOf(attribute->type));
  if (const int code =
          nc_get_att(group, variable, name, attribute->raw.data())) {
    return code;
  }
  if (type == NC_CHAR) {
    attribute->text = TrimmedEnd(std::string(
        reinterpret_cast<const char*>(attribute->raw.data()), length));
    return NC_NOERR;
  }
  attribute->numbers.resize(length);
  return nc_get_att_double(group, variable, name, attribute->numbers.data());
}

std::string DescribeStorage(int group, int variable, int rank) {
  int contiguous = 0, shuffle = 0, deflate = 0, level = 0;
  std::vector<std::size_t> chunks(static_cast<std::size_t>(rank));
  if (nc_inq_var_chunking(group, variable, &contiguous, chunks.data()) !=
          NC_NOERR ||
      contiguous != NC_CHUNKED) {
    return "contiguous";
  }
  std::string text = "chunks of (";
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    text += Cat(i > 0 ? ", " : "", chunks[i]);
  }
  text += ")";
  if (nc_inq_var_deflate(group, variable, &shuffle, &deflate, &level) ==
          NC_NOERR &&
      deflate != 0) {
    text += Cat(", deflate ", level);
  }
  return text;
}

// The value of cells that were never written; none for bytes, each of whose
// 256 values is in use, and for files that were not filled.
void ReadDefaultFill(int group, int variable, VariableInfo* info) {
  if (SizeOf(info->type) < 2) return;
  std::vector<std::byte> fill(SizeOf(info->type));
  int no_fill = 0;
  if (nc_inq_var_fill(group, variable, &no_fill, fill.data()) == NC_NOERR &&
      no_fill == 0) {
    info->default_fill = std::move(fill);
  }
}

}  // namespace

std::string FormatName(int format) {
  switch (format) {
    case NC_FORMAT_CLASSIC:
      return "NetCDF classic";
    case NC_FORMAT_64BIT_OFFSET:
      return "NetCDF 64-bit offset";
    case NC_FORMAT_CDF5:
      return "NetCDF CDF-5";
    default:
      return "NetCDF-4";
  }
}

StatusOr<std::vector<FileAttribute>> ReadAttributes(const std::string& path,
                                                    int group,
                                                    int variable) {
  int count = 0;
  const int found = variable == NC_GLOBAL
                        ? nc_inq_natts(group, &count)
                        : nc_inq_varnatts(group, variable, &count);
  if (found != NC_NOERR) return NetcdfError(found, path);
  std::vector<FileAttribute> attributes;
  for (int i = 0; i < count; ++i) {
    char name[NC_MAX_NAME + 1] = {};
    if (const int code = nc_inq_attname(group, variable, i, name)) {
      return NetcdfError(code, path);
    }
    FileAttribute attribute;
    attribute.name = name;
    if (const int code = ReadOneAttribute(group, variable, &attribute)) {
      return NetcdfError(code, path, Cat("attribute ", name));
    }
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

StatusOr<VariableInfo> ReadVariableInfo(const std::string& path,
                                        int group,
                                        int variable) {
  char name[NC_MAX_NAME + 1] = {};
  nc_type type = NC_NAT;
  int rank = 0;
  int dims[NC_MAX_VAR_DIMS];
  if (const int code =
          nc_inq_var(group, variable, name, &type, &rank, dims, nullptr)) {
    return NetcdfError(code, path);
  }
  VariableInfo info;
  info.name = name;
  info.type = FromNetcdf(type);
  std::vector<std::int64_t> extents;
  for (int i = 0; i < rank; ++i) {
    char dim[NC_MAX_NAME + 1] = {};
    std::size_t length = 0;
    if (const int code = nc_inq_dim(group, dims[i], dim, &length)) {
      return NetcdfError(code, path, info.name);
    }
    info.dims.emplace_back(dim);
    extents.push_back(static_cast<std::int64_t>(length));
  }
  info.shape = Shape(std::move(extents));
  if (const Status valid = info.shape.Validate(); !valid.ok()) {
    return DataError(path, ": variable ", info.name, ": ", Message(valid));
  }
  GYRE_ASSIGN_OR_RETURN(info.attributes, ReadAttributes(path, group, variable));
  info.storage = DescribeStorage(group, variable, rank);
  ReadDefaultFill(group, variable, &info);
  return info;
}

}  // namespace gyre::internal::inline data
