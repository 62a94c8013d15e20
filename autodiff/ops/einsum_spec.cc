#include "gyre/autodiff/ops/einsum_spec.h"

namespace gyre::internal::inline autodiff {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Status CheckLetters(std::string_view part, std::string_view text) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (!IsLetter(part[i])) {
      return ConfigError(
          "expected a text like \"ij,jk->ik\", got \"", text, "\"");
    }
    if (part.find(part[i], i + 1) != std::string_view::npos) {
      return ConfigError("axis '",
                         part[i],
                         "' stands twice in \"",
                         part,
                         "\" of \"",
                         text,
                         "\"; traces and diagonals are not "
                         "supported");
    }
  }
  return OkStatus();
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string Select(std::string_view from, std::string_view other, bool in) {
  std::string found;
  for (const char c : from) {
    if ((other.find(c) != std::string_view::npos) == in) found += c;
  }
  return found;
}

// Notes the extents of one operand's letters.
Status Bind(const std::string& letters,
            const Shape& shape,
            std::string_view text,
            std::map<char, std::int64_t>& extents) {
  if (static_cast<int>(letters.size()) != shape.rank()) {
    return ConfigError("\"",
                       letters,
                       "\" of \"",
                       text,
                       "\" names ",
                       letters.size(),
                       " axes, the operand has shape ",
                       shape);
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const auto [at, is_new] = extents.emplace(letters[i], shape[i]);
    if (at->second != shape[i]) {
      return ConfigError("axis '",
                         letters[i],
                         "' of \"",
                         text,
                         "\" is ",
                         at->second,
                         " and ",
                         shape[i],
                         " (shape ",
                         shape,
                         ")");
    }
  }
  return OkStatus();
}

}  // namespace

StatusOr<EinsumSpec> EinsumSpec::Parse(std::string_view text,
                                       std::span<const Shape> shapes) {
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) {
    return ConfigError(
        "expected a text like \"ij,jk->ik\", got \"", text, "\"");
  }
  EinsumSpec spec;
  spec.operands = SplitAtCommas(text.substr(0, arrow));
  spec.result = std::string(text.substr(arrow + 2));
  if (spec.operands.size() != shapes.size()) {
    return ConfigError("\"",
                       text,
                       "\" names ",
                       spec.operands.size(),
                       " operands, got ",
                       shapes.size());
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    GYRE_RETURN_IF_ERROR(CheckLetters(spec.operands[i], text));
    GYRE_RETURN_IF_ERROR(Bind(spec.operands[i], shapes[i], text, spec.extents));
  }
  GYRE_RETURN_IF_ERROR(CheckLetters(spec.result, text));
  for (const char c : spec.result) {
    if (spec.extents.count(c) == 0) {
      return ConfigError(
          "axis '", c, "' of the result is in no operand of \"", text, "\"");
    }
  }
  return spec;
}

std::int64_t EinsumSpec::Size(std::string_view letters) const {
  std::int64_t size = 1;
  for (const char c : letters) size *= extents.at(c);
  return size;
}

std::string LettersIn(std::string_view from, std::string_view other) {
  return Select(from, other, true);
}
std::string LettersNotIn(std::string_view from, std::string_view other) {
  return Select(from, other, false);
}

}  // namespace gyre::internal::inline autodiff
