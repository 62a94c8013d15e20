#include "gyre/models/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace gyre::internal::inline tests {
namespace {

TEST(Params, ValuesDependOnSeedAndNameAlone) {
  const auto first = [](std::uint64_t seed, bool other_before) {
    Tape tape;
    Params params(tape, seed, 0);
    if (other_before) params.Get("other", {3}, Normal(1));
    params.Scope("layer").Get("w", {64}, Normal(1));
    return params.all().back().initial.data<float>()[7];
  };
  EXPECT_EQ(first(1, false), first(1, true));
  EXPECT_NE(first(1, false), first(2, false));
}

TEST(Params, ScopesMakeLongNamesAndAskingTwiceGivesTheSame) {
  Tape tape;
  Params params(tape, 1, 0);
  Params layer = params.Scope("a").Scope("b");
  const Var w = layer.Get("w", {2, 3}, Ones());
  EXPECT_EQ(layer.Get("w", {2, 3}, Ones()).id(), w.id());
  ASSERT_EQ(params.all().size(), 1u);
  EXPECT_EQ(params.all()[0].name, "a.b.w");
}

TEST(Params, AnotherShapeIsAnErrorOfTheTrace) {
  Tape tape;
  Params params(tape, 1, 0);
  params.Get("w", {2, 3}, Ones());
  EXPECT_FALSE(params.Get("w", {3, 2}, Ones()).valid());
  EXPECT_THAT(Message(tape.FirstError()),
              testing::HasSubstr("has shape (2, 3) and is asked for as "
                                 "(3, 2)"));
}

TEST(Params, ModelsSeeParametersThatVaryWithTheBatch) {
  Tape tape;
  Params params(tape, 1, 1);
  EXPECT_EQ(params.Get("w", {2}, Zeros()).varies(), 1u);
  EXPECT_EQ(params.all()[0].input.varies(), 0u);
}

TEST(Params, InitialisersHaveTheirVariance) {
  Tape tape;
  Params params(tape, 1, 0);
  params.Get("lecun", {100, 100}, LecunNormal(25));
  params.Get("he", {100, 100}, HeNormal(25));
  const auto deviation = [&](int i) {
    double squares = 0;
    for (const float x : params.all()[i].initial.data<float>()) {
      squares += x * x;
    }
    return std::sqrt(squares / 1e4);
  };
  EXPECT_NEAR(deviation(0), std::sqrt(1 / 25.0), 0.01);
  EXPECT_NEAR(deviation(1), std::sqrt(2 / 25.0), 0.01);
}

}  // namespace
}  // namespace gyre::internal::inline tests
