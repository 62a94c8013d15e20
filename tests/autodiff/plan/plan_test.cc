#include "gyre/autodiff/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/rng.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

std::vector<std::string> OpNamesPlan(const Plan& plan) {
  std::vector<std::string> names;
  for (const Node& node : plan.graph().nodes) {
    names.emplace_back(node.op->name());
  }
  return names;
}

std::shared_ptr<const Plan> MustCompilePlan(const Tape& tape,
                                            std::vector<Var> results,
                                            const PlanOptions& options = {}) {
  auto plan = Plan::Compile(tape, results, options);
  EXPECT_TRUE(plan.ok()) << Message(plan.status());
  return plan.ok() ? *plan : nullptr;
}

TEST(Plan, DropsWhatNobodyReads) {
  Tape tape;
  const Var x = tape.Input("x", {{8}, DType::kF32, 0});
  exp(x);
  EXPECT_EQ(OpNamesPlan(*MustCompilePlan(tape, {sum(x)})),
            std::vector<std::string>{"sum"});
}

TEST(Plan, ComputesEqualExpressionsOnce) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 4}, DType::kF32, 0});
  const Var y = matmul(x, x) + matmul(x, x);
  const auto names = OpNamesPlan(*MustCompilePlan(tape, {y}));
  EXPECT_EQ(std::count(names.begin(), names.end(), "matmul"), 1);
}

TEST(Plan, FusesAChainIntoOneOperation) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 8}, DType::kF32, 0});
  const Var row = tape.Input("row", {{8}, DType::kF32, 0});
  const Var y = tanh(x * 2.0 + broadcast_to(row, {4, 8})) * exp(-x);
  EXPECT_EQ(OpNamesPlan(*MustCompilePlan(tape, {y})),
            std::vector<std::string>{"fused"});
}

// b needs the matmul of a, so a cannot wait for b.
TEST(Plan, DoesNotFuseAcrossAnOperationBetween) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 4}, DType::kF32, 0});
  const Var a = exp(x);
  const Var b = a + matmul(a, a);
  const auto names = OpNamesPlan(*MustCompilePlan(tape, {b}));
  EXPECT_EQ(names, (std::vector<std::string>{"fused", "matmul", "fused"}));
}

// b dies where the sum is computed, and has its layout.
TEST(Plan, WritesAResultOverAnOperandThatDies) {
  Tape tape;
  const Var x = tape.Input("x", {{64, 64}, DType::kF32, 0});
  const Var a = matmul(x, x);
  const auto plan = MustCompilePlan(tape, {matmul(tanh(a) * 2.0, x)});
  EXPECT_EQ(plan->memory().in_place, 1);
  EXPECT_EQ(plan->memory().arena_bytes, 2u * 64 * 64 * 4);
}

TEST(Plan, KeepsAnOperandThatIsReadLaterOrInAnotherOrder) {
  Tape tape;
  const Var x = tape.Input("x", {{8, 8}, DType::kF32, 0});
  const Var a = matmul(x, x);
  EXPECT_EQ(MustCompilePlan(tape, {tanh(a), a})->memory().in_place, 0);
  const Var row = matmul(tape.Input("r", {{1, 8}, DType::kF32, 0}), x);
  EXPECT_EQ(MustCompilePlan(tape, {exp(x) * row})->memory().in_place, 0);
}

TEST(Plan, ReusesMemoryByLifetime) {
  Tape tape;
  Var x = tape.Input("x", {{64, 64}, DType::kF32, 0});
  for (int i = 0; i < 10; ++i) x = matmul(x, x);
  const auto plan = MustCompilePlan(tape, {sum(x)});
  EXPECT_EQ(plan->memory().total_bytes, 10u * 64 * 64 * 4 + 64);
  EXPECT_LE(plan->memory().arena_bytes, 2u * 64 * 64 * 4 + 64);
}

TEST(Plan, ExplainNamesOperationsLinesAndMemory) {
  Tape tape;
  const Var x = tape.Input("x", {{4, 4}, DType::kF32, 0});
  const Var y = matmul(x, x);
  const int line = __LINE__ - 1;
  const std::string text = MustCompilePlan(tape, {sum(y)})->Explain();
  EXPECT_THAT(text, HasSubstr("f32(4, 4) = matmul(x, x) {ta=0 tb=0}"));
  EXPECT_THAT(text, HasSubstr(Cat("at plan_test.cc:", line)));
  EXPECT_THAT(text, HasSubstr("-> arena+0"));
}

TEST(Plan, FingerprintTellsProgramsApart) {
  const auto fingerprint = [](double factor) {
    Tape tape;
    const Var x = tape.Input("x", {{4}, DType::kF32, 0});
    return MustCompilePlan(tape, {sum(x * factor)})->Fingerprint();
  };
  EXPECT_EQ(fingerprint(2), fingerprint(2));
  EXPECT_NE(fingerprint(2), fingerprint(3));
}

