#include "gyre/core/flags.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cxxopts.hpp>
#include <exception>
#include <iostream>
#include <limits>
#include <optional>
#include <type_traits>

#include "gyre/core/finite.h"
#include "gyre/core/flags_text.h"
#include "gyre/core/nearest_word.h"

namespace gyre {

using namespace internal;

namespace {

using internal::Dashed;
using internal::Joined;
using internal::Shown;

// All of `text` as a number; nothing if it is none or does not fit.
template <class T>
std::optional<T> ParseNumber(const std::string& text) {
  T value = {};
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (end - begin > 1 && begin[0] == '+' && begin[1] != '-') ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<bool> ParseBool(const std::string& text) {
  if (text == "true" || text == "1" || text == "yes") return true;
  if (text == "false" || text == "0" || text == "no") return false;
  return std::nullopt;
}

template <class T>
std::string Expectation() {
  if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_integral_v<T>) {
    return Cat("an integer from ",
               std::numeric_limits<T>::min(),
               " to ",
               std::numeric_limits<T>::max());
  } else {
    return "a finite number";
  }
}

template <class T>
Status SetTarget(const std::string& name, const std::string& text, T* target) {
  std::optional<T> value;
  if constexpr (std::is_same_v<T, std::string>) {
    value = text;
  } else if constexpr (std::is_same_v<T, bool>) {
    value = ParseBool(text);
  } else {
    value = ParseNumber<T>(text);
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (value.has_value() && !IsFinite(*value)) value.reset();
  }
  if (!value.has_value()) {
    return ConfigError("flag ",
                       Dashed(name),
                       " expects ",
                       Expectation<T>(),
                       ", got \"",
                       text,
                       "\"");
  }
  *target = *std::move(value);
  return OkStatus();
}

template <class T>
Json AsJson(const T& value) {
  return Json(value);
}
// 0.1f as 0.1, which reads back as the same float.
template <>
Json AsJson(const float& value) {
  return Json(std::strtod(Shown(value).c_str(), nullptr));
}

// What cxxopts makes of a command line, with its exceptions as a Status.
struct Split {
  std::vector<std::pair<std::string, std::string>> values;  // flag name, text
  std::vector<std::string> unmatched;
};

StatusOr<Split> SplitArguments(
    const std::vector<std::pair<std::string, bool>>& flags,
    const std::vector<const char*>& arguments) {
  try {
    cxxopts::Options options("program");
    options.allow_unrecognised_options();
    for (const auto& [names, is_bool] : flags) {
      auto value = cxxopts::value<std::string>();
      if (is_bool) value->implicit_value("true");
      options.add_options()(names, "", value);
    }
    const cxxopts::ParseResult result =
        options.parse(static_cast<int>(arguments.size()), arguments.data());
    Split split;
    for (const cxxopts::KeyValue& pair : result.arguments()) {
      split.values.emplace_back(pair.key(), pair.value());
    }
    split.unmatched = result.unmatched();
    return split;
  } catch (const std::exception& error) {
    return ConfigError(error.what(), "; --help lists the flags");
  }
}

}  // namespace

void Flags::Add(std::string names, Target target, std::string help) {
  const std::size_t comma = names.find(',');
  std::string name =
      comma == std::string::npos ? names : names.substr(comma + 1);
  std::string shown =
      std::visit([](const auto* value) { return Shown(*value); }, target);
  flags_.push_back({std::move(names),
                    std::move(name),
                    target,
                    std::move(help),
                    std::move(shown),
                    {}});
}

void Flags::AddChoice(std::string names,
                      std::string* target,
                      std::vector<std::string> choices,
                      std::string help) {
  Add(std::move(names), target, std::move(help));
  flags_.back().choices = std::move(choices);
}

void Flags::AllowPositional(std::string name,
                            std::vector<std::string>* target,
                            std::string help) {
  positional_name_ = std::move(name);
  positional_ = target;
  positional_help_ = std::move(help);
}

StatusOr<ParseResult> Flags::Parse(int argc, const char* const* argv) const {
  std::vector<const char*> arguments = {program_.c_str()};
  std::vector<std::string> verbatim;
  bool after_dashes = false;
  for (int i = 1; i < argc; ++i) {
    if (after_dashes) {
      verbatim.push_back(argv[i]);
    } else if (std::string_view(argv[i]) == "--") {
      after_dashes = true;
    } else {
      arguments.push_back(argv[i]);
    }
  }
  std::vector<std::pair<std::string, bool>> known = {{"h,help", true}};
  for (const Flag& flag : flags_) {
    known.emplace_back(flag.names, std::holds_alternative<bool*>(flag.target));
  }
  GYRE_ASSIGN_OR_RETURN(const Split split, SplitArguments(known, arguments));

  for (const auto& [name, text] : split.values) {
    if (name == "help") {
      std::cout << Help() << std::flush;
      return ParseResult::kHelpShown;
    }
  }
  GYRE_RETURN_IF_ERROR(TakePositional(split.unmatched, std::move(verbatim)));
  for (const auto& [name, text] : split.values) {
    for (const Flag& flag : flags_) {
      if (flag.name == name) GYRE_RETURN_IF_ERROR(SetFlag(flag, text));
    }
  }
  return ParseResult::kRun;
}

Status Flags::SetFlag(const Flag& flag, const std::string& text) const {
  // cxxopts takes the next flag for the value of one that has none.
  if (text.size() > 2 && text.compare(0, 2, "--") == 0) {
    return ConfigError(
        "flag ", Dashed(flag.name), " has no value before ", text);
  }
  if (!flag.choices.empty() &&
      std::find(flag.choices.begin(), flag.choices.end(), text) ==
          flag.choices.end()) {
    const std::string near = NearestWord(text, flag.choices);
    return ConfigError("flag ",
                       Dashed(flag.name),
                       " expects one of ",
                       Joined(flag.choices, ", "),
                       "; got \"",
                       text,
                       "\"",
                       near.empty() ? "" : Cat("; did you mean ", near, "?"));
  }
  return std::visit(
      [&](auto* target) { return SetTarget(flag.name, text, target); },
      flag.target);
}

Status Flags::UnknownFlag(std::string_view argument) const {
  const std::string_view name = argument.substr(0, argument.find('='));
  const std::size_t dashes = std::min(name.find_first_not_of('-'), name.size());
  std::vector<std::string> known = {"help"};
  for (const Flag& flag : flags_) known.push_back(flag.name);
  const std::string near = NearestWord(name.substr(dashes), known);
  if (near.empty()) {
    return ConfigError("unknown flag ", name, "; --help lists the flags");
  }
  return ConfigError(
      "unknown flag ", name, "; did you mean ", Dashed(near), "?");
}

Status Flags::TakePositional(const std::vector<std::string>& unmatched,
                             std::vector<std::string> verbatim) const {
  for (const std::string& argument : unmatched) {
    if (argument.size() > 1 && argument[0] == '-') {
      return UnknownFlag(argument);
    }
  }
  std::vector<std::string> all = unmatched;
  all.insert(all.end(), verbatim.begin(), verbatim.end());
  if (positional_ != nullptr) {
    *positional_ = std::move(all);
  } else if (!all.empty()) {
    return ConfigError("unexpected argument \"",
                       all[0],
                       "\": ",
                       program_,
                       " takes flags only, as in --name value or, for a "
                       "switch, --name=false; --help lists them");
  }
  return OkStatus();
}

Json Flags::ToJson() const {
  Json json = Json::Object();
  for (const Flag& flag : flags_) {
    std::visit([&](const auto* value) { json.Set(flag.name, AsJson(*value)); },
               flag.target);
  }
  return json;
}

}  // namespace gyre
