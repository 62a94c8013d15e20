#include "gyre/autodiff/plan/jit_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "gyre/autodiff/ops/elementwise.h"
#include "tests/support/evaluate.h"

namespace gyre::internal::inline tests {
namespace {

using ::testing::HasSubstr;

class JitSwitchTest : public ::testing::Test {
 protected:
  static void Set(const char* value) { setenv("GYRE_JIT", value, 1); }
  void SetUp() override {
    const char* value = std::getenv("GYRE_JIT");
    was_set_ = value != nullptr;
    if (was_set_) before_ = value;
    unsetenv("GYRE_JIT");
  }
  void TearDown() override {
    if (was_set_) {
      Set(before_.c_str());
    } else {
      unsetenv("GYRE_JIT");
    }
  }

 private:
  bool was_set_ = false;
  std::string before_;
};

TEST_F(JitSwitchTest, ReadsTheEnvironment) {
  EXPECT_EQ(JitSwitch().value(), true);
  Set("");
  EXPECT_EQ(JitSwitch().value(), true);
  Set("1");
  EXPECT_EQ(JitSwitch().value(), true);
  Set("0");
  EXPECT_EQ(JitSwitch().value(), false);
  for (const char* bad : {"off", "2", " 0", "00"}) {
    Set(bad);
    ASSERT_FALSE(JitSwitch().ok()) << bad;
    EXPECT_THAT(std::string(Message(JitSwitch().status())),
                HasSubstr("GYRE_JIT"));
  }
}

// A chain that code is generated for, and its text.
struct Compiled {
  bool generates;
  std::string text;
  Tensor result;
};

Compiled Evaluated(const PlanOptions& options) {
  Tape tape;
  Tensor in = Tensor::Zeros({100});
  for (int i = 0; i < 100; ++i) in.data<float>()[i] = 0.1f * (i - 50);
  const Var x = tape.Input("x", {{100}, DType::kF32, 0});
  const Var results[] = {tanh(x * 2.0) + exp(-x) * x};
  const auto plan = Plan::Compile(tape, results, options).value();
  auto executor = Executor::Create(plan).value();
  executor->Bind(0, in.raw());
  EXPECT_TRUE(executor->Run({}).ok());
  return {plan->options().generates_code(),
          plan->Explain(),
          executor->ResultTensor(0)};
}

TEST_F(JitSwitchTest, OffInterpretsToTheSameBits) {
  const Compiled on = Evaluated({});
  EXPECT_EQ(on.generates, JitAvailable());
  const Compiled by_option = Evaluated({.jit = false});
  Set("0");
  const Compiled by_environment = Evaluated({});
  for (const Compiled& off : {by_option, by_environment}) {
    EXPECT_FALSE(off.generates);
    EXPECT_EQ(std::memcmp(off.result.raw(), on.result.raw(), on.result.bytes()),
              0);
  }
  EXPECT_EQ(by_option.text, by_environment.text);
  EXPECT_EQ(by_option.text == on.text, !JitAvailable());
}

TEST_F(JitSwitchTest, APlanIsNotMadeByAWordItDoesNotKnow) {
  Set("maybe");
  EXPECT_THAT(TraceError(
                  [](Tape&, std::span<const Var> x) {
                    return std::vector<Var>{x[0] * 2.0};
                  },
                  {Tensor::Zeros({3})}),
              HasSubstr("got \"maybe\""));
}

}  // namespace
}  // namespace gyre::internal::inline tests
