// A JSON value: built for records, read back with errors that name the place.
//
//   Json run = Json::Object();
//   run.Set("seed", 7).Set("loss", "storm").Set("hash", HexHash(hash));
//   LogInfo(run.Dump());                  // {"seed":7,"loss":"storm",...}
//
//   GYRE_ASSIGN_OR_RETURN(const Json back, Json::Parse(text, "run.json"));
//   GYRE_ASSIGN_OR_RETURN(const std::int64_t seed, back.GetInt("seed"));
//
// Members keep the order in which they were set.
//
// WARNING 1: JSON has no NaN. A number that is not finite is written as the
// string "NaN", "Infinity" or "-Infinity", and AsDouble reads those back: it
// is never hidden and never turned into null.
// WARNING 2: readers in other languages keep 53 bits of an integer. Write a
// 64-bit hash as HexHash(hash) and read it with AsHash.

#ifndef GYRE_CORE_IO_JSON_H_
#define GYRE_CORE_IO_JSON_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "gyre/core/status.h"

namespace gyre {

class Json {
 public:
  using Member = std::pair<std::string, Json>;  // key, value
  using Elements = std::vector<Json>;
  using Members = std::vector<Member>;

  Json();  // null
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  Json(std::nullptr_t) : Json() {}
  Json(std::same_as<bool> auto value) : Json() { SetBool(value); }
  template <class T>
  requires(std::integral<T> && !std::same_as<T, bool>) Json(T value) : Json() {
    if constexpr (std::is_signed_v<T>) {
      SetSigned(value);
    } else {
      SetUnsigned(value);
    }
  }
  Json(std::floating_point auto value) : Json() {
    SetDouble(static_cast<double>(value));
  }
  Json(std::string text);
  Json(const char* text);
  Json(std::string_view text);

  static Json Object(std::initializer_list<Member> members = {});
  static Json Array(std::initializer_list<Json> elements = {});
  template <class Range>
  static Json ArrayOf(const Range& range) {
    Json array = Array();
    for (const auto& element : range) array.Append(Json(element));
    return array;
  }

  // Of an object. Set replaces the value of a key that is there already.
  Json& Set(std::string_view key, Json value);
  Json& Append(Json element);  // of an array

  bool is_null() const;
  bool is_bool() const;
  bool is_int() const;
  bool is_number() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;
  std::string_view TypeName() const;

  // Empty for a value that is no array (no object).
  const Elements& elements() const;
  const Members& members() const;
  const Json* Find(std::string_view key) const;  // nullptr: no such member

  StatusOr<bool> AsBool() const;
  StatusOr<std::int64_t> AsInt() const;  // 3.0 is an integer, too
  StatusOr<double> AsDouble() const;
  StatusOr<std::string> AsString() const;
  StatusOr<std::uint64_t> AsHash() const;  // 16 hexadecimal digits

  // A member; the error names the key.
  StatusOr<bool> GetBool(std::string_view key) const;
  StatusOr<std::int64_t> GetInt(std::string_view key) const;
  StatusOr<double> GetDouble(std::string_view key) const;
  StatusOr<std::string> GetString(std::string_view key) const;
  StatusOr<std::uint64_t> GetHash(std::string_view key) const;

  // One line; or indented by two spaces, with a line break at the end. Bytes
  // of a string that are no UTF-8 become U+FFFD.
  std::string Dump() const;
  std::string Pretty() const;

  // Errors: bad syntax, bytes that are no UTF-8, a key given twice, nesting
  // deeper than 200, a number beyond f64; each with its line and column.
  // `what` names the text.
  static StatusOr<Json> Parse(std::string_view text,
                              std::string_view what = "JSON");

  friend bool operator==(const Json& a, const Json& b);

 private:
  // What instantiates the variant's functions is in json.cc alone: headers that
  // nearly every source reads include this one.
  template <class T>
  bool Holds() const;
  void SetBool(bool value);
  void SetSigned(std::int64_t value);
  void SetUnsigned(std::uint64_t value);
  void SetDouble(double value);
  Status WrongType(std::string_view wanted) const;

  // uint64_t only for what int64_t cannot hold.
  std::variant<std::monostate,
               bool,
               std::int64_t,
               std::uint64_t,
               double,
               std::string,
               Elements,
               Members>
      value_;
  friend class JsonPrinter;
};

}  // namespace gyre

#endif  // GYRE_CORE_IO_JSON_H_
