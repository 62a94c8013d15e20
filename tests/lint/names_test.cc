// One meaning for a name: two classes of one name in one namespace are
// undefined behaviour as soon as a program links both.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/lint/defined_names.h"

namespace gyre::internal::inline tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SourceFile FileOf(const std::string& path, const std::string& text) {
  SourceFile file{path, {}};
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  return file;
}

// "scope name" of all that `text` defines as core/a.cc.
std::vector<std::string> NamesIn(const std::string& text) {
  std::vector<std::string> names;
  for (const DefinedName& name : DefinedNames(FileOf("core/a.cc", text))) {
    names.push_back(name.scope + " " + name.name);
  }
  return names;
}

std::vector<std::string> Clashes(const std::string& a, const std::string& b) {
  return SecondDefinitions({FileOf("core/a.h", a), FileOf("core/b.h", b)});
}

TEST(Names, TypesConstantsAndMacrosAreFound) {
  EXPECT_THAT(NamesIn(R"(
#define GYRE_A(x) \
  struct NotThis { x }
namespace gyre {
class A final : public B<int> {};
template <class T, int N = f(1, (2 > 1))>
struct C { struct Inside {}; int x = 0; };
enum class D : int { kOne, kTwo };
struct [[nodiscard]] alignas(64) E { int i[2]{1, 2}; } ;
class GYRE_LOCKABLE("mutex") F2;
inline constexpr int kG = 1'000;
constexpr char kH[] = "struct Text {";
const std::map<int, int> kI{{1, 2}};
using J = int;
template <class T> using K = std::vector<T>;
template <class T> concept L = requires(T t) { t.size(); };
bool operator==(A a, A b) { return true; }
int F(int x = 1) { return x; }
auto g = [](int x) { return x; };
namespace optim { union M { int a; }; }
namespace a::b { struct N {}; }
namespace { struct O {}; }
extern "C" { struct P { int a; }; }
}  // namespace gyre
)"),
              ElementsAre("gyre A",
                          "gyre C",
                          "gyre D",
                          "gyre E",
                          "gyre kG",
                          "gyre kH",
                          "gyre kI",
                          "gyre J",
                          "gyre K",
                          "gyre L",
                          "gyre::optim M",
                          "gyre::a::b N",
                          "gyre::(core) O",
                          "gyre P",
                          "macro GYRE_A"));
}

TEST(Names, WhatIsNoDefinitionIsNotTaken) {
  EXPECT_THAT(NamesIn(R"(
#define LOCAL 1
#undef LOCAL
namespace gyre {
class Forward;
struct Outer::Member { int i; };
using other::Name;
using namespace std;
template <> struct Traits<int> { int kInside = 1; };
struct A* Make() { struct Local {}; constexpr int kLocal = 1; return 0; }
class B& operator<<(class B& b, int) { return b; }
int F(const int kArgument = 1) { return kArgument; }
const C& G(int x) { const int kAlsoLocal = x; return c; }
// struct Comment {};
/* struct Comment2 {}; */
char c = '{'; const char* text = "{"; auto raw = R"x({ struct Raw {}; )x";
void H() {}
}  // namespace gyre
)"),
              IsEmpty());
}

TEST(Names, ASecondDefinitionIsRefused) {
  EXPECT_THAT(
      Clashes("namespace gyre {\nstruct Window {};\n}",
              "namespace gyre {\n\nclass Window {\n  int i;\n};\n}"),
      ElementsAre("core/b.h:3 defines Window in gyre, which core/a.h:2 has: "
                  "rename one of them by what it is"));
  EXPECT_THAT(Clashes("#define GYRE_X 1", "#define GYRE_X 2"),
              ElementsAre(HasSubstr("GYRE_X in macro")));
  EXPECT_THAT(Clashes("namespace gyre { constexpr int kX = 1; }",
                      "namespace gyre { inline const float kX{2}; }"),
              ElementsAre(HasSubstr("kX in gyre")));
  EXPECT_THAT(Clashes("namespace gyre { using X = int; }",
                      "namespace gyre { enum X { kA }; }"),
              ElementsAre(HasSubstr("X in gyre")));
  // The rooms are inline: what looks into gyre::internal sees all of them.
  EXPECT_THAT(Clashes("namespace gyre::internal::inline core { struct X {}; }",
                      "namespace gyre::internal::inline mesh { struct X {}; }"),
              ElementsAre(HasSubstr("X in gyre::internal,")));
  EXPECT_THAT(Clashes("namespace gyre::internal::inline a::b { struct X {}; }",
                      "namespace gyre::internal { struct X {}; }"),
              IsEmpty());
  // Sources of one folder are compiled together.
  EXPECT_THAT(
      Clashes("namespace { struct X {}; }", "namespace { struct X {}; }"),
      ElementsAre(HasSubstr("X in (core)")));
}

TEST(Names, EqualNamesElsewhereAreNoClash) {
  EXPECT_THAT(Clashes("namespace gyre { struct X {}; struct Y; }",
                      "namespace gyre::optim { struct X {}; }"
                      "namespace gyre { struct X; struct Y {}; }"),
              IsEmpty());
  EXPECT_THAT(SecondDefinitions({FileOf("core/a.cc", "namespace{class X{};}"),
                                 FileOf("mesh/a.cc", "namespace{class X{};}")}),
              IsEmpty());
}

TEST(Names, TheTreeDefinesEachOnce) {
  std::vector<SourceFile> product;
  std::size_t names = 0;
  for (SourceFile& file : ReadSourceTree()) {
    if (file.room() == "tests") continue;
    names += DefinedNames(file).size();
    product.push_back(std::move(file));
  }
  EXPECT_GT(names, 1500u);  // the test reads what it thinks it reads
  EXPECT_THAT(SecondDefinitions(product), IsEmpty());
}

}  // namespace
}  // namespace gyre::internal::inline tests
