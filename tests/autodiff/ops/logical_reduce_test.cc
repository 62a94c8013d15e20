#include "gyre/autodiff/ops/logical_reduce.h"

#include <cmath>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"
#include "tests/support/special_numbers.h"

namespace gyre::internal::inline tests {
namespace {

TEST(AnyAll, NumbersMasksNanAndNothing) {
  const auto f = [](Tape&, Vars v) {
    return std::vector<Var>{
        any(v[0], {1}), all(v[0], {1}), any(v[0] > 0.0), all(v[0], {1}, true)};
  };
  auto r = Evaluate(f, {F64({3, 2}, {0, 0, 0, kNan, -1, 2})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values<bool>((*r)[0]), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(Values<bool>((*r)[1]), (std::vector<bool>{false, false, true}));
  EXPECT_TRUE((*r)[2].data<bool>()[0]);
  EXPECT_EQ((*r)[3].shape(), Shape({3, 1}));
  r = Evaluate(f, {Tensor(DType::kF64, {1, 0})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_FALSE((*r)[0].data<bool>()[0]);
  EXPECT_TRUE((*r)[1].data<bool>()[0]);
}

TEST(AnyAll, AskEveryRank) {
  const auto results =
      OnRanks({F64({2}, {0, 0}), F64({2}, {0, 1})}, [](Tape&, Var x) {
        return std::vector<Var>{any(x), all(x), all(x == x)};
      });
  for (const auto& r : results) {
    EXPECT_TRUE(r[0].data<bool>()[0]);
    EXPECT_FALSE(r[1].data<bool>()[0]);
    EXPECT_TRUE(r[2].data<bool>()[0]);
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
