#include "gyre/data/cf/inspect_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "gyre/data/cf/axis.h"
#include "gyre/data/cf/field.h"
#include "gyre/data/file/masked.h"
#include "gyre/data/time/units.h"

namespace gyre::internal::inline data {
namespace {

constexpr std::size_t kBytesAtOnce = 64 << 20;

// The distance of neighbours, if it is the same for all.
template <class T>
Json EvenStep(const std::vector<T>& values) {
  if (values.size() < 2) return Json();
  const double first = static_cast<double>(values[1] - values[0]);
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double step = static_cast<double>(values[i] - values[i - 1]);
    if (std::abs(step - first) > 1e-4 * std::abs(first)) return Json();
  }
  return Json(first);
}

Json DescribeAxis(const CfAxis& axis) {
  Json json = Json::Object({{"name", axis.name},
                            {"kind", Name(axis.kind)},
                            {"size", axis.size()},
                            {"units", axis.units}});
  if (axis.size() == 0) return json;
  if (axis.kind == AxisKind::kTime) {
    json.Set("first", IsoTime(axis.calendar, axis.seconds.front()))
        .Set("last", IsoTime(axis.calendar, axis.seconds.back()))
        .Set("step", EvenStep(axis.seconds))
        .Set("calendar", Name(axis.calendar));
  } else {
    json.Set("first", axis.values.front())
        .Set("last", axis.values.back())
        .Set("step", EvenStep(axis.values));
  }
  if (!axis.note.empty()) json.Set("note", axis.note);
  return json;
}

// Sums over a variable, part by part.
struct Totals {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0;
  std::int64_t valid = 0;
  std::int64_t missing = 0;
  std::int64_t outside_range = 0;
  std::int64_t undeclared_nan = 0;
  std::vector<std::size_t> empty;  // positions along the first axis

  void Add(const MaskedBlock& part, std::size_t first) {
    const auto values = part.values.data<double>();
    const auto mask = part.mask.data<std::uint8_t>();
    const Shape& shape = part.values.shape();
    const std::size_t rows =
        shape.rank() == 0 ? 1 : static_cast<std::size_t>(shape[0]);
    const std::size_t width = rows == 0 ? 0 : values.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t before = valid;
      for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
        if (mask[i] == 0) continue;
        min = std::min(min, values[i]);
        max = std::max(max, values[i]);
        sum += values[i];
        ++valid;
      }
      if (valid == before) empty.push_back(first + row);
    }
    missing += part.missing;
    outside_range += part.outside_range;
    undeclared_nan += part.undeclared_nan;
  }
};

StatusOr<Totals> SumVariable(const ScienceFile& file,
                             const VariableInfo& info) {
  Totals totals;
  Block part = BlockOf(info);
  if (part.count.empty() || part.shape().elements() == 0) {
    GYRE_ASSIGN_OR_RETURN(const MaskedBlock all,
                          ReadMasked(file, info, part, DType::kF64));
    totals.Add(all, 0);
    return totals;
  }
  const std::size_t rows = part.count[0];
  part.count[0] = 1;
  const std::size_t at_once = std::max<std::size_t>(
      1,
      kBytesAtOnce /
          (sizeof(double) * static_cast<std::size_t>(part.shape().elements())));
  for (std::size_t row = 0; row < rows; row += at_once) {
    part.start[0] = row;
    part.count[0] = std::min(at_once, rows - row);
    GYRE_ASSIGN_OR_RETURN(const MaskedBlock block,
                          ReadMasked(file, info, part, DType::kF64));
    totals.Add(block, row);
  }
  return totals;
}

class Inspection {
 public:
  explicit Inspection(const ScienceFile& file) : file_(file) {}

