#include "gyre/data/file/packing.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace gyre::internal::inline data {
namespace {

// Other spellings of the attributes that decide what a number means.
constexpr std::pair<std::string_view, std::string_view> kMeant[] = {
    {"scale_factor", "scale_factor"},
    {"scale", "scale_factor"},
    {"scalefactor", "scale_factor"},
    {"slope", "scale_factor"},
    {"add_offset", "add_offset"},
    {"addoffset", "add_offset"},
    {"offset", "add_offset"},
    {"intercept", "add_offset"},
    {"_fillvalue", "_FillValue"},
    {"fillvalue", "_FillValue"},
    {"fill_value", "_FillValue"},
    {"_fill_value", "_FillValue"},
    {"missing_value", "missing_value"},
    {"missingvalue", "missing_value"},
    {"valid_min", "valid_min"},
    {"valid_max", "valid_max"},
    {"valid_range", "valid_range"},
    {"_unsigned", "_Unsigned"},
    {"unsigned", "_Unsigned"},
    {"units", "units"},
    {"unit", "units"},
    {"calendar", "calendar"}};

std::string LowerName(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

// Reads the attributes of one variable, and words its errors.
class RuleReader {
 public:
  RuleReader(const std::string& path, const VariableInfo& info)
      : path_(path), info_(info) {}

  StatusOr<PackingRules> Read() {
    GYRE_RETURN_IF_ERROR(CheckNames());
    rules_.type = info_.type;
    GYRE_RETURN_IF_ERROR(ReadUnsigned());
    GYRE_ASSIGN_OR_RETURN(const FileAttribute* scale,
                          ReadFactor("scale_factor", &rules_.scale));
    GYRE_ASSIGN_OR_RETURN(const FileAttribute* offset,
                          ReadFactor("add_offset", &rules_.offset));
    if (rules_.scale == 0) return Bad("scale_factor", "is 0");
    rules_.packed = scale != nullptr || offset != nullptr;
    for (const char* name : {"_FillValue", "missing_value"}) {
      GYRE_ASSIGN_OR_RETURN(const FileAttribute* fill, Numbers(name));
      if (fill != nullptr) rules_.fills.push_back(fill);
    }
    GYRE_RETURN_IF_ERROR(ReadRange());
    GYRE_RETURN_IF_ERROR(ReadRangeType(scale, offset));
    return rules_;
  }

 private:
  template <class... Parts>
  Status Bad(std::string_view attribute, const Parts&... parts) const {
    return DataError(path_,
                     ": variable ",
                     info_.name,
                     ": the attribute ",
                     attribute,
                     " ",
                     parts...);
  }

  Status CheckNames() const {
    for (const FileAttribute& a : info_.attributes) {
      for (const auto& [spelling, meant] : kMeant) {
        if (LowerName(a.name) != spelling || a.name == meant) continue;
        if (info_.Find(meant) != nullptr) continue;
        return Bad(a.name,
                   "is none of CF's, and ",
                   meant,
                   " is not there: if it is meant, `ncrename -a ",
                   info_.name,
                   "@",
                   a.name,
                   ",",
                   meant,
                   " FILE`; if not, give it another name");
      }
    }
    return OkStatus();
  }

  // Numbers, or nullptr if there is no such attribute.
  StatusOr<const FileAttribute*> Numbers(std::string_view name) const {
    const FileAttribute* found = info_.Find(name);
    if (found == nullptr) return found;
    if (found->is_text()) {
      return Bad(name,
                 "is the text \"",
                 found->text,
                 "\" where a number belongs: write the number, as with "
                 "`ncatted -a ",
                 name,
                 ",",
                 info_.name,
                 ",o,f,NUMBER FILE`");
    }
    if (found->numbers.empty()) return Bad(name, "holds no number");
    return found;
  }

  Status ReadUnsigned() {
    const FileAttribute* found = info_.Find("_Unsigned");
    if (found == nullptr) return OkStatus();
    const std::string text = LowerName(found->text);
    if (text != "true" && text != "false") {
      return Bad("_Unsigned", "must be \"true\" or \"false\"");
    }
    if (IsFloat(info_.type)) {
      if (text == "false") return OkStatus();
      return Bad("_Unsigned", "is for integers, the numbers are ", info_.type);
    }
    rules_.type = WithSign(info_.type, text == "false");
    return OkStatus();
  }

  StatusOr<const FileAttribute*> ReadFactor(std::string_view name,
                                            double* factor) const {
    GYRE_ASSIGN_OR_RETURN(const FileAttribute* found, Numbers(name));
    if (found == nullptr) return found;
    if (found->numbers.size() != 1 || !std::isfinite(found->numbers[0])) {
      return Bad(name, "must be one finite number: correct the file");
    }
    *factor = found->numbers[0];
    return found;
  }

  Status ReadRange() {
    GYRE_ASSIGN_OR_RETURN(const FileAttribute* range, Numbers("valid_range"));
    GYRE_ASSIGN_OR_RETURN(rules_.lowest, Numbers("valid_min"));
    GYRE_ASSIGN_OR_RETURN(rules_.highest, Numbers("valid_max"));
    for (const FileAttribute* one : {rules_.lowest, rules_.highest}) {
      if (one == nullptr) continue;
      if (range != nullptr) {
        return Bad(one->name, "stands beside valid_range: remove one of them");
      }
      if (one->numbers.size() != 1) return Bad(one->name, "must be one number");
    }
    if (range != nullptr) {
      if (range->numbers.size() != 2) {
        return Bad("valid_range", "must be two numbers");
      }
      rules_.lowest = rules_.highest = range;
    }
    const double low = EndOf(rules_.lowest, false);
    const double high = EndOf(rules_.highest, true);
    if (!(low <= high)) {
      return Bad(range != nullptr ? "valid_range" : "valid_min",
                 "leaves no valid value, from ",
                 low,
                 " to ",
                 high);
    }
    return OkStatus();
  }

  // As the numbers' own sign has it.
  double EndOf(const FileAttribute* end, bool upper) const {
    if (end == nullptr) {
      const double infinity = std::numeric_limits<double>::infinity();
      return upper ? infinity : -infinity;
    }
    const std::size_t i = upper ? end->numbers.size() - 1 : 0;
    return WithStoredType(
        rules_.type,
        [&](auto tag) {
          using T = typename decltype(tag)::type;
          const std::optional<T> stored = AsStored<T>(*end, rules_.type, i);
          return IsFloat(end->type) || !stored.has_value()
                     ? end->numbers[i]
                     : static_cast<double>(*stored);
        },
        [&] { return end->numbers[i]; });
  }

  // Is the range in stored or in unpacked numbers? The users' guide: unpacked
  // if its type is the wider one of scale_factor and add_offset, and wider
  // than the stored type.
  Status ReadRangeType(const FileAttribute* scale,
                       const FileAttribute* offset) {
    for (const FileAttribute* end : {rules_.lowest, rules_.highest}) {
      if (end == nullptr || !IsFloat(end->type)) continue;
      const bool wider =
          !IsFloat(rules_.type) || SizeOf(end->type) > SizeOf(rules_.type);
      if (!wider) continue;
      if (!rules_.packed) {
        // A float's range in doubles is meant in floats; an integer's in
        // floats is as good unpacked.
        rules_.range_is_unpacked = !IsFloat(rules_.type);
        continue;
      }
      StoredType widest = StoredType::kI8;
      for (const FileAttribute* factor : {scale, offset}) {
        if (factor != nullptr) widest = std::max(widest, factor->type);
      }
      if (end->type != widest) {
        return Bad(end->name,
                   "is of type ",
                   end->type,
                   ", the numbers of ",
                   rules_.type,
                   ", scale_factor and add_offset of ",
                   widest,
                   ": write it in the type of the numbers if it means packed "
                   "values, in the type of scale_factor if it means unpacked "
                   "ones");
      }
      rules_.range_is_unpacked = true;
    }
    return OkStatus();
  }

  const std::string& path_;
  const VariableInfo& info_;
  PackingRules rules_;
};

}  // namespace

StatusOr<PackingRules> ReadPackingRules(const std::string& path,
                                        const VariableInfo& info) {
  if (!IsNumber(info.type)) {
    return DataError(
        path, ": variable ", info.name, ": expected numbers, got ", info.type);
  }
  return RuleReader(path, info).Read();
}

}  // namespace gyre::internal::inline data
