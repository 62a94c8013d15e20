#include "gyre/data/time/units.h"

#include <udunits2.h>

#include <cmath>
#include <memory>
#include <mutex>
#include <string_view>

namespace gyre::internal::inline data {
namespace {

struct FreeUnit {
  void operator()(ut_unit* unit) const { ut_free(unit); }
};
struct FreeConverter {
  void operator()(cv_converter* converter) const { cv_free(converter); }
};
using Unit = std::unique_ptr<ut_unit, FreeUnit>;
using Converter = std::unique_ptr<cv_converter, FreeConverter>;

// The library's table of units; it is not thread-safe, so one thread at a time
// has it.
class UnitTable {
 public:
  UnitTable() : lock_(Mutex()) {}

  Unit Parse(const std::string& text) const {
    return Unit(ut_parse(System(), text.c_str(), UT_UTF8));
  }
  static bool ok() { return System() != nullptr; }

 private:
  static std::mutex& Mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static ut_system* System() {
    static ut_system* const system = [] {
      ut_set_error_message_handler(ut_ignore);
      return ut_read_xml(nullptr);
    }();
    return system;
  }
  const std::lock_guard<std::mutex> lock_;
};

std::string TrimmedUnit(const std::string& text) {
  const std::string blanks(" \t\n\0", 4);
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// What a spelling is meant for that udunits takes for something else.
std::string_view MeantBy(std::string_view unit) {
  constexpr std::pair<std::string_view, std::string_view> kTraps[] = {
      {"mb", "hPa (mb is the millibarn)"},
      {"mbs", "hPa"},
      {"C", "degC (C is the coulomb)"},
      {"deg C", "degC"},
      {"degrees C", "degC"},
      {"F", "degF (F is the farad)"},
      {"gpm", "m"},
      {"gpdm", "dam"},
      {"mph", "mile/hour (mph is the milliphot)"},
      {"m2/s2", "m2 s-2"}};
  for (const auto& [spelling, meant] : kTraps) {
    if (unit == spelling) return meant;
  }
  return "";
}

Status NotAUnit(const std::string& unit) {
  const std::string_view meant = MeantBy(unit);
  return DataError("\"",
                   unit,
                   "\" is no unit that udunits knows: write ",
                   meant.empty() ? "one like \"m s-1\"" : meant);
}

Status NotConvertible(const std::string& from, const std::string& to) {
  const bool geopotential =
      from.find('m') != std::string::npos && (to == "m" || from == "m");
  const std::string_view meant = MeantBy(from);
  if (!meant.empty()) {
    return DataError("the unit \"",
                     from,
                     "\" cannot become ",
                     to,
                     ": if it is meant so, write ",
                     meant);
  }
  return DataError("the unit \"",
                   from,
                   "\" cannot become \"",
                   to,
                   "\": they measure different things",
                   geopotential ? " (a geopotential in m2 s-2 is 9.80665 m s-2 "
                                  "times the height in m)"
                                : "");
}

}  // namespace

StatusOr<UnitConversion> ConvertUnits(const std::string& from_text,
                                      const std::string& to_text) {
  const std::string from = TrimmedUnit(from_text), to = TrimmedUnit(to_text);
  if (from == to) return UnitConversion();
  const UnitTable table;
  if (!UnitTable::ok()) {
    return DataError(
        "udunits' table of units is not there: install "
        "libudunits2-data");
  }
  const Unit a = table.Parse(from), b = table.Parse(to);
  if (a == nullptr || b == nullptr) return NotAUnit(a == nullptr ? from : to);
  const Converter converter(ut_get_converter(a.get(), b.get()));
  if (converter == nullptr) return NotConvertible(from, to);

  // Far apart, so that the difference keeps its digits.
  constexpr double kSpan = 1 << 20;
  UnitConversion result;
  result.offset = cv_convert_double(converter.get(), 0);
  result.factor =
      (cv_convert_double(converter.get(), kSpan) - result.offset) / kSpan;
  const double twice = cv_convert_double(converter.get(), 2 * kSpan);
  if (!std::isfinite(result.offset) || !std::isfinite(result.factor) ||
      std::abs(result(2 * kSpan) - twice) > 1e-9 * std::abs(twice)) {
    return DataError("from \"",
                     from,
                     "\" to \"",
                     to,
                     "\" is no matter of a factor and an offset: convert the "
                     "data first");
  }
  if (std::abs(result.factor - 1) < 1e-15) result.factor = 1;
  return result;
}

bool IsUnit(const std::string& text) {
  const UnitTable table;
  return UnitTable::ok() && table.Parse(TrimmedUnit(text)) != nullptr;
}

}  // namespace gyre::internal::inline data
