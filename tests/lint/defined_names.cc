#include "tests/lint/defined_names.h"

#include <algorithm>
#include <map>
#include <set>

#include "tests/lint/source_tokens.h"

namespace gyre::internal::inline tests {
namespace {

using Statement = std::vector<SourceToken>;

bool IsName(const std::string& text) {
  return std::isalpha(static_cast<unsigned char>(text[0])) != 0;
}

bool Has(const Statement& statement, const std::string& word) {
  return std::any_of(statement.begin(), statement.end(), [&](const auto& t) {
    return t.text == word;
  });
}

// The place of what closes the list that opens at `at`.
std::size_t PastList(const Statement& s, std::size_t at) {
  int angles = 0;
  int rounds = 0;
  for (; at < s.size(); ++at) {
    const std::string& c = s[at].text;
    rounds += c == "(" || c == "[";
    rounds -= c == ")" || c == "]";
    if (rounds == 0) angles += c == "<" ? 1 : c == ">" ? -1 : 0;
    if (rounds == 0 && angles == 0) break;
  }
  return at;
}

// Drops `template <...>` from the front, and attributes and alignas.
Statement WithoutPrefixes(const Statement& statement) {
  Statement rest;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const std::string& word = statement[i].text;
    const bool takes_list = word == "template" || word == "alignas";
    if (!takes_list && word != "[") {
      rest.push_back(statement[i]);
      continue;
    }
    if (takes_list && i + 1 < statement.size()) ++i;
    i = PastList(statement, i);
  }
  return rest;
}

// The place of the name of a type that is defined here, or the size.
std::size_t TypeName(const Statement& s) {
  if (s.empty()) return s.size();
  std::size_t at = 1;
  if (s[0].text == "enum") {
    if (at < s.size() && (s[at].text == "class" || s[at].text == "struct")) {
      ++at;
    }
  } else if (s[0].text != "class" && s[0].text != "struct" &&
             s[0].text != "union") {
    return s.size();
  }
  // Of words before `:`, `final` or the end, the last: macros may stand first.
  std::size_t name = s.size();
  for (; at < s.size() && IsName(s[at].text); ++at) {
    if (s[at].text != "final") name = at;
  }
  // `class A::B {` defines a member of A.
  const bool bases = at < s.size() && s[at].text == ":" &&
                     (at + 1 == s.size() || s[at + 1].text != ":");
  const bool ends = at == s.size() || bases;
  return ends ? name : s.size();
}

// The place of the name in `constexpr T kName = `, `using Name = `,
// `concept Name = `, or the size.
std::size_t ValueName(const Statement& s) {
  if (s.empty()) return s.size();
  if (s[0].text == "using" || s[0].text == "concept") {
    return s.size() > 2 && s[2].text == "=" ? 1 : s.size();
  }
  if (!Has(s, "constexpr") && !Has(s, "const")) return s.size();
  for (std::size_t i = 0; i < s.size(); ++i) {
    const std::string& word = s[i].text;
    if (word == "(" || word == "operator") break;  // a function
    const bool constant =
        word.size() > 1 && word[0] == 'k' &&
        std::isupper(static_cast<unsigned char>(word[1])) != 0;
    const std::string next = i + 1 < s.size() ? s[i + 1].text : "{";
    if (constant && (next == "=" || next == "{" || next == "[")) return i;
  }
  return s.size();
}

// Whether `s` gives a variable its value, and so goes on behind a block. The
// `=` of an operator's name and of a default argument says nothing.
bool Initializes(const Statement& s) {
  for (const SourceToken& token : s) {
    if (token.text == "(" || token.text == "operator") return false;
    if (token.text == "=") return true;
  }
  return false;
}

// Reads the code of one file, statement by statement at namespace level.
class NameReader {
 public:
  NameReader(const SourceFile& file, std::vector<DefinedName>& names)
      : file_(file), names_(names) {}

  void Read(const Statement& code) {
    for (std::size_t i = 0; i < code.size(); ++i) {
      const std::string& word = code[i].text;
      if (word == "{") {
        i = Open(code, i);
      } else if (word == "}") {
        if (!scopes_.empty()) scopes_.pop_back();
        statement_.clear();
      } else if (word == ";") {
        TakeValue();
        statement_.clear();
      } else {
        statement_.push_back(code[i]);
      }
    }
  }

