#include "gyre/data/time/time_axis.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "gyre/data/time/units.h"

namespace gyre::internal::inline data {
namespace {

constexpr std::int64_t kDaySeconds = 86'400;

std::string LowerCase(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

// Where " since " stands, or npos.
std::size_t SincePosition(const std::string& units) {
  return LowerCase(units).find(" since ");
}

// Takes a date and time apart, from front to back.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : text_(text) { Blanks(); }

  // Digits, at most `most` of them.
  bool Number(std::size_t most, std::int64_t* value) {
    std::size_t n = 0;
    while (n < most && at_ + n < text_.size() &&
           std::isdigit(static_cast<unsigned char>(text_[at_ + n])) != 0) {
      ++n;
    }
    if (n == 0) return false;
    std::from_chars(text_.data() + at_, text_.data() + at_ + n, *value);
    at_ += n;
    return true;
  }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void Blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\0' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool done() const { return at_ == text_.size(); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

struct Parts {
  CalendarDate date;
  std::int64_t second_of_day = 0;
  std::int64_t zone = 0;  // seconds east of Greenwich
};

bool ReadDate(DateReader& in, CalendarDate* date) {
  const bool negative = in.Take('-');
  std::int64_t month = 0, day = 0;
  if (!in.Number(6, &date->year)) return false;
  if (negative) date->year = -date->year;
  const char separator = in.Take('-') ? '-' : ' ';
  if (separator == ' ') in.Blanks();
  if (!in.Number(2, &month)) return false;
  if (separator == '-') {
    if (!in.Take('-')) return false;
  } else {
    in.Blanks();
  }
  if (!in.Number(2, &day)) return false;
  date->month = static_cast<int>(month);
  date->day = static_cast<int>(day);
  return true;
}

bool ReadTimeOfDay(DateReader& in, std::int64_t* seconds) {
  std::int64_t hour = 0, minute = 0, second = 0, fraction = 0;
  if (!in.Number(2, &hour)) return true;  // a date alone
  if (in.Take(':')) {
    if (!in.Number(2, &minute)) return false;
    if (in.Take(':')) {
      if (!in.Number(2, &second)) return false;
      if (in.Take('.')) {
        if (in.Number(9, &fraction) && fraction != 0) return false;
      }
    }
  }
  if (hour > 24 || minute > 59 || second > 59) return false;
  *seconds = hour * 3600 + minute * 60 + second;
  return *seconds <= kDaySeconds;
}

bool ReadZone(DateReader& in, std::int64_t* seconds) {
  in.Blanks();
  if (in.TakeWord("UTC") || in.TakeWord("GMT") || in.Take('Z')) return true;
  const bool east = in.Take('+');
  if (!east && !in.Take('-')) return true;
  std::int64_t hour = 0, minute = 0;
  if (!in.Number(2, &hour)) return false;
  in.Take(':');
  in.Number(2, &minute);
  if (hour > 14 || minute > 59) return false;
  *seconds = (east ? 1 : -1) * (hour * 3600 + minute * 60);
  return true;
}

std::optional<Parts> ReadParts(const std::string& text) {
  DateReader in(text);
  Parts parts;
  if (!ReadDate(in, &parts.date)) return std::nullopt;
  if (!in.Take('T')) in.Blanks();
  if (!ReadTimeOfDay(in, &parts.second_of_day)) return std::nullopt;
  if (!ReadZone(in, &parts.zone)) return std::nullopt;
  in.Blanks();
  if (!in.done()) return std::nullopt;
  return parts;
}

}  // namespace

bool AreTimeUnits(const std::string& units) {
  return SincePosition(units) != std::string::npos;
}

StatusOr<std::int64_t> ParseDateTime(const std::string& text,
                                     Calendar calendar) {
  const std::optional<Parts> parts = ReadParts(text);
  if (!parts.has_value()) {
    return DataError(
        "expected a date and time like \"1996-01-05 06:00:00\", got \"",
        text,
        "\"");
  }
  GYRE_ASSIGN_OR_RETURN(const std::int64_t day,
                        DayNumber(calendar, parts->date));
  return day * kDaySeconds + parts->second_of_day - parts->zone;
}

StatusOr<TimeUnits> ParseTimeUnits(const std::string& units,
                                   const std::string& calendar) {
  const std::size_t since = SincePosition(units);
  if (since == std::string::npos) {
    return DataError(
        "expected units like \"hours since 1996-01-05 00:00\", "
        "got \"",
        units,
        "\"");
  }
  const std::string unit = units.substr(0, since);
  const std::string lower = LowerCase(unit);
  if (lower.find("mon") != std::string::npos ||
      lower.find("year") != std::string::npos ||
      lower.find("yr") != std::string::npos) {
    return DataError("the time unit \"",
                     unit,
                     "\" has no fixed length: write the times in days or "
                     "hours");
  }
  TimeUnits result;
  GYRE_ASSIGN_OR_RETURN(result.calendar, ParseCalendar(calendar));
  StatusOr<UnitConversion> seconds = ConvertUnits(unit, "s");
  if (!seconds.ok()) return Annotate(seconds.status(), units + ": ");
  result.seconds_per_unit = seconds->factor;
  StatusOr<std::int64_t> reference =
      ParseDateTime(units.substr(since + 7), result.calendar);
  if (!reference.ok()) return Annotate(reference.status(), units + ": ");
  result.reference = *reference;
  return result;
}

StatusOr<std::int64_t> TimeUnits::Seconds(double value) const {
  const double exact = value * seconds_per_unit;
  const double whole = std::round(exact);
  constexpr double kMost = 1e15;  // 30 million years
  // What an f64 of days may be off.
  const double slack = std::max(1e-3, std::abs(exact) * 0x1p-50);
  if (!(std::abs(exact) < kMost) || std::abs(exact - whole) > slack) {
    return DataError("expected a time of whole seconds, got ",
                     value,
                     " (",
                     exact,
                     " s after the reference time)");
  }
  return reference + static_cast<std::int64_t>(whole);
}

}  // namespace gyre::internal::inline data
