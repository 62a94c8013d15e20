#include "apps/weather_loss/netcdf.h"

#include <netcdf.h>

#include <limits>
#include <mutex>

#include "apps/weather_loss/classic_size.h"
#include "apps/weather_loss/netcdf_unpack.h"
#include "gyre/core/finite.h"
#include "gyre/core/io/file.h"

namespace gyre::weather {

using namespace internal;

namespace {

// One thread at a time in libnetcdf, which has state of its own for the whole
// process. Functions here call each other: a thread may lock it again.
class InLibrary {
 public:
  InLibrary() : lock_(Mutex()) {}

 private:
  static std::recursive_mutex& Mutex() {
    static std::recursive_mutex mutex;
    return mutex;
  }
  const std::lock_guard<std::recursive_mutex> lock_;
};

std::string_view Advice(int code) {
  switch (code) {
    case NC_ENOTNC:
      return "expected a NetCDF file; `ncdump -k FILE` shows what it is";
    case NC_ENOTVAR:
      return "`ncdump -h FILE` lists the variables";
    case NC_EACCESS:
    case EACCES:
      return "check the permissions";
    case NC_EHDFERR:
      return "the file is damaged or cut short: get it again";
    default:
      return "get the file again, or check it with `ncdump`";
  }
}

Status NetcdfError(int code,
                   const std::string& path,
                   const std::string& variable) {
  return DataError(path,
                   variable.empty() ? "" : ": variable ",
                   variable,
                   ": ",
                   nc_strerror(code),
                   ": ",
                   Advice(code));
}

// One variable of an open file, and how its errors are worded.
class VariableReader {
 public:
  VariableReader(int file, int variable, std::string path, std::string name)
      : file_(file),
        variable_(variable),
        path_(std::move(path)),
        name_(std::move(name)) {}

  StatusOr<MaskedField> Read(const Shape& shape) {
    nc_type type = NC_NAT;
    if (const int code = nc_inq_vartype(file_, variable_, &type)) {
      return Failure(code);
    }
    switch (type) {
      case NC_BYTE:
        return ReadAs<signed char>(shape);
      case NC_UBYTE:
        return ReadAs<unsigned char>(shape);
      case NC_SHORT:
        return ReadAs<short>(shape);
      case NC_USHORT:
        return ReadAs<unsigned short>(shape);
      case NC_INT:
        return ReadAs<int>(shape);
      case NC_UINT:
        return ReadAs<unsigned>(shape);
      case NC_INT64:
        return ReadAs<long long>(shape);
      case NC_UINT64:
        return ReadAs<unsigned long long>(shape);
      case NC_FLOAT:
        return ReadAs<float>(shape);
      case NC_DOUBLE:
        return ReadAs<double>(shape);
      default:
        return DataError(path_,
                         ": variable ",
                         name_,
                         ": expected numbers, got text or a type of its own");
    }
  }

 private:
  Status Failure(int code) const { return NetcdfError(code, path_, name_); }

  template <class T>
  StatusOr<MaskedField> ReadAs(const Shape& shape) {
    Packing<T> packing;
    GYRE_RETURN_IF_ERROR(ReadPacking(&packing));
    std::vector<T> packed(static_cast<std::size_t>(shape.elements()));
    // The type in memory is the type in the file: nothing is converted.
    if (const int code = nc_get_var(file_, variable_, packed.data())) {
      return Failure(code);
    }
    MaskedField field = {Tensor::Zeros(shape),
                         Tensor::Zeros(shape, DType::kU8)};
    const std::int64_t infinite =
        detail::Unpack(std::span<const T>(packed), packing, &field);
    if (infinite >= 0) {
      return DataError(path_,
                       ": variable ",
                       name_,
                       ": element ",
                       infinite,
                       " is infinite in f32: mark it with _FillValue");
    }
    return field;
  }

  template <class T>
  using Packing = detail::Packing<T>;