  Json Describe() {
    Json variables = Json::Array();
    for (const VariableInfo& info : file_.variables()) {
      if (!IsCoordinate(info)) variables.Append(DescribeVariable(info));
    }
    Json axes = Json::Array();
    for (auto& [name, axis] : axes_) axes.Append(std::move(axis));
    Json result = Json::Object({{"file", file_.path()},
                                {"format", file_.format()},
                                {"axes", std::move(axes)},
                                {"variables", std::move(variables)}});
    for (const FileAttribute& a : file_.attributes()) {
      if (a.name == "title" || a.name == "Conventions") {
        result.Set(a.name, a.text);
      }
    }
    return result;
  }

 private:
  // A variable over one dimension of its own name.
  static bool IsCoordinate(const VariableInfo& info) {
    const std::size_t slash = info.name.rfind('/');
    const std::string last =
        slash == std::string::npos ? info.name : info.name.substr(slash + 1);
    return info.dims.size() == 1 && info.dims[0] == last;
  }

  // The file's name stands at the top.
  std::string WithoutPath(const Status& status) const {
    const std::string text = Message(status), path = file_.path() + ": ";
    return text.rfind(path, 0) == 0 ? text.substr(path.size()) : text;
  }

  // The axes of a variable; what was refused of them.
  std::string ReadAxes(const VariableInfo& info) {
    std::string refused;
    for (std::size_t dim = 0; dim < info.dims.size(); ++dim) {
      const auto axis = ReadAxis(file_, info, dim);
      if (axis.ok()) {
        axes_.emplace(axis->name, DescribeAxis(*axis));
        continue;
      }
      const std::string why = WithoutPath(axis.status());
      refused = Cat("its axis ", info.dims[dim], ", see above");
      axes_.emplace(info.dims[dim],
                    Json::Object({{"name", info.dims[dim]},
                                  {"kind", "refused"},
                                  {"size", info.shape[static_cast<int>(dim)]},
                                  {"refused", why}}));
    }
    return refused;
  }

  Json DescribeVariable(const VariableInfo& info) {
    Json json = Json::Object({{"name", info.name},
                              {"dims", Json::ArrayOf(info.dims)},
                              {"type", Name(info.type)},
                              {"storage", info.storage},
                              {"units", info.Text("units")}});
    if (const std::string name = info.Text("long_name"); !name.empty()) {
      json.Set("long_name", name);
    }
    if (!IsNumber(info.type)) return json;
    std::string refused = ReadAxes(info);
    const auto notes = PackingNotes(file_, info);
    const auto totals = SumVariable(file_, info);
    if (!notes.ok()) refused = WithoutPath(notes.status());
    if (!totals.ok()) refused = WithoutPath(totals.status());
    if (notes.ok()) json.Set("notes", Notes(info, *notes));
    if (totals.ok()) SetTotals(*totals, &json);
    if (!refused.empty()) json.Set("refused", refused);
    return json;
  }

  static Json Notes(const VariableInfo& info,
                    const std::vector<std::string>& packing) {
    Json notes = Json::ArrayOf(packing);
    const std::string units = info.Text("units");
    if (units.empty()) {
      notes.Append("no attribute units: say what it is in the configuration");
    } else if (!IsUnit(units)) {
      notes.Append(Cat("\"", units, "\" is no unit that udunits knows"));
    }
    return notes;
  }

  static void SetTotals(const Totals& totals, Json* json) {
    json->Set("valid", totals.valid)
        .Set("missing", totals.missing)
        .Set("outside_range", totals.outside_range)
        .Set("undeclared_nan", totals.undeclared_nan);
    if (totals.valid == 0) return;
    json->Set("min", totals.min)
        .Set("mean", totals.sum / static_cast<double>(totals.valid))
        .Set("max", totals.max)
        .Set("empty_times", Json::ArrayOf(totals.empty));
  }

  const ScienceFile& file_;
  std::map<std::string, Json> axes_;
};

}  // namespace

StatusOr<Json> InspectFile(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const auto file, OpenScienceFile(path));
  return Inspection(*file).Describe();
}

}  // namespace gyre::internal::inline data
