// A Var that is used in another trace than its own, or was never set.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>

#include "gyre/autodiff/checkpoint.h"
#include "gyre/autodiff/grad_check.h"
#include "gyre/autodiff/hvp.h"
#include "gyre/autodiff/ops/attention.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/autodiff/vjp.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kOtherTrace[] =
    "this Var belongs to another trace (a static or captured Var?)";

struct KeptProduct {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a * b;
  }
};

Var SquareInput(Tape& tape) {
  return tape.Input("x", {{4, 4}, DType::kF32, 0});
}

// Of a tape that is gone.
Var KeptFromBefore() {
  Tape tape;
  return exp(SquareInput(tape));
}

std::string FirstSaid(const Tape& tape) { return Message(tape.FirstError()); }

TEST(KeptVar, OfATapeThatIsGoneIsAnErrorAtTheLineThatUsesIt) {
  const Var kept = KeptFromBefore();
  EXPECT_FALSE(kept.valid());
  EXPECT_TRUE(kept.given());
  EXPECT_EQ(kept.tape(), nullptr);
  EXPECT_EQ(kept.shape(), Shape());
  Tape tape;
  const Var x = SquareInput(tape);
  const Var product = x * kept;
  const int line = __LINE__ - 1;
  EXPECT_FALSE(product.valid());
  EXPECT_THAT(
      FirstSaid(tape),
      StartsWith(Cat(
          "kept_var_test.cc:", line, ": ", kOtherTrace, ": operand 2 of *")));
  EXPECT_EQ(tape.nodes().size(), 0u);
}

TEST(KeptVar, IsSaidOnceAndPoisonsWhatFollows) {
  const Var kept = KeptFromBefore();
  Tape tape;
  const Var x = SquareInput(tape);
  mean(square(x * kept) + x);
  EXPECT_EQ(tape.errors().size(), 1u);
}

// The first use has no tape to tell; its line is told by the second.
TEST(KeptVar, TheLineIsThatOfTheFirstUse) {
  const Var kept = KeptFromBefore();
  Tape tape;
  const Var x = SquareInput(tape);
  const Var area = exp(kept);
  const int line = __LINE__ - 1;
  x* sum(square(area));
  EXPECT_THAT(FirstSaid(tape),
              StartsWith(Cat("kept_var_test.cc:", line, ": ", kOtherTrace)));
}

TEST(KeptVar, OfATapeThatIsClosedIsAnError) {
  Tape before;
  const Var kept = SquareInput(before);
  before.Close();
  EXPECT_TRUE(kept.valid());
  Tape tape;
  const Var x = SquareInput(tape);
  x + exp(kept);
  EXPECT_THAT(FirstSaid(tape), HasSubstr(kOtherTrace));
  EXPECT_EQ(before.nodes().size(), 0u);
  EXPECT_TRUE(before.errors().empty());
}

TEST(KeptVar, OfATapeThatGoesOnIsAnError) {
  Tape other;
  const Var kept = exp(SquareInput(other));
  Tape tape;
  const Var x = SquareInput(tape);
  x - kept;
  EXPECT_THAT(FirstSaid(tape), HasSubstr(kOtherTrace));
}

// Ranks of one process trace at the same time: nothing of another's tape may
// be read, and nothing recorded on it.
TEST(KeptVar, OfAnotherThreadsTapeIsAnErrorThere) {
  Tape tape;
  const Var x = exp(SquareInput(tape));
  std::string error;
  std::thread([&] {
    EXPECT_FALSE(x.valid());
    Tape mine;
    const Var y = SquareInput(mine);
    y* mean(x);
    error = FirstSaid(mine);
  }).join();
  EXPECT_THAT(error, HasSubstr(kOtherTrace));
  EXPECT_EQ(tape.nodes().size(), 1u);
  EXPECT_TRUE(tape.errors().empty());
}

