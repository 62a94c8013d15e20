#include "tests/lint/source_tokens.h"

#include <cctype>

namespace gyre::internal::inline tests {
namespace {

bool IsWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class Tokenizer {
 public:
  explicit Tokenizer(const SourceFile& file) {
    for (const std::string& line : file.lines) text_ += line + "\n";
  }

  SourceTokens Run() {
    while (at_ < text_.size()) {
      if (!SkipBlank()) Take();
    }
    return std::move(tokens_);
  }

 private:
  bool Starts(const char* what) const {
    return text_.compare(at_, std::char_traits<char>::length(what), what) == 0;
  }

  // Moves to just behind the next `end`, or to the end.
  void SkipPast(const std::string& end) {
    const std::size_t found = text_.find(end, at_);
    MoveTo(found == std::string::npos ? text_.size() : found + end.size());
  }

  void MoveTo(std::size_t to) {
    for (; at_ < to; ++at_) line_ += text_[at_] == '\n';
  }

  // Skips one blank, line end or comment, if one is here.
  bool SkipBlank() {
    if (Starts("\\\n")) return MoveTo(at_ + 2), true;
    if (text_[at_] == '\n') in_directive_ = false;
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      return MoveTo(at_ + 1), true;
    }
    if (Starts("//")) return MoveTo(text_.find('\n', at_)), true;
    if (Starts("/*")) return SkipPast("*/"), true;
    return false;
  }

  void Take() {
    if (text_[at_] == '#' && !in_directive_) {
      in_directive_ = true;
      tokens_.directives.emplace_back();
      return MoveTo(at_ + 1);
    }
    if (Starts("R\"")) return TakeRaw();
    if (text_[at_] == '"' || text_[at_] == '\'') return TakeQuoted();
    std::size_t end = at_ + 1;
    if (IsWordChar(text_[at_])) {
      const bool number = std::isdigit(text_[at_]) != 0;
      while (IsWordChar(text_[end]) || (number && text_[end] == '\'')) ++end;
    }
    Add(text_.substr(at_, end - at_));
    MoveTo(end);
  }

  void TakeRaw() {
    const std::size_t open = text_.find('(', at_);
    Add("\"");
    SkipPast(")" + text_.substr(at_ + 2, open - at_ - 2) + "\"");
  }

  void TakeQuoted() {
    std::size_t end = at_ + 1;
    while (text_[end] != text_[at_] && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    Add("\"");
    MoveTo(end + 1);
  }

  void Add(std::string word) {
    auto& list = in_directive_ ? tokens_.directives.back() : tokens_.code;
    list.push_back({std::move(word), line_});
  }

  std::string text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool in_directive_ = false;
  SourceTokens tokens_;
};

}  // namespace

SourceTokens TokensOf(const SourceFile& file) { return Tokenizer(file).Run(); }

}  // namespace gyre::internal::inline tests
