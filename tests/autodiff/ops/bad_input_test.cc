// What the operations do with tensors of no elements, of no axes and of eight,
// with NaN constants and with sizes that no tensor can have.

#include <cmath>
#include <limits>

#include "gyre/autodiff/checkpoint.h"
#include "gyre/autodiff/ops/arg_reduce.h"
#include "gyre/autodiff/ops/arrange.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/gather.h"
#include "gyre/autodiff/ops/logical_reduce.h"
#include "gyre/autodiff/ops/masked.h"
#include "gyre/autodiff/ops/random.h"
#include "gyre/autodiff/ops/safe.h"
#include "gyre/autodiff/ops/scan.h"
#include "gyre/autodiff/ops/statistics.h"
#include "tests/autodiff/ops/grad_cases.h"

namespace gyre::internal::inline tests {
namespace {

struct Named {
  std::string name;
  VarFunction f;
};

// Those that take any shape of at least `rank` axes.
std::vector<Named> Operations(int rank) {
  std::vector<Named> ops = {
      {"safe_sqrt", [](Vars v) { return safe_sqrt(v[0]); }},
      {"safe_norm {}", [](Vars v) { return safe_norm(v[0], {}); }},
      {"prod {}", [](Vars v) { return prod(v[0], {}); }},
      {"logsumexp", [](Vars v) { return logsumexp(v[0]); }},
      {"logsumexp {}", [](Vars v) { return logsumexp(v[0], {}); }},
      {"var {}", [](Vars v) { return var(v[0], {}); }},
      {"masked_var", [](Vars v) { return masked_var(v[0], v[0] > 0.0); }},
      {"masked_max", [](Vars v) { return masked_max(v[0], v[0] > 0.0); }},
      {"any", [](Vars v) { return select(any(v[0]), v[0], 0.0); }},
      {"dropout",
       [](Vars v) {
         return dropout(v[0], 0.5, {1, "d"});
       }},
      {"squeeze {}", [](Vars v) { return squeeze(v[0], {}); }},
      {"checkpoint", [](Vars v) {
         return checkpoint([](Var x) { return exp(sin(x)); }, v[0]);
       }}};
  if (rank == 0) return ops;
  const std::vector<Named> with_axes = {
      {"safe_norm", [](Vars v) { return safe_norm(v[0], {-1}); }},
      {"prod", [](Vars v) { return prod(v[0], {-1}); }},
      {"logsumexp", [](Vars v) { return logsumexp(v[0], {-1}); }},
      {"var", [](Vars v) { return var(v[0], {0}, 0, true); }},
      {"cumsum", [](Vars v) { return cumsum(v[0], -1); }},
      {"all", [](Vars v) { return select(all(v[0], {-1}, true), v[0], 0.0); }},
      {"flip",
       [](Vars v) {
         return flip(v[0], {0, -1});
       }},
      {"roll", [](Vars v) { return roll(v[0], 5, -1); }},
      {"swapaxes", [](Vars v) { return swapaxes(v[0], 0, -1); }},
      {"split", [](Vars v) { return split(v[0], 1, 0)[0]; }},
      {"tile", [](Vars v) { return tile(v[0], 2, 0); }},
      {"repeat", [](Vars v) { return repeat(v[0], 2, -1); }},
      {"gather", [](Vars v) {
         const Tensor ids = Tensor::Of<std::int32_t>({1}, {0});
         return gather(v[0], v[0].tape()->Constant(ids), -1);
       }}};
  ops.insert(ops.end(), with_axes.begin(), with_axes.end());
  return ops;
}

TEST(BadInput, NoElementsNoAxesEightAxes) {
  const std::pair<Shape, int> shapes[] = {
      {{}, 0}, {{0, 3}, 2}, {{3, 0}, 2}, {{1, 2, 1, 2, 1, 2, 1, 2}, 2}};
  for (const auto& [shape, rank] : shapes) {
    for (const Named& op : Operations(rank)) {
      SCOPED_TRACE(Cat(op.name, " of ", shape));
      const auto r = ValueAndGrads(op.f, {Numbers(shape)});
      EXPECT_EQ(r[1].shape(), shape);
      if (shape.elements() == 0) continue;
      for (const double g : Values(r[1])) EXPECT_TRUE(std::isfinite(g));
    }
  }
}

// Both kernel sets, with fusion and without.
TEST(BadInput, PlansOfAllKindsAgree) {
  const Tensor x = Numbers({3, 4});
  for (const Named& op : Operations(2)) {
    const auto f = [&op](Tape&, Vars v) {
      const Var y = op.f(v);
      return std::vector<Var>{y, Gradients(sum(y), v)[0]};
    };
    const auto fast = Evaluate(f, {x});
    const auto plain = Evaluate(f, {x}, {.fuse = false});
    const auto reference = Evaluate(f, {x}, {.kernels = KernelSet::kReference});
    ASSERT_TRUE(fast.ok() && plain.ok() && reference.ok()) << op.name;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(Values((*fast)[i]), Values((*plain)[i])) << op.name;
      EXPECT_EQ(Values((*fast)[i]), Values((*reference)[i])) << op.name;
    }
  }
}

TEST(BadInput, ANanConstantGoesWhereItIsUsed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto r = Evaluate(
      [nan](Tape&, Vars v) {
        const Var chosen = select(v[0] > 0.0, v[0], nan);
        return std::vector<Var>{logsumexp(chosen),
                                prod(chosen, {0}),
                                cumsum(chosen, 0),
                                masked_max(chosen, v[0] > 0.0),
                                safe_sqrt(chosen)};
      },
      {F64({2}, {4, -1})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_TRUE(std::isnan(Values((*r)[0])[0]));
  EXPECT_TRUE(std::isnan(Values((*r)[1])[0]));
  EXPECT_EQ(Values((*r)[2])[0], 4);
  EXPECT_TRUE(std::isnan(Values((*r)[2])[1]));
  EXPECT_EQ(Values((*r)[3])[0], 4);
  EXPECT_EQ(Values((*r)[4])[0], 2);
}

TEST(BadInput, OnePoisonedVarPoisonsTheRest) {
  const auto f = [](Tape& tape, Vars v) {
    const Var bad = v[0] + v[1];
    for (const Named& op : Operations(2)) {
      EXPECT_FALSE(op.f(std::span(&bad, 1)).valid()) << op.name;
    }
    EXPECT_EQ(tape.errors().size(), 1);
    return std::vector<Var>{bad};
  };
  EXPECT_NE(TraceError(f, {Numbers({2}), Numbers({3})}).find("broadcast"),
            std::string::npos);
}

// bf16 pads with what was asked for, which the gradient of prod relies on.
TEST(BadInput, HalfTypesPadAndMultiply) {
  Tensor x(DType::kBF16, {3});
  const float given[] = {2, 3, 5};
  for (int i = 0; i < 3; ++i) x.data<BFloat16>()[i] = BFloat16(given[i]);
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        const Var y = prod(v[0], {0});
        return std::vector<Var>{pad(v[0], 0, 1, 0, 7.0),
                                Gradients(y, v)[0],
                                Gradients(max(v[0], {0}), v)[0]};
      },
      {x});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[2].dtype(), DType::kBF16);
  EXPECT_EQ(static_cast<float>((*r)[0].data<BFloat16>()[0]), 7);
  const float expected[] = {15, 10, 6};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(static_cast<float>((*r)[1].data<BFloat16>()[i]), expected[i]);
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
