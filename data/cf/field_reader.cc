#include "gyre/data/cf/field_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "gyre/data/time/time_axis.h"

namespace gyre::internal::inline data {
namespace {

// Bytes of stored numbers that are read at once.
constexpr std::size_t kPartBytes = 64 << 20;

enum Role { kTimeRole, kLatRole, kLonRole };

}  // namespace

StatusOr<CfField> FieldReader::Read() {
  GYRE_ASSIGN_OR_RETURN(info_, file_.Find(request_.variable));
  field_.name = info_->name;
  GYRE_ASSIGN_OR_RETURN(const std::vector<std::string> packing,
                        PackingNotes(file_, *info_));
  for (const std::string& note : packing) Note(note);
  GYRE_RETURN_IF_ERROR(ReadAxes());
  GYRE_RETURN_IF_ERROR(CheckGrid());
  GYRE_RETURN_IF_ERROR(ChooseUnits());
  Allocate();
  GYRE_RETURN_IF_ERROR(ReadNumbers());
  return std::move(field_);
}

Status FieldReader::ReadAxes() {
  whole_ = BlockOf(*info_);
  for (std::size_t dim = 0; dim < info_->dims.size(); ++dim) {
    GYRE_ASSIGN_OR_RETURN(CfAxis axis,
                          ReadAxis(file_, *info_, dim, request_.axes));
    GYRE_RETURN_IF_ERROR(PlaceAxis(std::move(axis), dim));
  }
  for (int role : {kTimeRole, kLatRole, kLonRole}) {
    if (dims_[role] >= 0) continue;
    constexpr const char* kWanted[] = {"time", "latitude", "longitude"};
    return Bad("expected an axis of ",
               kWanted[role],
               ", its dimensions are none: give its coordinate variable the "
               "attribute standard_name = \"",
               kWanted[role],
               "\" and units");
  }
  return OkStatus();
}

Status FieldReader::PlaceAxis(CfAxis axis, std::size_t dim) {
  int role = -1;
  if (axis.kind == AxisKind::kTime) role = kTimeRole;
  if (axis.kind == AxisKind::kLat) role = kLatRole;
  if (axis.kind == AxisKind::kLon) role = kLonRole;
  if (role < 0) return ChooseLevel(axis, dim);
  if (dims_[role] >= 0) {
    return Bad("two of its dimensions are a ",
               Name(axis.kind),
               ": ",
               info_->dims[static_cast<std::size_t>(dims_[role])],
               " and ",
               info_->dims[dim]);
  }
  if (!axis.note.empty()) Note(axis.note);
  if (role == kTimeRole) {
    KeepTimes(&axis);
    field_.calendar = axis.calendar;
    field_.seconds = axis.seconds;
  }
  if (role == kLatRole) field_.lat = axis.values;
  if (role == kLonRole) field_.lon = axis.values;
  dims_[role] = static_cast<int>(dim);
  std::vector<std::int64_t>& places = places_[role];
  places.assign(whole_.count[dim], -1);
  for (std::size_t i = 0; i < axis.order.size(); ++i) {
    places[axis.order[i]] = static_cast<std::int64_t>(i);
  }
  return OkStatus();
}

// Leaves the times of the request.
void FieldReader::KeepTimes(CfAxis* axis) const {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < axis->seconds.size(); ++i) {
    if (axis->seconds[i] < request_.first_time ||
        axis->seconds[i] > request_.last_time) {
      continue;
    }
    axis->seconds[kept] = axis->seconds[i];
    axis->order[kept++] = axis->order[i];
  }
  axis->seconds.resize(kept);
  axis->order.resize(kept);
}

