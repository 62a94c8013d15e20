#include "gyre/autodiff/ops/arrange.h"

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "tests/autodiff/ops/grad_cases.h"

namespace gyre::internal::inline tests {
namespace {

TEST(Arrange, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 3, 4});
  const Tensor y = Numbers({2, 3, 4}, -2, 2, 2);
  std::vector<GradCase> cases = {
      {"split last part", {x}, [](Vars v) { return split(v[0], 2, -1)[1]; }},
      {"split_sizes",
       {x},
       [](Vars v) {
         const auto p = split_sizes(v[0], {1, 0, 2}, 1);
         return p[0] * p[2];
       }},
      {"expand_dims", {x}, [](Vars v) { return expand_dims(v[0], 1); }},
      {"squeeze",
       {Numbers({1, 3, 1})},
       [](Vars v) {
         return squeeze(v[0], {0, -1});
       }},
      {"moveaxis", {x}, [](Vars v) { return moveaxis(v[0], 0, -1); }},
      {"swapaxes", {x}, [](Vars v) { return swapaxes(v[0], 0, 2); }},
      {"flip 0", {x}, [](Vars v) { return flip(v[0], {0}); }},
      {"flip 1,2", {x}, [](Vars v) {
         return flip(v[0], {-1, 1});
       }}};
  for (int axis = 0; axis < 3; ++axis) {
    cases.push_back({Cat("roll ", axis), {x}, [axis](Vars v) {
                       return roll(v[0], 1, axis);
                     }});
    cases.push_back({Cat("roll back ", axis), {x}, [axis](Vars v) {
                       return roll(v[0], -7, axis);
                     }});
    cases.push_back({Cat("tile ", axis), {x}, [axis](Vars v) {
                       return tile(v[0], 3, axis);
                     }});
    cases.push_back({Cat("repeat ", axis), {x}, [axis](Vars v) {
                       return repeat(v[0], 2, axis);
                     }});
    cases.push_back({Cat("stack ", axis), {x, y}, [axis](Vars v) {
                       return stack(v, axis);
                     }});
  }
  CheckGradients(cases);
}

// One result each for a (2, 3) tensor of 1 to 6.
std::vector<Tensor> Results(const TraceFunction& f) {
  const auto r = Evaluate(f, {F64({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_TRUE(r.ok()) << r.status();
  return r.ok() ? *r : std::vector<Tensor>();
}

TEST(Arrange, ValuesAreThoseOfNumPy) {
  const auto r = Results([](Tape&, Vars v) {
    return std::vector<Var>{roll(v[0], 1, 1),
                            roll(v[0], -1, 1),
                            roll(v[0], 3, 1),
                            flip(v[0], {1}),
                            flip(v[0], {0, 1}),
                            tile(v[0], 2, 1),
                            repeat(v[0], 2, 1),
                            moveaxis(v[0], 1, 0),
                            tile(v[0], 2, 0)};
  });
  using List = std::vector<double>;
  EXPECT_EQ(Values(r[0]), (List{3, 1, 2, 6, 4, 5}));
  EXPECT_EQ(Values(r[1]), (List{2, 3, 1, 5, 6, 4}));
  EXPECT_EQ(Values(r[2]), (List{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Values(r[3]), (List{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(Values(r[4]), (List{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(Values(r[5]), (List{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(Values(r[6]), (List{1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
  EXPECT_EQ(Values(r[7]), (List{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(r[8].shape(), Shape({4, 3}));
}

TEST(Arrange, ShapesOfNewAndRemovedAxes) {
  const auto r = Results([](Tape&, Vars v) {
    const Var pair[] = {v[0], v[0] * 2.0};
    return std::vector<Var>{expand_dims(v[0], -1),
                            expand_dims(v[0], 0),
                            stack(pair, -1),
                            stack(pair, 0),
                            squeeze(expand_dims(v[0], 1), {1}),
                            squeeze(v[0], {})};
  });
  EXPECT_EQ(r[0].shape(), Shape({2, 3, 1}));
  EXPECT_EQ(r[1].shape(), Shape({1, 2, 3}));
  EXPECT_EQ(r[2].shape(), Shape({2, 3, 2}));
  EXPECT_EQ(Values(r[2])[1], 2);
  EXPECT_EQ(r[3].shape(), Shape({2, 2, 3}));
  EXPECT_EQ(r[4].shape(), Shape({2, 3}));
  EXPECT_EQ(r[5].shape(), Shape({2, 3}));
}

TEST(Arrange, EmptyAndEightDimensional) {
  const Tensor eight = Numbers({1, 2, 1, 2, 1, 2, 1, 2});
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{roll(v[0], 1, 7),
                                flip(v[0], {1, 3, 7}),
                                tile(v[0], 2, 3),
                                roll(v[1], 1, 0),
                                flip(v[1], {0}),
                                tile(v[1], 0, 1),
                                repeat(v[1], 3, 0)};
      },
      {eight, Tensor(DType::kF64, {0, 3})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values((*r)[0])[0], Values(eight)[1]);
  EXPECT_EQ(Values((*r)[1])[0], Values(eight)[8 + 4 + 1]);
  EXPECT_EQ((*r)[2].shape()[3], 4);
  EXPECT_EQ((*r)[5].shape(), Shape({0, 0}));
}

TEST(Arrange, AnyDType) {
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{
            roll(v[0], 1, 0), flip(v[0], {0}), repeat(v[0], 2, 0)};
      },
      {Tensor::Of<std::int64_t>({3}, {1, 2, 3})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values<std::int64_t>((*r)[0]),
            (std::vector<std::int64_t>{3, 1, 2}));
}

TEST(Arrange, ErrorsSayWhatWasExpected) {
  using F = std::function<Var(Var)>;
  const std::pair<F, std::string> cases[] = {
      {[](Var x) { return split(x, 2, 1)[0]; },
       "split: cannot cut extent 3 of axis 1"},
      {[](Var x) { return split(x, 0, 1)[0]; }, "into 0 equal parts"},
      {[](Var x) { return split(slice(x, 1, 0, 0), 1 << 30, 1)[0]; },
       "into 1073741824 equal parts"},
      {[](Var x) {
         return split_sizes(x, {1, 1}, 1)[0];
       },
       "add up to extent 3"},
      {[](Var x) { return squeeze(x, {0}); }, "squeeze: expected axes of"},
      {[](Var x) { return expand_dims(x, 4); }, "position from -3 to 2"},
      {[](Var x) { return moveaxis(x, 0, 5); }, "moveaxis: axis 5"},
      {[](Var x) { return swapaxes(x, -3, 0); }, "swapaxes: axis -3"},
      {[](Var x) { return flip(x, {2}); }, "flip: axis 2"},
      {[](Var x) { return roll(x, 1, 2); }, "roll: axis 2"},
      {[](Var x) { return tile(x, -1, 0); }, "0 or more copies, got -1"},
      {[](Var x) { return tile(x, std::int64_t{1} << 62, 1); }, "too many"},
      {[](Var x) { return repeat(x, std::int64_t{1} << 50, 0); },
       "more than 2^48 elements"},
      {[](Var x) {
         const Var parts[] = {x, slice(x, 1, 0, 2)};
         return stack(parts, 0);
       },
       "stack: expected parts of one shape, got (2, 3) and (2, 2)"}};
  for (const auto& [f, text] : cases) {
    const std::string error =
        TraceError([f = f](Tape&, Vars v) { return std::vector<Var>{f(v[0])}; },
                   {Numbers({2, 3})});
    EXPECT_NE(error.find(text), std::string::npos) << error;
    EXPECT_NE(error.find("arrange_test.cc"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