  template <class T>
  Status ReadPacking(Packing<T>* packing) const {
    bool any = false;
    for (const char* name : {"_FillValue", "missing_value"}) {
      GYRE_ASSIGN_OR_RETURN(const std::vector<double> numbers, Numbers(name));
      for (const double number : numbers) {
        any = true;
        const std::optional<T> fill = detail::AsPacked<T>(number);
        if (fill.has_value()) packing->fills.push_back(*fill);
      }
    }
    // Bytes have no default: each of their 256 values is in use.
    if (!any && sizeof(T) > 1) {
      int no_fill = 0;
      T fill = {};
      if (const int code = nc_inq_var_fill(file_, variable_, &no_fill, &fill)) {
        return Failure(code);
      }
      if (no_fill == 0) packing->fills.push_back(fill);
    }
    GYRE_RETURN_IF_ERROR(ReadFactor("scale_factor", &packing->scale));
    return ReadFactor("add_offset", &packing->offset);
  }

  Status ReadFactor(const char* name, double* factor) const {
    GYRE_ASSIGN_OR_RETURN(const std::vector<double> numbers, Numbers(name));
    if (numbers.empty()) return OkStatus();
    if (numbers.size() != 1 || !IsFinite(numbers[0])) {
      return DataError(path_,
                       ": variable ",
                       name_,
                       ": expected one finite number in ",
                       name,
                       ": correct the file");
    }
    *factor = numbers[0];
    return OkStatus();
  }

  // A numeric attribute; empty if there is none, or if it is a text.
  StatusOr<std::vector<double>> Numbers(const char* attribute) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    const int found = nc_inq_att(file_, variable_, attribute, &type, &length);
    if (found == NC_ENOTATT) return std::vector<double>();
    if (found != NC_NOERR) return Failure(found);
    if (type == NC_CHAR || type == NC_STRING) return std::vector<double>();
    std::vector<double> numbers(length);
    if (const int code =
            nc_get_att_double(file_, variable_, attribute, numbers.data())) {
      return Failure(code);
    }
    return numbers;
  }

  int file_;
  int variable_;
  std::string path_;
  std::string name_;
};

}  // namespace

StatusOr<NetcdfFile> NetcdfFile::Open(const std::string& path) {
  if (!FileExists(path)) {
    return DataError("no file ", path, ": check the path");
  }
  if (DirectoryExists(path)) {
    return DataError("expected a NetCDF file, ",
                     path,
                     " is a folder (Zarr stores are not read)");
  }
  GYRE_RETURN_IF_ERROR(CheckClassicSize(path));
  const InLibrary lock;
  int id = -1;
  if (const int code = nc_open(path.c_str(), NC_NOWRITE, &id)) {
    return NetcdfError(code, path, "");
  }
  return NetcdfFile(id, path);
}

NetcdfFile::~NetcdfFile() {
  if (id_ < 0) return;
  const InLibrary lock;
  nc_close(id_);
}

StatusOr<int> NetcdfFile::VariableId(const std::string& name) const {
  const InLibrary lock;
  int variable = -1;
  if (const int code = nc_inq_varid(id_, name.c_str(), &variable)) {
    return NetcdfError(code, path_, name);
  }
  return variable;
}

bool NetcdfFile::HasVariable(const std::string& name) const {
  return VariableId(name).ok();
}

StatusOr<std::vector<std::string>> NetcdfFile::DimensionNames(
    const std::string& variable) const {
  const InLibrary lock;
  GYRE_ASSIGN_OR_RETURN(const int id, VariableId(variable));
  int rank = 0;
  int dims[NC_MAX_VAR_DIMS];
  if (const int code =
          nc_inq_var(id_, id, nullptr, nullptr, &rank, dims, nullptr)) {
    return NetcdfError(code, path_, variable);
  }
  std::vector<std::string> names;
  for (int i = 0; i < rank; ++i) {
    char name[NC_MAX_NAME + 1] = {};
    if (const int code = nc_inq_dimname(id_, dims[i], name)) {
      return NetcdfError(code, path_, variable);
    }
    names.emplace_back(name);
  }
  return names;
}

