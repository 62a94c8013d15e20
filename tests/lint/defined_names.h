// The names that a source file defines in namespaces, read from its text:
// types, aliases, concepts, constants and macros. Functions are left to the
// linker, which knows their signatures.

#ifndef GYRE_TESTS_LINT_DEFINED_NAMES_H_
#define GYRE_TESTS_LINT_DEFINED_NAMES_H_

#include <string>
#include <vector>

#include "tests/lint/source_tree.h"

namespace gyre::internal::inline tests {

struct DefinedName {
  // "gyre::optim"; "macro" for macros. An anonymous namespace is one of its
  // folder, "gyre::(core/math)", because the sources of a folder are compiled
  // together.
  std::string scope;
  std::string name;
  std::string path;
  std::size_t line = 0;  // from 1
};

// Returns what `file` defines. A macro that the file undefines again, and what
// a specialization or a forward declaration names, is not defined by it.
std::vector<DefinedName> DefinedNames(const SourceFile& file);

// Returns a sentence for every name that two files define in one scope: two
// classes of one name are undefined behaviour in the program that links both.
std::vector<std::string> SecondDefinitions(
    const std::vector<SourceFile>& files);

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_LINT_DEFINED_NAMES_H_
