#include "gyre/autodiff/ops/gather.h"

#include <cmath>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"

namespace gyre::internal::inline tests {
namespace {

Tensor I32(Shape shape, std::initializer_list<std::int32_t> values) {
  return Tensor::Of<std::int32_t>(std::move(shape), values);
}
Tensor I64(Shape shape, std::initializer_list<std::int64_t> values) {
  return Tensor::Of<std::int64_t>(std::move(shape), values);
}

// f(x, indices) with the indices as a constant.
VarFunction With(const Tensor& indices, std::function<Var(Vars, Var)> f) {
  return [=](Vars v) { return f(v, v[0].tape()->Constant(indices)); };
}

TEST(Gather, GradientsMatchDifferences) {
  const Tensor x = Numbers({2, 3, 4});
  const Tensor many = I32({5}, {0, 1, 1, 0, 1});
  std::vector<GradCase> cases;
  for (int axis = 0; axis < 3; ++axis) {
    cases.push_back(
        {Cat("gather ", axis, " i32 (5)"), {x}, With(many, [=](Vars v, Var i) {
           return gather(v[0], i, axis);
         })});
    cases.push_back({Cat("gather ", axis, " i64 (2,2)"),
                     {x},
                     With(I64({2, 2}, {1, 0, 1, 1}), [=](Vars v, Var i) {
                       return gather(v[0], i, axis);
                     })});
  }
  cases.push_back(
      {"gather () index", {x}, With(I32({}, {1}), [](Vars v, Var i) {
         return gather(v[0], i, 1);
       })});
  cases.push_back({"scatter_add 0",
                   {Numbers({4, 2}), Numbers({5, 2})},
                   With(I32({5}, {3, 0, 3, -1, 9}), [](Vars v, Var i) {
                     return scatter_add(v[0], i, v[1], 0);
                   })});
  cases.push_back({"scatter_add 1 (2,2)",
                   {Numbers({2, 3, 2}), Numbers({2, 2, 2, 2})},
                   With(I64({2, 2}, {0, 2, 2, 1}), [](Vars v, Var i) {
                     return scatter_add(v[0], i, v[1], 1);
                   })});
  cases.push_back({"segment_sum 0",
                   {Numbers({5, 2})},
                   With(I32({5}, {2, 0, 2, -1, 7}), [](Vars v, Var i) {
                     return segment_sum(v[0], i, 3);
                   })});
  cases.push_back(
      {"segment_sum -1", {x}, With(I64({4}, {1, 1, 0, 2}), [](Vars v, Var i) {
         return segment_sum(v[0], i, 3, -1);
       })});
  cases.push_back({"embedding",
                   {Numbers({4, 3})},
                   With(I32({2, 3}, {0, 3, 3, 1, 3, 0}),
                        [](Vars v, Var i) { return embedding(v[0], i); })});
  CheckGradients(cases);
}

TEST(Gather, OutOfRangeShowsAndHarmsNothing) {
  const auto f = With(I64({4}, {1, -1, 3, std::int64_t{1} << 62}),
                      [](Vars v, Var i) { return gather(v[0], i, 0); });
  const auto r = ValueAndGrads(f, {F64({3, 2}, {1, 2, 3, 4, 5, 6})});
  const auto y = Values(r[0]);
  EXPECT_EQ(y[0], 3);
  EXPECT_EQ(y[1], 4);
  for (int i = 2; i < 8; ++i) EXPECT_TRUE(std::isnan(y[i])) << i;
  EXPECT_EQ(Values(r[1]), (std::vector<double>{0, 0, 1, 1, 0, 0}));
}

TEST(Gather, OutOfRangeWritesAreLeftOut) {
  const auto f = With(I32({4}, {0, -1, 2, 0}),
                      [](Vars v, Var i) { return segment_sum(v[0], i, 2); });
  const auto r = ValueAndGrads(f, {F64({4}, {1, 10, 100, 1000})});
  EXPECT_EQ(Values(r[0]), (std::vector<double>{1001, 0}));
  EXPECT_EQ(Values(r[1]), (std::vector<double>{1, 0, 0, 1}));
}

TEST(Gather, EveryDType) {
  const auto r = Evaluate(
      [](Tape& tape, Vars v) {
        const Var i = tape.Constant(I32({2}, {2, 9}));
        return std::vector<Var>{
            gather(v[0], i, 0), gather(v[1], i, 0), gather(v[2], i, 0)};
      },
      {I64({3}, {5, 6, 7}),
       Tensor::Of<bool>({3}, {false, false, true}),
       Tensor(DType::kF16, {3})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(Values<std::int64_t>((*r)[0]), (std::vector<std::int64_t>{7, 0}));
  EXPECT_EQ(Values<bool>((*r)[1]), (std::vector<bool>{true, false}));
  EXPECT_EQ((*r)[2].dtype(), DType::kF16);
  EXPECT_TRUE(std::isnan(static_cast<float>((*r)[2].data<Half>()[1])));
}

TEST(Gather, HalfTypesAddUpInF32) {
  Tensor x(DType::kBF16, {1000});
  for (BFloat16& v : x.data<BFloat16>()) v = BFloat16(1.0f);
  const auto f = With(Tensor(DType::kI32, {1000}),
                      [](Vars v, Var i) { return segment_sum(v[0], i, 1); });
  const auto r = ValueAndGrads(f, {x});
  ASSERT_EQ(r[0].dtype(), DType::kBF16);
  EXPECT_EQ(static_cast<float>(r[0].data<BFloat16>()[0]), 1000);
}

TEST(Gather, NothingToReadOrToWrite) {
  const auto r = Evaluate(
      [](Tape& tape, Vars v) {
        const Var none = tape.Constant(I32({0}, {}));
        const Var some = tape.Constant(I32({2}, {0, 1}));
        return std::vector<Var>{gather(v[0], none, 0),
                                gather(v[1], some, 0),
                                segment_sum(v[1], none, 2),
                                segment_sum(v[0], some, 0),
                                one_hot(none, 3),
                                one_hot(some, 0)};
      },
      {Numbers({2, 3}), Tensor(DType::kF64, {0, 3})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[0].shape(), Shape({0, 3}));
  EXPECT_TRUE(std::isnan(Values((*r)[1])[5]));
  EXPECT_EQ(Values((*r)[2]), (std::vector<double>(6, 0.0)));
  EXPECT_EQ((*r)[3].shape(), Shape({0, 3}));
  EXPECT_EQ((*r)[4].shape(), Shape({0, 3}));
  EXPECT_EQ((*r)[5].shape(), Shape({2, 0}));
}

TEST(OneHot, RowsOfOneOrNone) {
  const auto r = Evaluate(
      [](Tape&, Vars v) {
        return std::vector<Var>{one_hot(v[0], 3),
                                one_hot(v[0], 2, DType::kF64)};
      },
      {I64({2, 2}, {0, 2, -1, 3})});
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ((*r)[0].shape(), Shape({2, 2, 3}));
  EXPECT_EQ(Values<float>((*r)[0]),
            (std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(Values((*r)[1]), (std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0}));
}

// The table is shared by the ranks, its readers are not: the gradient is the
// sum over both.
TEST(Embedding, GradientsOfRanksAddUp) {
  const auto results =
      OnRanks({I32({2}, {0, 1}), I32({2}, {1, 1})}, [](Tape& tape, Var ids) {
        const Var table = tape.Constant(F64({3, 1}, {1, 2, 3}));
        const Var wrt[] = {table};
        return std::vector<Var>{Gradients(sum(embedding(table, ids)), wrt)[0]};
      });
  for (const auto& r : results) {
    EXPECT_EQ(Values(r[0]), (std::vector<double>{1, 3, 0}));
  }
}

TEST(Gather, ErrorsSayWhatWasExpected) {
  using F = std::function<Var(Tape&, Var)>;
  const auto ids = [](Tape& tape) {
    return tape.Constant(I32({3}, {0, 1, 1}));
  };
  const std::pair<F, std::string> cases[] = {
      {[&](Tape& t, Var x) { return gather(x, ids(t), 2); },
       "gather: axis 2 is not an axis of shape (2, 3)"},
      {[](Tape&, Var x) { return gather(x, x, 0); },
       "expected indices of i32 or i64, got f64"},
      {[&](Tape& t, Var x) { return segment_sum(x, ids(t), 3, 0); },
       "expected ids of shape (2) for axis 0 of shape (2, 3)"},
      {[&](Tape& t, Var x) { return segment_sum(x, ids(t), -1, 1); },
       "0 or more segments, got (3) and -1"},
      {[&](Tape& t, Var x) { return scatter_add(x, ids(t), x, 0); },
       "expected shape (3) of the indices at axis 0 of (2, 3)"},
      {[&](Tape& t, Var x) {
         return scatter_add(x, ids(t), cast(x, DType::kF32), 1);
       },
       "expected updates of f64, got f32"},
      {[&](Tape& t, Var x) {
         return scatter_add(x, ids(t), reshape(x, {1, 3, 2}), 1);
       },
       "do not fit shape (2, 3)"},
      {[&](Tape& t, Var) { return one_hot(ids(t), -1); },
       "depth of 0 or more, got -1"},
      {[&](Tape& t, Var) { return one_hot(ids(t), std::int64_t{1} << 60); },
       "more than 2^48 elements"},
      {[](Tape&, Var x) { return one_hot(x, 3); }, "got f64"},
      {[&](Tape& t, Var x) { return embedding(sum(x, {0}), ids(t)); },
       "expected a table of shape (rows, width), got (3)"},
      {[](Tape& t, Var x) {
         return gather(
             x,
             t.Constant(Tensor(DType::kI32, Shape({1, 1, 1, 1, 1, 1, 1, 1}))),
             0);
       },
       "9 axes"}};
  for (const auto& [f, text] : cases) {
    const std::string error = TraceError(
        [f = f](Tape& t, Vars v) { return std::vector<Var>{f(t, v[0])}; },
        {Numbers({2, 3})});
    EXPECT_NE(error.find(text), std::string::npos) << error;
    EXPECT_NE(error.find("gather_test.cc"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
