// The words of a C++ source without its comments, texts and directives.

#ifndef GYRE_TESTS_LINT_SOURCE_TOKENS_H_
#define GYRE_TESTS_LINT_SOURCE_TOKENS_H_

#include <string>
#include <vector>

#include "tests/lint/source_tree.h"

namespace gyre::internal::inline tests {

struct SourceToken {
  std::string text;      // a word, or one character; a literal is "\""
  std::size_t line = 0;  // from 1
};

struct SourceTokens {
  std::vector<SourceToken> code;
  // The words after `#`, joined over continued lines: {"define", "NAME"}.
  std::vector<std::vector<SourceToken>> directives;
};

SourceTokens TokensOf(const SourceFile& file);

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_LINT_SOURCE_TOKENS_H_
