#include "gyre/core/io/json.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "gyre/core/check.h"

namespace gyre {

using namespace internal;

namespace {

// The value or, with the key in its message, the error.
template <class T>
StatusOr<T> Named(std::string_view key, StatusOr<T> result) {
  if (result.ok()) return result;
  return Annotate(result.status(), Cat("\"", key, "\": "));
}

Status Missing(std::string_view key) {
  return DataError("\"", key, "\" is missing");
}

}  // namespace

Json::Json() = default;
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}

void Json::SetBool(bool value) { value_ = value; }
void Json::SetSigned(std::int64_t value) { value_ = value; }
void Json::SetDouble(double value) { value_ = value; }

template <class T>
bool Json::Holds() const {
  return std::holds_alternative<T>(value_);
}

bool Json::is_null() const { return Holds<std::monostate>(); }
bool Json::is_bool() const { return Holds<bool>(); }
bool Json::is_int() const {
  return Holds<std::int64_t>() || Holds<std::uint64_t>();
}
bool Json::is_number() const { return is_int() || Holds<double>(); }
bool Json::is_string() const { return Holds<std::string>(); }
bool Json::is_array() const { return Holds<Elements>(); }
bool Json::is_object() const { return Holds<Members>(); }

Json Json::Object(std::initializer_list<Member> members) {
  Json object;
  object.value_ = Members();
  for (const auto& [key, value] : members) object.Set(key, value);
  return object;
}

Json Json::Array(std::initializer_list<Json> elements) {
  Json array;
  array.value_ = Elements(elements);
  return array;
}

void Json::SetUnsigned(std::uint64_t value) {
  if (value > std::numeric_limits<std::int64_t>::max()) {
    value_ = value;
  } else {
    value_ = static_cast<std::int64_t>(value);
  }
}

Json& Json::Set(std::string_view key, Json value) {
  GYRE_CHECK(is_object(), "Set(\"", key, "\") on ", TypeName());
  Members& members = std::get<Members>(value_);
  for (auto& [known, old_value] : members) {
    if (known == key) {
      old_value = std::move(value);
      return *this;
    }
  }
  members.emplace_back(key, std::move(value));
  return *this;
}

Json& Json::Append(Json element) {
  GYRE_CHECK(is_array(), "Append on ", TypeName());
  std::get<Elements>(value_).push_back(std::move(element));
  return *this;
}

std::string_view Json::TypeName() const {
  if (is_null()) return "null";
  if (is_bool()) return "a bool";
  if (is_int()) return "an integer";
  if (is_number()) return "a number";
  if (is_string()) return "a string";
  return is_array() ? "an array" : "an object";
}

const Json::Elements& Json::elements() const {
  static const Elements kNone;
  const Elements* elements = std::get_if<Elements>(&value_);
  return elements != nullptr ? *elements : kNone;
}

const Json::Members& Json::members() const {
  static const Members kNone;
  const Members* members = std::get_if<Members>(&value_);
  return members != nullptr ? *members : kNone;
}

const Json* Json::Find(std::string_view key) const {
  for (const auto& [known, value] : members()) {
    if (known == key) return &value;
  }
  return nullptr;
}

Status Json::WrongType(std::string_view wanted) const {
  std::string shown = Dump();
  if (shown.size() > 60) shown = Cat(shown.substr(0, 60), "...");
  return DataError("expected ", wanted, ", got ", shown);
}

StatusOr<bool> Json::AsBool() const {
  if (!is_bool()) return WrongType("a bool");
  return std::get<bool>(value_);
}

StatusOr<std::int64_t> Json::AsInt() const {
  if (Holds<std::int64_t>()) return std::get<std::int64_t>(value_);
  if (const double* x = std::get_if<double>(&value_)) {
    // 2^63 is the first double beyond int64_t; -2^63 is in.
    if (*x == std::trunc(*x) && *x >= -0x1p63 && *x < 0x1p63) {
      return static_cast<std::int64_t>(*x);
    }
  }
  return WrongType("an integer of 64 bits");
}

StatusOr<double> Json::AsDouble() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (const double* x = std::get_if<double>(&value_)) return *x;
  if (const auto* i = std::get_if<std::int64_t>(&value_)) {
    return static_cast<double>(*i);
  }
  if (const auto* u = std::get_if<std::uint64_t>(&value_)) {
    return static_cast<double>(*u);
  }
  if (const std::string* text = std::get_if<std::string>(&value_)) {
    if (*text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (*text == "Infinity") return kInfinity;
    if (*text == "-Infinity") return -kInfinity;
  }
  return WrongType("a number");
}

StatusOr<std::string> Json::AsString() const {
  if (!is_string()) return WrongType("a string");
  return std::get<std::string>(value_);
}

StatusOr<std::uint64_t> Json::AsHash() const {
  std::uint64_t hash = 0;
  if (const std::string* text = std::get_if<std::string>(&value_);
      text != nullptr && text->size() == 16) {
    const char* end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, hash, 16);
    if (error == std::errc() && stop == end) return hash;
  }
  return WrongType("a hash of 16 hexadecimal digits");
}

StatusOr<bool> Json::GetBool(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Missing(key);
  return Named(key, value->AsBool());
}

StatusOr<std::int64_t> Json::GetInt(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Missing(key);
  return Named(key, value->AsInt());
}

StatusOr<double> Json::GetDouble(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Missing(key);
  return Named(key, value->AsDouble());
}

StatusOr<std::string> Json::GetString(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Missing(key);
  return Named(key, value->AsString());
}

StatusOr<std::uint64_t> Json::GetHash(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr) return Missing(key);
  return Named(key, value->AsHash());
}

bool operator==(const Json& a, const Json& b) { return a.value_ == b.value_; }

}  // namespace gyre