StatusOr<Shape> NetcdfFile::VariableShape(const std::string& variable) const {
  const InLibrary lock;
  GYRE_ASSIGN_OR_RETURN(const int id, VariableId(variable));
  int rank = 0;
  int dims[NC_MAX_VAR_DIMS];
  if (const int code =
          nc_inq_var(id_, id, nullptr, nullptr, &rank, dims, nullptr)) {
    return NetcdfError(code, path_, variable);
  }
  std::vector<std::int64_t> extents;
  for (int i = 0; i < rank; ++i) {
    std::size_t length = 0;
    if (const int code = nc_inq_dimlen(id_, dims[i], &length)) {
      return NetcdfError(code, path_, variable);
    }
    extents.push_back(static_cast<std::int64_t>(length));
  }
  Shape shape(std::move(extents));
  if (const Status valid = shape.Validate(); !valid.ok()) {
    return DataError(path_, ": variable ", variable, ": ", Message(valid));
  }
  return shape;
}

StatusOr<MaskedField> NetcdfFile::ReadMasked(
    const std::string& variable) const {
  const InLibrary lock;
  GYRE_ASSIGN_OR_RETURN(const int id, VariableId(variable));
  GYRE_ASSIGN_OR_RETURN(const Shape shape, VariableShape(variable));
  return VariableReader(id_, id, path_, variable).Read(shape);
}

StatusOr<std::vector<double>> NetcdfFile::ReadCoordinate(
    const std::string& variable) const {
  const InLibrary lock;
  GYRE_ASSIGN_OR_RETURN(const MaskedField field, ReadMasked(variable));
  if (field.values.shape().rank() != 1) {
    return DataError(path_,
                     ": coordinate ",
                     variable,
                     ": expected one dimension, got the shape ",
                     field.values.shape());
  }
  const std::span<const float> values = field.values.data<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (field.mask.data<std::uint8_t>()[i] == 0) {
      return DataError(
          path_, ": coordinate ", variable, " is missing at position ", i);
    }
  }
  return std::vector<double>(values.begin(), values.end());
}

StatusOr<std::string> NetcdfFile::ReadText(const std::string& variable) const {
  const InLibrary lock;
  GYRE_ASSIGN_OR_RETURN(const int id, VariableId(variable));
  GYRE_ASSIGN_OR_RETURN(const Shape shape, VariableShape(variable));
  std::string text(static_cast<std::size_t>(shape.elements()), '\0');
  if (const int code = nc_get_var_text(id_, id, text.data())) {
    return NetcdfError(code, path_, variable);
  }
  text.resize(text.find_last_not_of(std::string(" \0", 2)) + 1);
  return text;
}

StatusOr<std::optional<std::string>> NetcdfFile::TextAttribute(
    const std::string& variable, const std::string& attribute) const {
  const InLibrary lock;
  GYRE_ASSIGN_OR_RETURN(const int id, VariableId(variable));
  nc_type type = NC_NAT;
  std::size_t length = 0;
  const int found = nc_inq_att(id_, id, attribute.c_str(), &type, &length);
  if (found == NC_ENOTATT || (found == NC_NOERR && type != NC_CHAR)) {
    return std::optional<std::string>();
  }
  if (found != NC_NOERR) return NetcdfError(found, path_, variable);
  std::string text(length, '\0');
  if (const int code =
          nc_get_att_text(id_, id, attribute.c_str(), text.data())) {
    return NetcdfError(code, path_, variable);
  }
  text.resize(text.find_last_not_of(std::string(" \0", 2)) + 1);
  return std::optional<std::string>(std::move(text));
}

}  // namespace gyre::weather