// Any axis but time and place: one position of it is read.
Status FieldReader::ChooseLevel(const CfAxis& axis, std::size_t dim) {
  std::size_t chosen = 0;
  if (request_.level.has_value() && axis.kind == AxisKind::kLevel) {
    const double wanted = *request_.level;
    const auto near = [&](double value) {
      return std::abs(value - wanted) <= 1e-6 * std::abs(wanted);
    };
    const auto found =
        std::find_if(axis.values.begin(), axis.values.end(), near);
    if (found == axis.values.end()) {
      std::string list;
      for (const double value : axis.values) list += Cat(" ", value);
      return Bad("has no level ",
                 wanted,
                 " in ",
                 axis.name,
                 ", which has",
                 list,
                 " ",
                 axis.units);
    }
    chosen = static_cast<std::size_t>(found - axis.values.begin());
  } else if (axis.size() != 1) {
    return Bad("its dimension ",
               info_->dims[dim],
               " of ",
               axis.size(),
               " is no time, latitude or longitude: ",
               axis.kind == AxisKind::kLevel
                   ? "say which level"
                   : "take one of them, as with `ncks -d` and `ncwa -a`, or "
                     "give its coordinate variable units and a standard_name");
  }
  whole_.start[dim] = chosen;
  whole_.count[dim] = 1;
  return OkStatus();
}

Status FieldReader::CheckGrid() const {
  const std::string mapping = info_->Text("grid_mapping");
  if (mapping.empty()) return OkStatus();
  const VariableInfo* found = file_.FindOrNull(mapping);
  const std::string name =
      found == nullptr ? mapping : found->Text("grid_mapping_name");
  if (name == "latitude_longitude" || found == nullptr || name.empty()) {
    return OkStatus();
  }
  return Bad("is on the projection ",
             name,
             ", whose cells are no rectangles of latitude and longitude: "
             "regrid the data first");
}

Status FieldReader::ChooseUnits() {
  const FileAttribute* units = info_->Find("units");
  if (units != nullptr && !units->is_text()) {
    return Bad("the attribute units is a number where a text belongs");
  }
  field_.has_units = units != nullptr && !units->text.empty();
  const std::string from =
      field_.has_units ? units->text : request_.units_of_file;
  field_.units = request_.units.empty() ? from : request_.units;
  if (request_.units.empty() || from.empty()) return OkStatus();
  const StatusOr<UnitConversion> conversion =
      ConvertUnits(from, request_.units);
  if (!conversion.ok()) {
    return Bad(Message(conversion.status()),
               ". Correct it with `ncatted -a units,",
               info_->name,
               ",o,c,UNIT FILE`");
  }
  conversion_ = *conversion;
  if (!conversion_.identity()) {
    if (info_->Text("units_metadata").find("difference") != std::string::npos) {
      return Bad("is a difference (units_metadata): convert it to ",
                 request_.units,
                 " first");
    }
    Note(from,
         " converted to ",
         request_.units,
         " (x ",
         conversion_.factor,
         conversion_.offset < 0 ? " - " : " + ",
         std::abs(conversion_.offset),
         ")");
  }
  return OkStatus();
}

void FieldReader::Allocate() {
  const Shape shape({static_cast<std::int64_t>(field_.seconds.size()),
                     static_cast<std::int64_t>(field_.lat.size()),
                     static_cast<std::int64_t>(field_.lon.size())});
  field_.values = Tensor::Zeros(shape);
  field_.mask = Tensor::Zeros(shape, DType::kU8);
}

// In parts along time, from the first to the last time that is wanted.
Status FieldReader::ReadNumbers() {
  const auto dim = static_cast<std::size_t>(dims_[kTimeRole]);
  const std::vector<std::int64_t>& places = places_[kTimeRole];
  const auto wanted = [](std::int64_t place) { return place >= 0; };
  const auto first = std::find_if(places.begin(), places.end(), wanted);
  const auto last = std::find_if(places.rbegin(), places.rend(), wanted);
  if (first == places.end()) return OkStatus();
  const auto begin = static_cast<std::size_t>(first - places.begin());
  const auto end = static_cast<std::size_t>(last.base() - places.begin());

  Block part = whole_;
  part.count[dim] = 1;
  const std::size_t bytes =
      static_cast<std::size_t>(part.shape().elements()) * SizeOf(info_->type);
  const std::size_t at_once =
      std::max<std::size_t>(1, kPartBytes / std::max<std::size_t>(1, bytes));
  for (std::size_t t = begin; t < end; t += at_once) {
    part.start[dim] = t;
    part.count[dim] = std::min(at_once, end - t);
    GYRE_RETURN_IF_ERROR(ReadPart(part));
  }
  if (undeclared_nan_ > first_undeclared_) {
    Note("in all ", undeclared_nan_, " NaN that no attribute declares");
  }
  return OkStatus();
}

