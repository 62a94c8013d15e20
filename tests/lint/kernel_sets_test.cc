// Every operation has fast and plain kernels, which are compared, or a reason
// why one is enough.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>

#include "tests/lint/source_tree.h"

namespace gyre::internal::inline tests {
namespace {

constexpr char kMoves[] = "moves bits, without arithmetic";
constexpr char kPlain[] = "its one kernel is a plain loop, sums in double";
constexpr char kRanks[] = "the communicator's work";
constexpr char kUsers[] = "the user's own code";
// Functors: one template for SIMD batches, dual numbers and double.
constexpr char kFunctor[] =
    "the user's functor, compiled as it is; held against its traced form";

const std::map<std::string, std::string>& OneKernel() {
  static const auto& table = *new std::map<std::string, std::string>{
      {"ArgReduceOp", kPlain},
      {"BarrierOp", kMoves},
      {"BroadcastOp", kMoves},
      {"BufferOp", kMoves},
      {"CastOp", kMoves},
      {"CheckpointOp", "is expanded before a plan is made"},
      {"CombinedSumOp", kRanks},
      {"ConcatOp", kMoves},
      {"CopyOp", kMoves},
      {"CumsumOp", kPlain},
      {"CustomBackwardOp", kUsers},
      {"CustomForwardOp", kUsers},
      {"EmbedOp", kMoves},
      {"FlipOp", kMoves},
      {"GatherOp", kMoves},
      {"MeshMoveOp", kRanks},
      {"OneHotOp", kMoves},
      {"PlanOp", "a base class"},
      {"PmaxOp", kRanks},
      {"PointwiseGradOp", kFunctor},
      {"PointwiseOp", kFunctor},
      {"PointwiseSumGradOp", kFunctor},
      {"PointwiseSumOp", kFunctor},
      {"PsumOp", kRanks},
      {"ReshapeOp", kMoves},
      {"RollOp", kMoves},
      {"ScatterOp", kPlain},
      {"SliceOp", kMoves},
      {"StopGradientOp", kMoves},
      {"Sums", "a base class"},
      {"SumsWithGrad", "a base class"},
      {"TransposeOp", kMoves},
      {"VaryOp", kMoves},
  };
  return table;
}

TEST(KernelSets, EveryOperationHasTwoOrAReason) {
  const std::regex operation(
      "^class (\\w+) (?:final )?: public "
      "(?:internal::)?(?:Op|PlanOp|Sums|SumsWithGrad) \\{");
  std::set<std::string> found;
  std::string compared;
  for (const SourceFile& file : ReadSourceTree()) {
    const bool table = file.path == "tests/autodiff/kernel_sets_test.cc";
    for (const std::string& line : file.lines) {
      if (table) compared += line + "\n";
      std::smatch match;
      if (file.room() == "autodiff" &&
          std::regex_search(line, match, operation)) {
        found.insert(match[1]);
      }
    }
  }
  EXPECT_GT(found.size(), 40u);
  for (const std::string& name : found) {
    const bool two =
        std::regex_search(compared, std::regex("[\" ]" + name + "[\" ]"));
    EXPECT_NE(two, OneKernel().count(name) == 1)
        << name << ": compare its kernels in tests/autodiff/"
        << "kernel_sets_test.cc, or say here why one is enough";
  }
  for (const auto& [name, reason] : OneKernel()) {
    EXPECT_EQ(found.count(name), 1u) << name << " is no operation";
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
