#include "gyre/autodiff/checkpoint.h"

#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/random.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"

namespace gyre::internal::inline tests {
namespace {

// Three layers of a block with an inner value, kept or computed again.
Var Layers(Var x, Var w, bool again) {
  const auto block = [w](Var h) {
    return sin(matmul(h, w)) * exp(-0.1 * square(h));
  };
  for (int i = 0; i < 3; ++i) x = again ? checkpoint(block, x) : block(x);
  return x;
}

TEST(Checkpoint, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 3}, -1, 1);
  const Tensor w = Numbers({3, 3}, -1, 1, 2);
  CheckGradients({
      {"checkpoint with captured weights",
       {x, w},
       [](Vars v) { return Layers(v[0], v[1], true); }},
      {"checkpoint of two inputs",
       {x, x},
       [](Vars v) {
         return checkpoint([](Vars a) { return exp(a[0]) * tanh(a[1]); }, v);
       }},
      // One captured value is a function of the other, and of the input.
      {"checkpoint with related captures",
       {x},
       [](Vars v) {
         const Var y = sin(v[0]);
         const Var z = y * v[0];
         return checkpoint([&](Var a) { return exp(a) * y * tanh(z); }, v[0]);
       }},
      {"nested checkpoints",
       {x},
       [](Vars v) {
         const auto inner = [](Var a) { return sin(a) * a; };
         return checkpoint([&](Var a) { return exp(checkpoint(inner, a)) * a; },
                           v[0]);
       }},
      {"checkpoint with dropout",
       {x},
       [](Vars v) {
         return checkpoint(
             [](Var a) {
               return exp(dropout(sin(a), 0.5, {1, "d"}));
             },
             v[0]);
       }},
  });
}

std::vector<Tensor> WithGradients(bool again, MemoryPlan* memory) {
  Tape tape;
  const Shape shape({64, 64});
  const Var x = tape.Input("x", {shape, DType::kF32});
  const Var w = tape.Input("w", {shape, DType::kF32});
  Var h = x;
  for (int i = 0; i < 4; ++i) h = Layers(h, w, again);
  const Var loss = sum(h);
  const Var wrt[] = {x, w};
  std::vector<Var> results = {loss};
  for (const Var& g : Gradients(loss, wrt)) results.push_back(g);
  const auto plan = Plan::Compile(tape, results);
  EXPECT_TRUE(plan.ok()) << plan.status();
  *memory = (*plan)->memory();
  auto executor = Executor::Create(*plan);
  EXPECT_TRUE(executor.ok()) << executor.status();
  Tensor a(DType::kF32, shape);
  Tensor b(DType::kF32, shape);
  for (int i = 0; i < 64 * 64; ++i) {
    a.data<float>()[i] = 0.01f * static_cast<float>(i % 97);
    b.data<float>()[i] = 0.002f * static_cast<float>(i % 89 - 44);
  }
  (*executor)->Bind(0, a.raw());
  (*executor)->Bind(1, b.raw());
  EXPECT_TRUE((*executor)->Run({}).ok());
  return {(*executor)->ResultTensor(0),
          (*executor)->ResultTensor(1),
          (*executor)->ResultTensor(2)};
}

TEST(Checkpoint, SavesMemoryAndChangesNoGradient) {
  MemoryPlan kept;
  MemoryPlan again;
  const auto a = WithGradients(false, &kept);
  const auto b = WithGradients(true, &again);
  EXPECT_LT(again.arena_bytes, 0.65 * kept.arena_bytes)
      << again.arena_bytes << " of " << kept.arena_bytes;
  for (int i = 0; i < 3; ++i) {
    const auto x = Values<float>(a[i]);
    const auto y = Values<float>(b[i]);
    for (std::size_t k = 0; k < x.size(); ++k) {
      ASSERT_NEAR(x[k], y[k], 1e-5f * std::max(1.0f, std::abs(x[k])));
    }
  }
}

