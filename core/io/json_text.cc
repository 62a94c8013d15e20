// Json to text and back. The only file that includes nlohmann's header: it
// takes seconds to compile, and it throws.

#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gyre/core/io/json.h"

namespace gyre {

using namespace internal;

class JsonPrinter {
 public:
  explicit JsonPrinter(bool pretty) : pretty_(pretty) {}

  void Print(const Json& json, int depth) {
    if (json.is_array()) return PrintArray(json.elements(), depth);
    if (json.is_object()) return PrintObject(json.members(), depth);
    if (json.is_null()) out_ += "null";
    if (const bool* b = std::get_if<bool>(&json.value_)) {
      out_ += *b ? "true" : "false";
    }
    if (const auto* i = std::get_if<std::int64_t>(&json.value_)) Number(*i);
    if (const auto* u = std::get_if<std::uint64_t>(&json.value_)) Number(*u);
    if (const double* x = std::get_if<double>(&json.value_)) Double(*x);
    if (const auto* s = std::get_if<std::string>(&json.value_)) String(*s);
  }

  std::string Take() { return std::move(out_); }

 private:
  template <class T>
  void Number(T value) {
    char digits[40];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    out_.append(digits, result.ptr);
  }

  void Double(double x) {
    if (std::isnan(x)) {
      out_ += "\"NaN\"";
    } else if (std::isinf(x)) {
      out_ += x > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    } else {
      const std::size_t start = out_.size();
      Number(x);
      // A double stays one when it is read back.
      if (out_.find_first_of(".e", start) == std::string::npos) out_ += ".0";
    }
  }

  void String(const std::string& text) {
    bool plain = true;
    for (const unsigned char c : text) {
      plain = plain && c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
    }
    if (plain) {
      out_ += '"';
      out_ += text;
      out_ += '"';
    } else {
      constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
      out_ += nlohmann::json(text).dump(-1, ' ', false, kReplace);
    }
  }

  // Before each element; `closing` before the bracket that ends them.
  void Break(int depth) {
    if (!pretty_) return;
    out_ += '\n';
    out_.append(2 * static_cast<std::size_t>(depth), ' ');
  }

  void PrintArray(const Json::Elements& elements, int depth) {
    out_ += '[';
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0) out_ += ',';
      Break(depth + 1);
      Print(elements[i], depth + 1);
    }
    if (!elements.empty()) Break(depth);
    out_ += ']';
  }

  void PrintObject(const Json::Members& members, int depth) {
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += ',';
      Break(depth + 1);
      String(members[i].first);
      out_ += pretty_ ? ": " : ":";
      Print(members[i].second, depth + 1);
    }
    if (!members.empty()) Break(depth);
    out_ += '}';
  }

  bool pretty_;
  std::string out_;
};

namespace {

constexpr std::size_t kMaxDepth = 200;

// Receives nlohmann's parser events and builds our value.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Add(Json()); }
  bool boolean(bool value) override { return Add(Json(value)); }
  bool number_integer(std::int64_t value) override { return Add(Json(value)); }
  bool number_unsigned(std::uint64_t value) override {
    return Add(Json(value));
  }
  bool number_float(double value, const std::string&) override {
    return Add(Json(value));
  }
  bool string(std::string& value) override {
    return Add(Json(std::move(value)));
  }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return Open(Json::Object()); }
  bool start_array(std::size_t) override { return Open(Json::Array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    if (open_.back().value.Find(name) != nullptr) {
      error_ = Cat("the key \"", name, "\" is given twice");
      return false;
    }
    next_key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t,
                   const std::string&,
                   const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
    const std::string_view text = error.what();
    const std::size_t end = text.find("] ");
    error_ = end == std::string_view::npos ? text : text.substr(end + 2);
    return false;
  }

  Json TakeRoot() { return std::move(root_); }
  const std::string& error() const { return error_; }

 private:
  struct OpenValue {
    std::string key;  // of this value in its parent
    Json value;
  };

  bool Open(Json value) {
    if (open_.size() >= kMaxDepth) {
      error_ = Cat("nested deeper than ", kMaxDepth, " levels");
      return false;
    }
    open_.push_back({std::exchange(next_key_, {}), std::move(value)});
    return true;
  }
  bool Close() {
    OpenValue done = std::move(open_.back());
    open_.pop_back();
    next_key_ = std::move(done.key);
    return Add(std::move(done.value));
  }
  bool Add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.Append(std::move(value));
    } else {
      open_.back().value.Set(next_key_, std::move(value));
    }
    return true;
  }

  std::vector<OpenValue> open_;
  std::string next_key_;
  Json root_;
  std::string error_;
};

}  // namespace

std::string Json::Dump() const {
  JsonPrinter printer(/*pretty=*/false);
  printer.Print(*this, 0);
  return printer.Take();
}

std::string Json::Pretty() const {
  JsonPrinter printer(/*pretty=*/true);
  printer.Print(*this, 0);
  return printer.Take() + "\n";
}

StatusOr<Json> Json::Parse(std::string_view text, std::string_view what) {
  Builder builder;
  std::string error;
  try {
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
      return builder.TakeRoot();
    }
    error = builder.error();
  } catch (const std::exception& e) {
    error = e.what();
  }
  return DataError(what, " is not valid JSON: ", error);
}

}  // namespace gyre
