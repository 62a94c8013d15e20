#include "gyre/autodiff/exec/cause_finder.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/masked.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/core/math.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// Looks at sum(f(inputs)) and its gradients.
std::optional<Cause> CauseOf(const VarFunction& f, std::vector<Tensor> inputs) {
  Tape tape;
  std::vector<Var> vars;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    vars.push_back(
        tape.Input(Cat("x", i), {inputs[i].shape(), inputs[i].dtype()}));
  }
  const Var loss = sum(f(vars));
  std::vector<Var> results = {loss};
  for (const Var& g : Gradients(loss, vars)) results.push_back(g);
  auto finder = CauseFinder::Create(tape, results, {});
  EXPECT_TRUE(finder.ok()) << finder.status();
  if (!finder.ok()) return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    (*finder)->Bind(static_cast<int>(i), inputs[i].raw());
  }
  const auto cause = (*finder)->Find({});
  EXPECT_TRUE(cause.ok()) << cause.status();
  return cause.ok() ? *cause : std::nullopt;
}

TEST(CauseFinder, FindsNothingWhereAllIsFinite) {
  EXPECT_FALSE(CauseOf([](Vars v) { return log(v[0]); }, {F64({2}, {1, 2})})
                   .has_value());
}

struct Trigger {
  const char* name;  // the operation to blame
  Phase phase;
  std::int64_t element;
  VarFunction f;
  std::vector<Tensor> inputs;
};

std::vector<Trigger> Triggers() {
  const auto kF = Phase::kForward;
  const auto kB = Phase::kBackward;
  const double big = 1e308;
  const auto one = [](Var (*op)(Traced)) {
    return [op](Vars v) { return op(v[0] + 0.0) * 2.0; };
  };
  return {
      {"log", kF, 1, one(&log), {F64({3}, {1, -2, 3})}},
      {"log", kF, 2, one(&log), {F64({3}, {1, 2, 0})}},
      {"log1p", kF, 0, one(&log1p), {F64({2}, {-2, 1})}},
      {"log2", kF, 0, one(&log2), {F64({2}, {-2, 1})}},
      {"sqrt", kF, 1, one(&sqrt), {F64({2}, {4, -4})}},
      {"rsqrt", kF, 1, one(&rsqrt), {F64({2}, {4, 0})}},
      {"reciprocal", kF, 1, one(&reciprocal), {F64({2}, {4, 0})}},
      {"exp", kF, 1, one(&exp), {F64({2}, {1, 1000})}},
      {"expm1", kF, 1, one(&expm1), {F64({2}, {1, 1000})}},
      {"sinh", kF, 1, one(&sinh), {F64({2}, {1, 1000})}},
      {"cosh", kF, 1, one(&cosh), {F64({2}, {1, 1000})}},
      {"asin", kF, 1, one(&asin), {F64({2}, {0.5, 2})}},
      {"acos", kF, 0, one(&acos), {F64({2}, {-2, 0})}},
      {"square", kF, 1, one(&square), {F64({2}, {1, big})}},
      {"add",
       kF,
       0,
       [](Vars v) { return v[0] + v[1]; },
       {F64({1}, {big}), F64({1}, {big})}},
      {"sub",
       kF,
       0,
       [](Vars v) { return v[0] - v[1]; },
       {F64({1}, {big}), F64({1}, {-big})}},
      {"mul",
       kF,
       1,
       [](Vars v) { return v[0] * v[1]; },
       {F64({2}, {1, big}), F64({2}, {1, 10})}},
      {"div",
       kF,
       1,
       [](Vars v) { return v[0] / v[1]; },
       {F64({2}, {1, 0}), F64({2}, {1, 0})}},
      {"pow",
       kF,
       0,
       [](Vars v) { return pow(v[0], v[1]); },
       {F64({1}, {-8}), F64({1}, {0.5})}},
      {"matmul",
       kF,
       0,
       [](Vars v) { return matmul(v[0], v[1]); },
       {F64({1, 2}, {big, big}), F64({2, 1}, {10, 10})}},
      // Good forward, bad backward: 1 / (2 sqrt(0)).
      {"sqrt", kB, 1, [](Vars v) { return sqrt(v[0]); }, {F64({2}, {4, 0})}},
  };
}