TEST(Checkpoint, ComputesAgainInTheBackwardPass) {
  Tape tape;
  const Var x = tape.Input("x", {Shape({4}), DType::kF32});
  const Var y = sum(checkpoint([](Var a) { return exp(sin(a)); }, x));
  const Var wrt[] = {x};
  const Var results[] = {y, Gradients(y, wrt)[0]};
  const auto plan = Plan::Compile(tape, results, {.fuse = false});
  ASSERT_TRUE(plan.ok()) << plan.status();
  int forward = 0;
  int backward = 0;
  for (const Node& node : (*plan)->graph().nodes) {
    if (node.op->name() != "sin") continue;
    (node.phase == Phase::kForward ? forward : backward) += 1;
  }
  EXPECT_EQ(forward, 1);
  EXPECT_EQ(backward, 1);
}

// The mask of a dropout is not kept: its numbers are drawn twice, and equal.
TEST(Checkpoint, DrawsAgain) {
  Tape tape;
  const Var x = tape.Input("x", {Shape({1000}), DType::kF32});
  const Var y = checkpoint([](Var a) { return dropout(a, 0.5, {1, "d"}); }, x);
  const Var wrt[] = {x};
  const Var results[] = {y, Gradients(sum(y), wrt)[0]};
  const auto plan = Plan::Compile(tape, results);
  ASSERT_TRUE(plan.ok()) << plan.status();
  int drawings = 0;
  for (const Node& node : (*plan)->graph().nodes) {
    drawings += node.op->name() == "uniform" ? 1 : 0;
  }
  EXPECT_EQ(drawings, 2);
  auto executor = Executor::Create(*plan);
  ASSERT_TRUE(executor.ok()) << executor.status();
  Tensor ones(DType::kF32, {1000});
  for (float& v : ones.data<float>()) v = 1;
  (*executor)->Bind(0, ones.raw());
  ASSERT_TRUE((*executor)->Run({.step = 7}).ok());
  EXPECT_EQ(Values<float>((*executor)->ResultTensor(0)),
            Values<float>((*executor)->ResultTensor(1)));
}

TEST(Checkpoint, OfNothingIsTheValueItself) {
  const auto r = ValueAndGrads(
      [](Vars v) { return checkpoint([](Var a) { return a; }, v[0]); },
      {Numbers({3})});
  EXPECT_EQ(Values(r[1]), (std::vector<double>{1, 1, 1}));
}

TEST(Checkpoint, AnErrorInsideComesOut) {
  const std::string error = TraceError(
      [](Tape&, Vars v) {
        return std::vector<Var>{
            checkpoint([&](Vars a) { return a[0] + a[1]; }, v)};
      },
      {Numbers({2}), Numbers({3})});
  EXPECT_NE(error.find("do not broadcast"), std::string::npos) << error;
}

// Shared weights inside, on ranks with different data: gradients add up once.
TEST(Checkpoint, OnSeveralRanks) {
  const auto results =
      OnRanks({F64({2}, {1, 2}), F64({2}, {3, 4})}, [](Tape& tape, Var x) {
        const Var w = tape.Constant(F64({}, {0.5}));
        const Var wrt[] = {w};
        std::vector<Var> all;
        for (const bool again : {false, true}) {
          const Var weight = w + 0.0;
          const auto block = [&](Var a) { return mean(sin(a * weight)) * a; };
          const Var y = sum(again ? checkpoint(block, x) : block(x));
          all.push_back(y);
          all.push_back(Gradients(y, wrt)[0]);
        }
        return all;
      });
  for (const auto& r : results) {
    EXPECT_DOUBLE_EQ(Values(r[0])[0], Values(r[2])[0]);
    EXPECT_DOUBLE_EQ(Values(r[1])[0], Values(r[3])[0]);
    EXPECT_NE(Values(r[1])[0], 0);
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