// Of each dimension of a block, what its positions add to the place of a number
// in the field; -1 for a time that is not wanted.
std::vector<std::vector<std::int64_t>> FieldReader::OffsetsOf(
    const Block& block) const {
  const auto lats = static_cast<std::int64_t>(field_.lat.size());
  const auto lons = static_cast<std::int64_t>(field_.lon.size());
  const std::array<std::int64_t, 3> strides = {lats * lons, lons, 1};
  std::vector<std::vector<std::int64_t>> offsets;
  for (std::size_t dim = 0; dim < block.count.size(); ++dim) {
    offsets.emplace_back(block.count[dim], 0);
    for (std::size_t role = 0; role < strides.size(); ++role) {
      if (dims_[role] != static_cast<int>(dim)) continue;
      for (std::size_t i = 0; i < block.count[dim]; ++i) {
        const std::int64_t place = places_[role][block.start[dim] + i];
        offsets[dim][i] = place < 0 ? -1 : place * strides[role];
      }
    }
  }
  return offsets;
}

Status FieldReader::ReadPart(const Block& block) {
  GYRE_ASSIGN_OR_RETURN(
      const MaskedBlock part,
      ReadMasked(file_, *info_, block, DType::kF32, conversion_));
  NoteUndeclared(block, part);
  const std::span<const float> values = part.values.data<float>();
  const std::span<const std::uint8_t> mask = part.mask.data<std::uint8_t>();
  const std::span<float> to = field_.values.data<float>();
  const std::span<std::uint8_t> to_mask = field_.mask.data<std::uint8_t>();
  const std::vector<std::vector<std::int64_t>> offsets = OffsetsOf(block);
  const std::vector<std::int64_t>& inner = offsets.back();
  std::vector<std::size_t> at(offsets.size() - 1, 0);  // of the outer ones
  for (std::size_t i = 0; i < values.size(); i += inner.size()) {
    std::int64_t begin = 0;
    bool wanted = true;
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      const std::int64_t offset = offsets[dim][at[dim]];
      wanted = wanted && offset >= 0;
      begin += offset;
    }
    for (std::size_t k = 0; k < inner.size() && wanted; ++k) {
      if (inner[k] < 0) continue;
      const auto place = static_cast<std::size_t>(begin + inner[k]);
      to[place] = values[i + k];
      to_mask[place] = mask[i + k];
    }
    for (std::size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < block.count[dim]) break;
      at[dim] = 0;
    }
  }
  return OkStatus();
}

// Says how many NaN there are that no attribute declares, and where the first
// one lies.
void FieldReader::NoteUndeclared(const Block& block, const MaskedBlock& part) {
  if (part.undeclared_nan == 0) return;
  if (undeclared_nan_ == 0) {
    first_undeclared_ = part.undeclared_nan;
    std::array<std::int64_t, 3> where = {0, 0, 0};
    std::int64_t rest = part.first_nan;
    for (std::size_t dim = block.count.size(); dim-- > 0;) {
      const auto count = static_cast<std::int64_t>(block.count[dim]);
      for (std::size_t role = 0; role < where.size(); ++role) {
        if (dims_[role] != static_cast<int>(dim)) continue;
        const auto at =
            block.start[dim] + static_cast<std::size_t>(rest % count);
        where[role] = std::max<std::int64_t>(0, places_[role][at]);
      }
      rest /= count;
    }
    Note(part.undeclared_nan,
         " NaN that no attribute declares, taken as missing, the first at ",
         field_.TimeName(static_cast<std::size_t>(where[kTimeRole])),
         ", latitude ",
         field_.lat[static_cast<std::size_t>(where[kLatRole])],
         ", longitude ",
         field_.lon[static_cast<std::size_t>(where[kLonRole])]);
  }
  undeclared_nan_ += part.undeclared_nan;
}

}  // namespace gyre::internal::inline data
