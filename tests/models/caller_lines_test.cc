// Messages name the line of the user's call, whatever function it was.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "gyre/autodiff/grad_check.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "tests/lint/source_tree.h"
#include "tests/models/line_cases.h"
#include "tests/support/paper_rank.h"

namespace gyre::internal::inline tests {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<LineCase> AllLineCases() {
  std::vector<LineCase> all = OperationLineCases();
  for (LineCase& c : LayerLineCases()) all.push_back(std::move(c));
  return all;
}

TEST(CallerLines, EveryOperationStandsAtTheLineOfTheCall) {
  PaperRank paper(0, 2);
  const Mesh mesh = *Mesh::Create(paper, {{"model", -1}});
  for (const LineCase& c : AllLineCases()) {
    LineIn in(mesh);
    c.right(in);
    EXPECT_TRUE(in.tape.FirstError().ok())
        << c.name << ": " << Message(in.tape.FirstError());
    // What a function broadcasts on its own account is no mistake of its user.
    EXPECT_THAT(in.tape.warnings(), IsEmpty()) << c.name;
    for (const Node& node : in.tape.nodes()) {
      // A derivative stands at the line of what it is the derivative of.
      if (node.phase == Phase::kBackward && node.loc.line == 0) continue;
      EXPECT_THAT(std::string(node.loc.Basename()), EndsWith("line_cases.cc"))
          << c.name << ": " << node.op->name() << " at " << node.loc;
    }
  }
}

TEST(CallerLines, EveryErrorNamesTheLineOfTheCall) {
  PaperRank paper(0, 2);
  const Mesh mesh = *Mesh::Create(paper, {{"model", -1}});
  for (const LineCase& c : AllLineCases()) {
    if (c.wrong == nullptr) continue;
    LineIn in(mesh);
    c.wrong(in);
    ASSERT_FALSE(in.tape.errors().empty()) << c.name;
    for (const Status& error : in.tape.errors()) {
      EXPECT_THAT(Message(error), HasSubstr("line_cases.cc:")) << c.name;
    }
  }
}

// A function that is new must be in the tables above.
TEST(CallerLines, NoFunctionIsLeftOut) {
  std::set<std::string> known = {
      // Not for users, or with a line of their own by their arguments.
      "CheckedPointwise",
      "ComposedVjp",
      "Fail",
      "FinishTraced",
      "GyreMath",
      "MultiplyFeatures",
      "Permuted",
      "RecordPointwise",
      "TraceFunctor",
      "Usable",
      "Varying",
      "composed_attention",
      // Give their operand back, and record nothing.
      "print",
      "probe"};
  for (const LineCase& c : AllLineCases()) known.insert(c.name);
  const std::regex declared(
      R"(^(?:inline )?(?:Var|std::vector<Var>) (\w+|operator[^ (]+)\()");
  const std::set<std::string> folders = {"autodiff", "autodiff/ops", "models"};
  int found = 0;
  for (const SourceFile& file : ReadSourceTree()) {
    const std::string folder = file.path.substr(0, file.path.rfind('/'));
    if (!folders.contains(folder) || !file.path.ends_with(".h")) continue;
    for (const std::string& line : file.lines) {
      std::smatch match;
      const bool may = line.starts_with("Var ") ||
                       line.starts_with("inline Var ") ||
                       line.starts_with("std::vector<Var> ");
      if (!may || !std::regex_search(line, match, declared)) continue;
      ++found;
      EXPECT_TRUE(known.contains(match[1])) << match[1] << " of " << file.path;
    }
  }
  EXPECT_GT(found, 150);
}

TEST(CallerLines, AWarningNamesTheLineOfTheCall) {
  Tape tape;
  const Var x = tape.Input("x", {{16, 1}, DType::kF32, 0});
  const Var y = tape.Input("y", {{16}, DType::kF32, 0});
  for (int i = 0; i < 3; ++i) x - y;
  const int line = __LINE__ - 1;
  ASSERT_EQ(tape.warnings().size(), 1u);
  EXPECT_EQ(tape.warnings()[0],
            Cat("caller_lines_test.cc:",
                line,
                ": sub broadcasts (16, 1) and (16) to (16, 16); write "
                "expand_dims or broadcast_to if it is meant"));
}

TEST(CallerLines, GradCheckNamesItsInputAndItsCaller) {
  const auto f = [](std::span<const Var> x) { return exp(x[0]); };
  const GradReport report = GradCheck(f, {Tensor::Zeros({2})});
  int line = __LINE__ - 1;
  EXPECT_EQ(report.text,
            Cat("caller_lines_test.cc:",
                line,
                ": GradCheck wants f64 tensors; input 0 is f32"));
  const auto none = [](std::span<const Var>) { return Var(); };
  const GradReport empty = GradCheck(none, {Tensor(DType::kF64, {2})});
  line = __LINE__ - 1;
  EXPECT_THAT(empty.text, StartsWith(Cat("caller_lines_test.cc:", line, ": ")));
}

TEST(CallerLines, ABatchTensorOfF64IsNamed) {
  Tape tape;
  Params params(tape, 1, 0);
  const Var x = tape.Input("batch.x", {{4, 3}, DType::kF64, 0});
  const BatchVars batch(tape, {{"x", x}});
  exp(batch["x"]) * params.Get("w", {3}, Ones());
  const int line = __LINE__ - 1;
  EXPECT_EQ(Message(tape.FirstError()),
            Cat("caller_lines_test.cc:",
                line,
                ": mul: f32 and f64 do not mix; use cast(); batch tensor \"x\" "
                "is f64: make it f32 where it is loaded"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
