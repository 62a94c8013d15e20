#include "gyre/data/dataset/toml.h"

// Nothing of it leaves this file, and it throws nothing.
#define TOML_EXCEPTIONS 0
// Bad bytes in a key would end a debug build; they are an error without this.
#define TOML_ASSERT(condition) static_cast<void>(0)
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <cmath>
#include <sstream>

#include "gyre/core/io/file.h"

namespace gyre::internal::inline data {
namespace {

constexpr int kDeepestToml = 64;

template <class T>
Json TextJson(const T& date) {
  std::ostringstream out;
  out << date;
  return Json(out.str());
}

Json FromToml(const toml::node& node, int depth) {
  if (depth > kDeepestToml) return Json();
  if (const auto* table = node.as_table()) {
    Json json = Json::Object();
    for (const auto& [key, value] : *table) {
      json.Set(key.str(), FromToml(value, depth + 1));
    }
    return json;
  }
  if (const auto* array = node.as_array()) {
    Json json = Json::Array();
    for (const toml::node& value : *array) {
      json.Append(FromToml(value, depth + 1));
    }
    return json;
  }
  if (const auto* text = node.as_string()) return Json(text->get());
  if (const auto* number = node.as_integer()) return Json(number->get());
  if (const auto* number = node.as_floating_point()) return Json(number->get());
  if (const auto* truth = node.as_boolean()) return Json(truth->get());
  if (const auto* date = node.as_date()) return TextJson(date->get());
  if (const auto* time = node.as_time()) return TextJson(time->get());
  if (const auto* both = node.as_date_time()) return TextJson(both->get());
  return Json();
}

}  // namespace

StatusOr<Json> ParseToml(std::string_view text, const std::string& what) {
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    const toml::parse_error& error = result.error();
    return ConfigError(what,
                       ":",
                       error.source().begin.line,
                       ":",
                       error.source().begin.column,
                       ": expected TOML: ",
                       std::string(error.description()));
  }
  return FromToml(result.table(), 0);
}

StatusOr<Json> ReadToml(const std::string& path) {
  GYRE_ASSIGN_OR_RETURN(const std::string text,
                        internal::ReadFile(path, ErrorKind::kConfig));
  return ParseToml(text, path);
}

}  // namespace gyre::internal::inline data
