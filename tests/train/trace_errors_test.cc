// What is said of a program at its trace, before a step is run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/ops/pointwise.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/models/layers.h"
#include "gyre/train/step/stress_loss.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kKept[] =
    "this Var belongs to another trace (a static or captured Var?)";

// What Compile says of this model and loss on a mesh of threads, by rank; ""
// for nothing.
std::vector<std::string> ErrorsByRank(int ranks,
                                      const ModelFunction& model,
                                      const LossFunction& loss,
                                      DType data = DType::kF32) {
  std::vector<std::string> errors(ranks);
  const Status status = LocalWorld(ranks).Run([&](Communicator& comm) {
    const auto mesh = Mesh::Create(comm, {{"data", -1}});
    const TrainSpec spec = {
        .mesh = *mesh,
        .model = model,
        .loss = loss,
        .optimizer = optim::Chain(optim::Guard{}, optim::Adam(1e-2)),
        .example = {{{"x", Tensor(data, {16, 2})},
                     {"y", Tensor::Zeros({16})},
                     {"z", Tensor::Zeros({16, 1})}},
                    {}},
    };
    const auto step = TrainStep::Compile(spec);
    if (!step.ok()) errors[comm.rank()] = Message(step.status());
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return errors;
}

std::string ErrorOfTrace(const ModelFunction& model,
                         const LossFunction& loss,
                         DType data = DType::kF32) {
  return ErrorsByRank(1, model, loss, data)[0];
}

Var Line(Params& p, const BatchVars& b) { return Mlp{{1}}(p, b["x"]); }
Var Distance(Var pred, const BatchVars& b) { return mse(pred, b["z"]); }

// The same, and what it warned of.
std::string Warnings(int ranks,
                     const ModelFunction& model,
                     const LossFunction& loss) {
  testing::internal::CaptureStderr();
  for (const std::string& error : ErrorsByRank(ranks, model, loss)) {
    EXPECT_EQ(error, "");
  }
  return testing::internal::GetCapturedStderr();
}

TEST(TraceErrors, ARightProgramIsNotCommentedOn) {
  EXPECT_EQ(Warnings(2, Line, Distance), "");
}

TEST(TraceErrors, ALossThatReachesNoParameterIsAnErrorAtItsLine) {
  int line = 0;
  const auto without = ErrorOfTrace(Line, [&](Var, const BatchVars& b) {
    line = __LINE__ + 1;
    return mean(square(b["z"]));
  });
  EXPECT_THAT(without,
              StartsWith(Cat("trace_errors_test.cc:",
                             line,
                             ": the loss does not depend on any parameter")));
  const auto stopped = ErrorOfTrace(Line, [&](Var pred, const BatchVars& b) {
    line = __LINE__ + 1;
    return mse(stop_gradient(pred), b["z"]);
  });
  EXPECT_THAT(stopped, StartsWith(Cat("trace_errors_test.cc:", line, ": ")));
  const auto compared = ErrorOfTrace(Line, [](Var pred, const BatchVars& b) {
    return mean(cast(pred > b["z"], DType::kF32));
  });
  EXPECT_THAT(compared, HasSubstr("does not depend on any parameter"));
}

TEST(TraceErrors, AParameterThatTheLossDoesNotReachIsNamedOnce) {
  const std::string text = Warnings(
      4,
      [](Params& p, const BatchVars& b) {
        p.Get("unused", {3}, Ones());
        return Line(p, b);
      },
      Distance);
  EXPECT_THAT(text,
              AllOf(HasSubstr("warning: the loss does not depend on parameter "
                              "\"unused\" (trace_errors_test.cc:"),
                    Not(HasSubstr("layer0"))));
  EXPECT_EQ(text.find("unused"), text.rfind("unused")) << text;
}

TEST(TraceErrors, ABroadcastOfPredictionAndTargetIsAnError) {
  int line = 0;
  const LossFunction wrong[] = {
      [&](Var pred, const BatchVars& b) {
        line = __LINE__ + 1;
        return mean(square(pred - b["y"]));
      },
      [&](Var pred, const BatchVars& b) {
        line = __LINE__ + 1;
        return mean(pointwise(Huber{}, pred, b["y"]));
      },
      [&](Var pred, const BatchVars& b) {
        line = __LINE__ + 1;
        return mse(exp(pred), log(b["y"]));
      },
      [&](Var pred, const BatchVars& b) {
        line = __LINE__ + 1;
        return mean(square(pred - b["z"]) * b["y"]);
      },
  };
  for (const LossFunction& loss : wrong) {
    for (const std::string& error : ErrorsByRank(2, Line, loss)) {
      EXPECT_THAT(error, StartsWith(Cat("trace_errors_test.cc:", line, ": ")));
      EXPECT_THAT(error,
                  HasSubstr("broadcasts (16, 1) and (16) to (16, 16); write "
                            "expand_dims or broadcast_to if it is meant"));
    }
  }
  // Of one rank it is meant.
  EXPECT_EQ(ErrorOfTrace(Line,
                         [](Var pred, const BatchVars& b) {
                           return mean(square(pred - reshape(b["y"], {1, 16})));
                         }),
            "");
}

TEST(TraceErrors, AnotherBroadcastOfUnequalRanksIsAWarningALine) {
  const std::string text = Warnings(2, Line, [](Var pred, const BatchVars& b) {
    Var total = mse(pred, b["z"]);
    for (int i = 0; i < 3; ++i) total = total + mean(b["z"] * b["y"]);
    return total;
  });
  EXPECT_THAT(text, HasSubstr("mul broadcasts (16, 1) and (16) to (16, 16)"));
  EXPECT_EQ(text.find("broadcasts"), text.rfind("broadcasts")) << text;
}

TEST(TraceErrors, ABiasIsNoSuchBroadcast) {
  EXPECT_EQ(Warnings(
                1,
                [](Params& p, const BatchVars& b) {
                  return Line(p, b) + p.Get("bias", {1}, Zeros());
                },
                Distance),
            "");
}

TEST(TraceErrors, StressLossSeesTheBroadcast) {
  const auto found = StressLoss(
      [](Var pred, const BatchVars& b) { return mean(square(pred - b["y"])); },
      {{"pred", {8, 1}, InputRole::kPrediction},
       {"y", {8}, InputRole::kTarget}});
  EXPECT_THAT(Message(found.status()),
              HasSubstr("sub broadcasts (8, 1) and (8) to (8, 8)"));
}

// A step is compiled, and its batch's mean kept for the next one.
TEST(TraceErrors, AVarKeptFromAnEarlierTraceIsAnErrorAtItsLine) {
  std::optional<Var> kept;
  int line = 0;
  const LossFunction loss = [&](Var pred, const BatchVars& b) {
    if (!kept.has_value()) kept = mean(b["z"]);
    line = __LINE__ + 1;
    return mean(square(pred - b["z"]) * *kept);
  };
  EXPECT_EQ(ErrorOfTrace(Line, loss), "");
  EXPECT_THAT(ErrorOfTrace(Line, loss),
              StartsWith(Cat("trace_errors_test.cc:", line, ": ", kKept)));
}

// One rank makes it, and the others of the process find it.
TEST(TraceErrors, AStaticVarIsAnErrorOfAllRanksButOne) {
  for (const int ranks : {1, 2, 4}) {
    std::optional<Var> shared;
    std::once_flag once;
    const auto errors =
        ErrorsByRank(ranks, Line, [&](Var pred, const BatchVars& b) {
          std::call_once(once, [&] { shared = mean(b["z"]); });
          return mean(square(pred - b["z"])) * square(*shared);
        });
    int told = 0;
    for (const std::string& error : errors) {
      if (error.find(kKept) != std::string::npos) ++told;
    }
    EXPECT_EQ(told, ranks - 1) << ranks;
  }
}

TEST(TraceErrors, AKeptVarIsFoundInResultsBuffersAndParameters) {
  std::optional<Var> kept;
  std::optional<Params> params;
  std::optional<BatchVars> batch;
  EXPECT_EQ(ErrorOfTrace(
                [&](Params& p, const BatchVars& b) {
                  kept = Line(p, b);
                  params = p;
                  batch = b;
                  return *kept;
                },
                Distance),
            "");
  const auto buffer = [&](Params& p, const BatchVars& b) {
    p.GetBuffer("m", {}, Zeros());
    p.SetBuffer("m", *kept);
    return Line(p, b);
  };
  const auto kept_loss = [&](Var, const BatchVars&) { return *kept; };
  const std::pair<ModelFunction, LossFunction> programs[] = {
      {[&](Params&, const BatchVars&) { return *kept; }, Distance},
      {Line, kept_loss},
      {[&](Params& p, const BatchVars&) { return linear(p, "l", *kept, 2); },
       Distance},
      {buffer, Distance},
      {[&](Params&, const BatchVars& b) { return Line(*params, b); }, Distance},
      {[&](Params& p, const BatchVars&) { return Line(p, *batch); }, Distance},
  };
  int number = 0;
  for (const auto& [model, loss] : programs) {
    const std::string error = ErrorOfTrace(model, loss);
    EXPECT_THAT(error, HasSubstr(kKept)) << number;
    // What a function returns has no line.
    if (number++ < 2) continue;
    EXPECT_THAT(error, StartsWith("trace_errors_test.cc:")) << number;
  }
}

TEST(TraceErrors, AFunctionThatReturnsNothingIsNamed) {
  const auto none = [](auto&&...) { return Var(); };
  EXPECT_EQ(ErrorOfTrace(none, Distance),
            "the model function returned no value");
  EXPECT_EQ(ErrorOfTrace(Line, none), "the loss function returned no value");
  int line = 0;
  const auto sum = ErrorOfTrace(Line, [&](Var pred, const BatchVars&) {
    Var total;
    line = __LINE__ + 1;
    total = total + mean(pred);
    return total;
  });
  EXPECT_THAT(
      sum,
      StartsWith(Cat(
          "operand 1 of + at trace_errors_test.cc:", line, " has no value")));
}

TEST(TraceErrors, ALossThatIsNoScalarHasALine) {
  int line = 0;
  const auto error = ErrorOfTrace(Line, [&](Var pred, const BatchVars& b) {
    line = __LINE__ + 1;
    return square(pred - b["z"]);
  });
  EXPECT_THAT(
      error,
      StartsWith(Cat(
          "trace_errors_test.cc:", line, ": the loss must be an f32 scalar")));
}

TEST(TraceErrors, DataOfF64IsSaidByTheTensorsName) {
  EXPECT_THAT(ErrorOfTrace(Line, Distance, DType::kF64),
              AllOf(StartsWith("trace_errors_test.cc:"),
                    HasSubstr("batch tensor \"x\" is f64: make it f32")));
  // Cast by the program, it is welcome.
  EXPECT_EQ(ErrorOfTrace(
                [](Params& p, const BatchVars& b) {
                  return Mlp{{1}}(p, cast(b["x"], DType::kF32));
                },
                Distance,
                DType::kF64),
            "");
}

// README's form: what has lines stands before the macro.
Status CompileAsInTheReadme(const Mesh& mesh, int& line) {
  const TrainSpec spec = {
      .mesh = mesh,
      .model = Line,
      .loss =
          [&](Var pred, const BatchVars& b) {
            line = __LINE__ + 1;
            return mean(square(pred - b["missing"]));
          },
      .optimizer = optim::Chain(optim::Guard{}, optim::Adam(1e-2)),
      .example = {{{"x", Tensor::Zeros({4, 2})}}, {}},
  };
  GYRE_ASSIGN_OR_RETURN(const auto step, TrainStep::Compile(spec));
  return InternalError("compiled ", step->plans_compiled());
}

TEST(TraceErrors, AFaultInLineNIsToldAsLineN) {
  const Status status = LocalWorld(1).Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    int line = 0;
    const std::string error = Message(CompileAsInTheReadme(mesh, line));
    EXPECT_THAT(
        error,
        StartsWith(Cat("trace_errors_test.cc:", line, ": batch: no tensor")));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace gyre::internal::inline tests