TEST(KeptVar, IsFoundWhereverOperationsTakeVars) {
  const Var kept = KeptFromBefore();
  using Call = std::function<void(const Var&, const Var&)>;
  const Call calls[] = {
      [](const Var& x, const Var& k) { select(x > 0.0, k, x); },
      [](const Var& x, const Var& k) { pointwise(KeptProduct{}, x, k); },
      [](const Var& x, const Var& k) { matmul(k, x); },
      [](const Var& x, const Var& k) {
        concat(std::vector<Var>{x, k}, 0);
      },
      [](const Var& x, const Var& k) { layer_norm(x, {.gain = k}); },
      [](const Var& x, const Var& k) {
        const Var q = reshape(x, {1, 1, 4, 4});
        attention(q, q, q, {.mask = k});
      },
      [](const Var& x, const Var& k) { masked_mean(x, k); },
      [](const Var& x, const Var& k) {
        checkpoint([&k](Var v) { return v * k; }, x);
      },
      [](const Var& x, const Var& k) {
        checkpoint([&k](Var) { return k; }, x);
      },
      [](const Var& x, const Var& k) {
        Gradients(sum(x), {&k, 1});
      },
      [](const Var& x, const Var& k) {
        Vjp({&x, 1}, {&k, 1}, {&x, 1});
      },
      [](const Var& x, const Var& k) {
        hvp([](std::span<const Var> v) { return sum(square(v[0])); },
            {&x, 1},
            {&k, 1});
      },
  };
  int number = 0;
  for (const Call& call : calls) {
    Tape tape;
    call(SquareInput(tape), kept);
    EXPECT_THAT(FirstSaid(tape), HasSubstr(kOtherTrace)) << number;
    EXPECT_THAT(FirstSaid(tape), HasSubstr("kept_var_test.cc:")) << number;
    ++number;
  }
}

TEST(KeptVar, IsNoResultOfAPlan) {
  Tape tape;
  const Var results[] = {SquareInput(tape), KeptFromBefore()};
  const auto plan = Plan::Compile(tape, results);
  EXPECT_THAT(Message(plan.status()), HasSubstr(kOtherTrace));
  EXPECT_THAT(Message(plan.status()), HasSubstr("operand 2 of the results"));
}

TEST(KeptVar, IsNoResultOfAFunctionToCheck) {
  const Var kept = KeptFromBefore();
  const std::vector<Tensor> inputs = {Tensor(DType::kF64, {2})};
  for (const VarFunction& f : {VarFunction([&](auto) { return kept; }),
                               VarFunction([&](auto) { return exp(kept); })}) {
    const GradReport report = GradCheck(f, inputs);
    EXPECT_FALSE(report.ok);
    EXPECT_THAT(report.text, HasSubstr(kOtherTrace));
  }
}

TEST(DefaultVar, IsAnErrorThatNamesOperandOperationAndLine) {
  Tape tape;
  const Var x = SquareInput(tape);
  const Var none;
  none + x;
  const int line = __LINE__ - 1;
  EXPECT_THAT(
      FirstSaid(tape),
      StartsWith(
          Cat("operand 1 of + at kept_var_test.cc:", line, " has no value")));
  matmul(x, none);
  EXPECT_THAT(Message(tape.errors()[1]), StartsWith("operand 2 of matmul at "));
}

TEST(DefaultVar, IsFoundThoughItsFirstUseKnowsNoTape) {
  Tape tape;
  const Var x = SquareInput(tape);
  const Var inner = square(Var() * 2.0);
  const int line = __LINE__ - 1;
  x + inner;
  EXPECT_THAT(FirstSaid(tape),
              HasSubstr(Cat("operand 1 of * at kept_var_test.cc:", line)));
}

TEST(DefaultVar, MayStandForAnOperandThatIsLeftOut) {
  Tape tape;
  const Var x = SquareInput(tape);
  EXPECT_TRUE(layer_norm(x, {.gain = Var()}).valid());
  EXPECT_TRUE(tape.errors().empty());
}

}  // namespace
}  // namespace gyre::internal::inline tests