TEST(Plan, PlacesValuesWhereTheyAreAsked) {
  Tape tape;
  const Var x = tape.Input("x", {{4}, DType::kF32, 0});
  const Var slot = tape.Input("slot", {{12}, DType::kF32, 0});
  const Var doubled = x * 2.0;
  // A value, the same value again, and an input: the last two are copied.
  PlanOptions options;
  options.placements = {
      {doubled.id(), 1, 0}, {doubled.id(), 1, 16}, {x.id(), 1, 32}};
  const auto plan = MustCompilePlan(tape, {sum(slot)}, options);
  auto executor = Executor::Create(plan);
  ASSERT_TRUE(executor.ok());
  Tensor in = Tensor::Of<float>({4}, {1, 2, 3, 4});
  Tensor out = Tensor::Zeros({12});
  (*executor)->Bind(0, in.raw());
  (*executor)->Bind(1, out.raw());
  ASSERT_TRUE((*executor)->Run({}).ok());
  const std::vector<float> expected = {2, 4, 6, 8, 2, 4, 6, 8, 1, 2, 3, 4};
  EXPECT_EQ(
      std::vector<float>(out.data<float>().begin(), out.data<float>().end()),
      expected);
}

struct Bend {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return math::tanh(a - b) * math::sigmoid(b) + 0.5f * a;
  }
};

// A random graph of elementwise, broadcasting, reducing and matrix operations
// over a pool of (6, 6) values.
std::vector<Var> RandomGraph(Tape& tape,
                             std::span<const Var> x,
                             std::uint64_t seed) {
  const Rng rng({.seed = seed, .step = 0, .stream = 0});
  std::vector<Var> pool(x.begin(), x.end());
  std::uint64_t draw = 0;
  const auto pick = [&] { return pool[rng.Bits(draw++) % pool.size()]; };
  for (int i = 0; i < 25; ++i) {
    const Var a = pick();
    const Var b = pick();
    switch (rng.Bits(draw++) % 12) {
      case 0:
        pool.push_back(a + b);
        break;
      case 1:
        pool.push_back(a * tanh(b));
        break;
      case 2:
        pool.push_back(select(a > b, a, sigmoid(b)));
        break;
      case 3:
        pool.push_back(a - mean(b, {1}, true));
        break;
      case 4:
        pool.push_back(tanh(matmul(a, b)));
        break;
      case 5:
        pool.push_back(a + max(b, {0}, true));
        break;
      case 6:
        pool.push_back(transpose(a, {1, 0}) * 0.5);
        break;
      case 7:
        pool.push_back(a * broadcast_to(slice(b, 0, 2, 3), {6, 6}));
        break;
      case 8:
        pool.push_back(a + broadcast_to(sum(square(a - b)), {6, 6}) * 0.01);
        break;
      case 9:
        pool.push_back(pointwise(Bend{}, a, mean(b * 2.0, {0}, true)));
        break;
      case 10:
        pool.push_back(a * min(tanh(b) + 1.5, {0, 1}, true));
        break;
      default:
        pool.push_back(minimum(a, b) + 0.25);
    }
  }
  const Var loss = mean(square(pool.back()) + pool[pool.size() / 2]) +
                   mean(pointwise(Bend{}, pool[pool.size() - 2], x[0])) +
                   sum(pointwise(Bend{}, x[1], x[2])) * 0.1;
  std::vector<Var> results = {loss};
  for (const Var& g : Gradients(loss, x)) results.push_back(g);
  (void)tape;
  return results;
}

TEST(Plan, FusedAndUnfusedGiveTheSameBits) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::vector<Tensor> inputs;
    for (std::uint32_t i = 0; i < 3; ++i) {
      Tensor t = Tensor::Zeros({6, 6});
      const Rng rng({.seed = seed, .step = 1, .stream = i});
      for (int k = 0; k < 36; ++k) t.data<float>()[k] = rng.Normal(k);
      inputs.push_back(t);
    }
    const auto f = [seed](Tape& tape, std::span<const Var> x) {
      return RandomGraph(tape, x, seed);
    };
    const auto fused = Evaluate(f, inputs);
    const auto plain =
        Evaluate(f, inputs, {.fuse = false, .jit = seed % 2 == 0});
    ASSERT_TRUE(fused.ok() && plain.ok());
    for (std::size_t i = 0; i < fused->size(); ++i) {
      EXPECT_EQ(std::memcmp(
                    (*fused)[i].raw(), (*plain)[i].raw(), (*fused)[i].bytes()),
                0)
          << "seed " << seed << ", result " << i;
    }
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