TEST(CauseFinder, NamesTheOperationAndTheElement) {
  for (const Trigger& t : Triggers()) {
    const auto cause = CauseOf(t.f, t.inputs);
    ASSERT_TRUE(cause.has_value()) << t.name;
    SCOPED_TRACE(cause->Describe());
    EXPECT_FALSE(cause->is_input);
    EXPECT_EQ(cause->phase, t.phase) << t.name;
    if (t.phase == Phase::kForward) {
      EXPECT_EQ(cause->name, t.name);
    }
    EXPECT_EQ(cause->element, t.element) << t.name;
    EXPECT_FALSE(std::isfinite(cause->value)) << t.name;
    EXPECT_THAT(cause->loc.ToString(), HasSubstr("cause_finder_test.cc"));
  }
}

TEST(CauseFinder, SaysWhatTheOperationWasGiven) {
  const auto cause =
      CauseOf([](Vars v) { return log(v[0] * 2.0); }, {F64({2}, {1, -3})});
  ASSERT_TRUE(cause.has_value());
  ASSERT_EQ(cause->operands.size(), 1u);
  EXPECT_EQ(cause->operands[0].number, -6);
  EXPECT_EQ(cause->operands[0].maker, "mul");
  EXPECT_THAT(cause->Describe(),
              HasSubstr("made NaN from -6 at element 1 of f64 (2)"));
}

TEST(CauseFinder, ANanThatCameWithTheDataIsTheDatas) {
  const auto cause =
      CauseOf([](Vars v) { return square(v[0]); }, {F64({3}, {1, kNan, kInf})});
  ASSERT_TRUE(cause.has_value());
  EXPECT_TRUE(cause->is_input);
  EXPECT_EQ(cause->name, "x0");
  EXPECT_EQ(cause->element, 1);
  EXPECT_EQ(cause->bad, 2);
  EXPECT_THAT(cause->path[0], HasSubstr("square (forward)"));
}

TEST(CauseFinder, AMaskThatTakesTheNanOutIsNoPath) {
  const Tensor mask = F64({2}, {0, 1});
  const auto cause = CauseOf(
      [](Vars v) {
        const Var seen = select(v[1] != 0, v[0], 0.0);
        return log(seen - 5.0) + v[1];
      },
      {F64({2}, {kNan, 2}), mask});
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->name, "log");
}

// Masking after the operation: the loss is finite, its gradient is not.
TEST(CauseFinder, AMaskAfterTheSquareIsShownOnTheWay) {
  const auto cause = CauseOf(
      [](Vars v) {
        const Var error = square(v[0] - v[1]);
        return select(is_finite(v[1]), error, 0.0);
      },
      {F64({2}, {0, 0}), F64({2}, {kNan, 0})});
  ASSERT_TRUE(cause.has_value());
  EXPECT_TRUE(cause->is_input);
  EXPECT_EQ(cause->name, "x1");
  EXPECT_GT(cause->result, 0);  // a gradient, not the loss
  EXPECT_THAT(cause->path, testing::Contains(HasSubstr("(backward)")));
}

TEST(CauseFinder, AnInfinityOfTheProgramIsTheLastToBlame) {
  const auto cause = CauseOf(
      [](Vars v) { return select(v[0] > 10.0, v[0], -kInf) * (v[0] - 1.0); },
      {F64({1, 2}, {1, 2})});
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->name, "mul");  // infinity times 0
}

struct LogFunctor {
  template <class T>
  T operator()(T x) const {
    using math::log;
    return log(x);
  }
};

TEST(CauseFinder, AFunctorIsNamedByItsLine) {
  const auto cause =
      CauseOf([](Vars v) { return pointwise(LogFunctor{}, v[0]); },
              {F64({2}, {1, -1})});
  ASSERT_TRUE(cause.has_value());
  EXPECT_EQ(cause->element, 1);
  EXPECT_THAT(cause->loc.ToString(), HasSubstr("cause_finder_test.cc"));
}

TEST(CauseFinder, EachRankKnowsWhetherItWasTheOne) {
  LocalWorld world(4);
  const Status ran = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    Tape tape(&mesh);
    const Var x = tape.Input("x", {{2}, DType::kF64, 1});
    const Var wrt[] = {x};
    const Var loss = sum(log(x));
    const Var results[] = {loss, Gradients(loss, wrt)[0]};
    GYRE_ASSIGN_OR_RETURN(auto finder, CauseFinder::Create(tape, results, {}));
    Tensor mine = F64({2}, {1, comm.rank() == 2 ? -1.0 : 1.0});
    finder->Bind(0, mine.raw());
    GYRE_ASSIGN_OR_RETURN(const auto cause, finder->Find({&mesh, 0}));
    if (!cause.has_value()) return InternalError("nothing found");
    EXPECT_EQ(cause->received, comm.rank() != 2);
    EXPECT_EQ(cause->name, comm.rank() == 2 ? "log" : "psum");
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
}

}  // namespace
}  // namespace gyre::internal::inline tests