 private:
  // Enters a namespace, or passes over any other block. Returns the place of
  // the last token that was read.
  std::size_t Open(const Statement& code, std::size_t at) {
    if (Has(statement_, "namespace")) {
      EnterNamespace();
      return at;
    }
    if (statement_.size() == 2 && statement_[0].text == "extern") {
      scopes_.push_back("");
      statement_.clear();
      return at;
    }
    const Statement s = WithoutPrefixes(statement_);
    const std::size_t type = TypeName(s);
    if (type < s.size()) Add(s[type]);
    // A type or function ends with its block; a value goes on to a `;`.
    const bool goes_on = ValueName(s) < s.size() || Initializes(s);
    if (type < s.size() || !goes_on) statement_.clear();
    return PastBlock(code, at);
  }

  void EnterNamespace() {
    std::string name;
    bool is_inline = false;  // its names are those of the namespace around it
    for (const SourceToken& token : statement_) {
      if (token.text == "namespace") continue;
      if (token.text == "inline") {
        is_inline = true;
      } else if (is_inline && token.text != "::") {
        is_inline = false;
        if (name.size() > 1) name.resize(name.size() - 2);  // the "::"
      } else {
        name += token.text;
      }
    }
    const std::string folder = file_.path.substr(0, file_.path.rfind('/'));
    scopes_.push_back(name.empty() ? "(" + folder + ")" : name);
    statement_.clear();
  }

  static std::size_t PastBlock(const Statement& code, std::size_t at) {
    int depth = 0;
    for (; at < code.size(); ++at) {
      depth += code[at].text == "{";
      depth -= code[at].text == "}";
      if (depth == 0) return at;
    }
    return code.size() - 1;
  }

  void TakeValue() {
    const Statement s = WithoutPrefixes(statement_);
    const std::size_t value = ValueName(s);
    if (value < s.size()) Add(s[value]);
  }

  void Add(const SourceToken& name) {
    std::string scope;
    for (const std::string& part : scopes_) {
      if (!part.empty()) scope += (scope.empty() ? "" : "::") + part;
    }
    names_.push_back({scope, name.text, file_.path, name.line});
  }

  const SourceFile& file_;
  std::vector<DefinedName>& names_;
  std::vector<std::string> scopes_;
  Statement statement_;
};

void AddMacros(const SourceFile& file,
               const std::vector<Statement>& directives,
               std::vector<DefinedName>& names) {
  std::set<std::string> undefined;
  for (const Statement& words : directives) {
    if (words.size() > 1 && words[0].text == "undef") {
      undefined.insert(words[1].text);
    }
  }
  for (const Statement& words : directives) {
    if (words.size() < 2 || words[0].text != "define") continue;
    const auto& [name, line] = words[1];
    if (undefined.count(name) == 0) {
      names.push_back({"macro", name, file.path, line});
    }
  }
}

}  // namespace

std::vector<DefinedName> DefinedNames(const SourceFile& file) {
  std::vector<DefinedName> names;
  const SourceTokens tokens = TokensOf(file);
  NameReader(file, names).Read(tokens.code);
  AddMacros(file, tokens.directives, names);
  return names;
}

std::vector<std::string> SecondDefinitions(
    const std::vector<SourceFile>& files) {
  std::map<std::pair<std::string, std::string>, DefinedName> first;
  std::vector<std::string> found;
  for (const SourceFile& file : files) {
    for (const DefinedName& now : DefinedNames(file)) {
      const auto [it, added] = first.try_emplace({now.scope, now.name}, now);
      const DefinedName& before = it->second;
      // What one file has twice, the compiler sees.
      if (added || before.path == now.path) continue;
      found.push_back(
          now.path + ":" + std::to_string(now.line) + " defines " + now.name +
          " in " + (now.scope.empty() ? "the global namespace" : now.scope) +
          ", which " + before.path + ":" + std::to_string(before.line) +
          " has: rename one of them by what it is");
    }
  }
  return found;
}

}  // namespace gyre::internal::inline tests
