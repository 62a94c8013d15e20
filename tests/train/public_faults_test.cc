// Twelve faults that other systems had, by their public reports; each test
// prints what it got beside what is right. The inputs and the words are ours.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <sstream>
#include <vector>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/half.h"
#include "gyre/core/hash.h"
#include "gyre/models/batch_norm.h"
#include "gyre/models/layers.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/norm.h"
#include "gyre/train/checkpoint/checkpoint.h"
#include "gyre/train/records/findings.h"
#include "gyre/train/step/part_exchange.h"
#include "gyre/train/step/stress_loss.h"
#include "gyre/train/step/train_state.h"
#include "tests/optim/flat_world.h"
#include "tests/support/backends.h"
#include "tests/support/special_numbers.h"
#include "tests/support/temp_dir.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using optim::Action;
using optim::Chain;
using optim::FlatWorld;
using optim::Guard;
using optim::MakeLayout;
using optim::ScaleByLearningRate;
using optim::Verdict;
using testing::HasSubstr;

// Prints the pair, and fails if they differ.
template <class A, class B>
void Show(const char* number, const char* what, const A& got, const B& right) {
  std::ostringstream g, r;
  g << got;
  r << right;
  std::printf("%-4s %-48s got %s\n%-53s right %s\n",
              number,
              what,
              g.str().c_str(),
              "",
              r.str().c_str());
  EXPECT_EQ(g.str(), r.str()) << number << " " << what;
}

// The sum of squares of finite gradients overflows f32.
TEST(PublicFaults, D1) {
  FlatWorld w(MakeLayout({{100}}),
              Chain(Guard{.max_norm = 1}, ScaleByLearningRate{1}));
  for (int i = 0; i < 100; ++i) w.grads()[i] = 1e20f;
  Verdict v;
  ASSERT_TRUE(w.Step(1, &v).ok());
  Show("D1", "norm of 100 gradients of 1e20", v.norm / 1e21 < 1.000001, true);
  Show("D1", "each after the clip to 1", -w.params()[42], 0.1f);
  for (int i = 0; i < 100; ++i) w.grads()[i] = i == 7 ? kInf : 1e20f;
  ASSERT_TRUE(w.Step(1, &v).ok());
  Show("D1",
       "with one Inf",
       v.Describe(w.layout()),
       "skip: rank 0: 1 bad gradient element, first in t0");
  Show("D1", "the parameter after it", -w.params()[42], 0.1f);
}

// "Gives up and accepts" after the budget.
TEST(PublicFaults, D2) {
  FlatWorld w(MakeLayout({{3}}),
              Chain(Guard{.max_consecutive_skips = 2}, optim::Adam(0.1)));
  Verdict v;
  Status last;
  for (int step = 0; step < 3; ++step) {
    w.grads()[1] = kNan;
    last = w.Step(1, &v);
  }
  Show("D2", "the third NaN step in a row, budget 2", last.ok(), false);
  Show("D2", "steps applied", w.guard_state().applied, 0);
  Show("D2", "steps counted", w.guard_state().attempted, 3);
  Show("D2", "parameters that are not finite", w.CountBad(), 0);
}

// Runs `steps` steps on processes. A child cannot write into the test's memory:
// its message carries what it saw.
std::vector<ForkOutcome> RunForked(int ranks,
                                   const LineOptions& options,
                                   int steps) {
  ForkWorld world(ranks);
  world.Start([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    std::string said;
    for (int i = 0; i < steps; ++i) {
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      GYRE_RETURN_IF_ERROR(report.outcome);
      for (const optim::RankFinding& f : report.verdict.ranks) {
        said += Cat("bad rank ", f.rank, " at step ", report.step, "; ");
      }
      said += Cat(HexHash(report.verdict.id), " ");
    }
    const auto all = step->state().front().all();
    return GuardError(said,
                      "applied ",
                      step->state().guard().applied,
                      ", state ",
                      HexHash(Hash64(all.data(), all.size_bytes())));
  });
  return world.Wait();
}

// Only rank 1's part has the Inf; rank 0 must not step.
TEST(PublicFaults, D3) {
  LineOptions options;
  options.inject = "inf_grad@rank=1,step=1";
  const auto ends = RunForked(2, options, 3);
  Show("D3", "rank 0 skipped too", ends[0].message, ends[1].message);
  EXPECT_THAT(ends[0].message, HasSubstr("applied 2"));
  EXPECT_THAT(ends[0].message, HasSubstr("bad rank 1 at step 1"));
}

// The loss of one rank of four is NaN; one of 500 is only large.
TEST(PublicFaults, D4) {
  LineOptions options;
  options.inject = "nan_act@rank=2,step=1";
  const auto ends = RunForked(4, options, 2);
  for (int rank = 1; rank < 4; ++rank) {
    Show("D4", "all ranks say the same", ends[rank].message, ends[0].message);
  }
  EXPECT_THAT(ends[0].message, HasSubstr("applied 1"));
  LocalWorld world(4);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    for (int i = 0; i < 2; ++i) {
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      if (i == 0) continue;
      GYRE_ASSIGN_OR_RETURN(const auto found,
                            GatherFindings(*step, report, source));
      if (comm.rank() != 0) continue;
      Show("D4", "ranks named", found.size(), 1);
      Show("D4", "the rank named", found[0].rank, 2);
      Show("D4",
           "its samples named",
           found[0].samples == source.SampleIds(1, 2),
           true);
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

// To halt on one rank must not leave the other in a collective.
TEST(PublicFaults, D5) {
  LineOptions options;
  options.guard.policy = optim::Policy::kHalt;
  options.inject = "nan_grad@rank=1,step=1";
  const auto ends = RunForked(2, options, 5);
  Show("D5", "both say the same", ends[0].message, ends[1].message);
  Show("D5", "exit codes", ends[0].exit_code, ends[1].exit_code);
  EXPECT_THAT(ends[0].message, HasSubstr("halts the run at step 1"));
  EXPECT_THAT(ends[0].message, HasSubstr("rank 1"));
  // No deadline was waited for: those are 20 s.
  EXPECT_LT(ends[0].seconds, 15);
}

// Every gradient infinite: nothing said, the learning rate moves.
TEST(PublicFaults, D6) {
  FlatWorld w(MakeLayout({{6}}),
              Chain(Guard{.max_consecutive_skips = 4},
                    optim::Adam(optim::Linear{0, 1, 10})));
  Verdict v;
  int skips = 0;
  Status last;
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < 6; ++i) w.grads()[i] = kInf;
    last = w.Step(1, &v);
    if (v.action == Action::kSkip) ++skips;
  }
  Show("D6", "skips told in 5 steps", skips, 5);
  Show("D6",
       "learning rate after them",
       w.optimizer().LearningRate(w.guard_state().applied),
       0);
  Show("D6", "the budget of 4 is spent", last.ok(), false);
}

// One NaN blinds a detector, or makes it cry for ever.
TEST(PublicFaults, D7) {
  FlatWorld w(MakeLayout({{2}}),
              Chain(Guard{.spike = {.action = optim::SpikeAction::kSkip,
                                    .window = 128}},
                    ScaleByLearningRate{1e-3}));
  int skips = 0, spikes = 0, spike_step = -1;
  for (int step = 0; step < 600; ++step) {
    const double healthy = 1 + 0.1 * std::sin(step);
    w.grads()[0] = static_cast<float>(step == 200   ? kNan
                                      : step == 400 ? 500
                                                    : healthy);
    Verdict v;
    ASSERT_TRUE(w.Step(1, &v).ok());
    if (v.reasons & optim::kReasonSpike) {
      ++spikes;
      spike_step = step;
    } else if (!v.applies()) {
      ++skips;
    }
  }
  Show("D7", "skips after one NaN in 600 steps", skips, 1);
  Show("D7", "spikes found", spikes, 1);
  Show("D7", "at step", spike_step, 400);
}

// Running statistics of an overflowing batch, though the step is skipped.
TEST(PublicFaults, D8) {
  LocalWorld world(1);
  const Status status = world.Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    LineSource source(0, 1);
    GYRE_ASSIGN_OR_RETURN(SampleBatch batch, source.Load(0));
    GYRE_ASSIGN_OR_RETURN(
        const auto step,
        TrainStep::Compile(
            {.mesh = mesh,
             .model =
                 [](Params& p, const BatchVars& b) {
                   return linear(p, "y", batch_norm(p, "n", b["x"]), 1);
                 },
             .loss = [](Var pred,
                        const BatchVars& b) { return mse(pred, b["y"]); },
             .optimizer = Chain(Guard{}, optim::Adam(0.1)),
             .example = batch}));
    GYRE_RETURN_IF_ERROR(step->Run(batch).status());
    GYRE_ASSIGN_OR_RETURN(const Tensor before, step->state().Buffer("n.mean"));
    batch.tensors["x"] = batch.tensors["x"].Clone();
    batch.tensors["x"].data<float>()[3] = 3e38f;
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    GYRE_ASSIGN_OR_RETURN(const Tensor after, step->state().Buffer("n.mean"));
    Show("D8", "the overflowing step is applied", report.applied, false);
    Show("D8", "running mean", after.data<float>()[0], before.data<float>()[0]);
    Show("D8", "of the other", after.data<float>()[1], before.data<float>()[1]);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

// The square of 300 is no f16.
TEST(PublicFaults, D9) {
  const Half gradient(300.0f);
  FlatWorld w(MakeLayout({{1}}),
              Chain(Guard{.max_norm = 1}, ScaleByLearningRate{1}));
  w.grads()[0] = static_cast<float>(gradient);
  Verdict v;
  ASSERT_TRUE(w.Step(1, &v).ok());
  Show("D9", "norm of an f16 gradient of 300", v.norm, 300);
  Show("D9", "after the clip to 1", -w.params()[0], 1);
}

// Maximum and minimum that drop a NaN, or keep it by its place.
TEST(PublicFaults, D10) {
  for (const char* backend : {"local", "shm"}) {
    for (int place = 0; place < 4; ++place) {
      const Status status = RunOn(backend, 4, [&](Communicator& comm) {
        const float healthy[] = {1, 2, 3, 4};
        const float mine = comm.rank() == place ? kNan : healthy[comm.rank()];
        for (const ReduceOp op : {ReduceOp::kMax, ReduceOp::kMin}) {
          float out = 0;
          GYRE_RETURN_IF_ERROR(comm.AllReduce(
              &mine, &out, 1, DType::kF32, op, {.label = "D10"}));
          if (!std::isnan(out)) return InternalError(Name(op), " ", out);
        }
        return OkStatus();
      });
      Show("D10",
           Cat("max and min with NaN on rank ", place, ", ", backend).c_str(),
           status.ok() ? "NaN" : Message(status),
           "NaN");
    }
  }
}

// A mask after the square: the gradient is NaN though the loss is not.
TEST(PublicFaults, D11) {
  Tape tape;
  const Var pred = tape.Input("pred", {{2}, DType::kF32, 0});
  const Var target = tape.Input("target", {{2}, DType::kF32, 0});
  const Var valid = tape.Input("valid", {{2}, DType::kF32, 0});
  const Var loss = weighted_mse(pred, target, valid);
  const std::vector<Var> grads = Gradients(loss, {&pred, 1});
  const auto plan = Plan::Compile(tape, std::vector<Var>{loss, grads[0]});
  ASSERT_TRUE(plan.ok()) << Message(plan.status());
  auto executor = *Executor::Create(*plan);
  float p[] = {0, 0}, t[] = {kNan, 0}, v[] = {0, 1};
  float* const inputs[] = {p, t, v};
  for (int i = 0; i < 3; ++i) executor->Bind(i, inputs[i]);
  ASSERT_TRUE(executor->Run({}).ok());
  Show("D11", "weighted_mse", *executor->Result<float>(0), 0);
  const float* gradient = executor->Result<float>(1);
  Show("D11", "its gradient where the target is NaN", gradient[0], 0);
  Show("D11", "and where it is not", gradient[1], 0);

  const int line = __LINE__ + 3;
  const auto findings = StressLoss(
      [](Var pred, const BatchVars& b) {
        return mean(select(b["valid"] != 0, square(pred - b["y"]), 0.0));
      },
      {{"pred", {2}, InputRole::kPrediction},
       {"y", {2}, InputRole::kTarget},
       {"valid", {2}, InputRole::kMask}});
  ASSERT_TRUE(findings.ok()) << Message(findings.status());
  std::string named = "nothing";
  for (const LossFinding& f : *findings) {
    if (f.input_case != "NaN target where the mask is 0") continue;
    named = Cat(f.backward ? "gradient" : "loss", " at ", f.loc.ToString());
    break;
  }
  Show("D11",
       "mask after square: what is named before training",
       named,
       Cat("gradient at public_faults_test.cc:", line));
}

// A loss scale that is not saved begins anew, too large.
TEST(PublicFaults, D12) {
  const TempDir temp;
  const LineOptions options{
      .guard = {.loss_scale = {.initial = 1024, .growth_interval = 20}},
      .inject = "inf_grad@rank=0,step=0;inf_grad@rank=0,step=1",
      .compute = DType::kF16};
  const Status status = LocalWorld(1).Run([&](Communicator& comm) -> Status {
    LineSource source(0, 1);
    const auto run = [&](TrainStep& step, int until) -> Status {
      while (step.next_step() < until) {
        GYRE_ASSIGN_OR_RETURN(const SampleBatch batch,
                              source.Load(step.next_step()));
        GYRE_RETURN_IF_ERROR(step.Run(batch).status());
      }
      return OkStatus();
    };
    GYRE_ASSIGN_OR_RETURN(const auto whole, MakeLineStep(comm, options));
    GYRE_ASSIGN_OR_RETURN(const auto resumed, MakeLineStep(comm, options));
    GYRE_RETURN_IF_ERROR(run(*whole, 9));
    GYRE_ASSIGN_OR_RETURN(const RunDirectory dir,
                          RunDirectory::Create(temp.path() + "/run"));
    GYRE_RETURN_IF_ERROR(SaveCheckpoint(*whole, dir).status());
    GYRE_RETURN_IF_ERROR(LoadCheckpoint(dir.path(), *resumed));
    const optim::LossScaleState& scale = resumed->state().guard().loss_scale;
    Show("D12", "the loss scale after resuming", scale.scale, 256);
    Show("D12", "its growth counter", scale.good_steps, 7);
    Show("D12", "the next step", resumed->next_step(), 9);
    GYRE_RETURN_IF_ERROR(run(*whole, 19));
    GYRE_RETURN_IF_ERROR(run(*resumed, 19));
    Show("D12",
         "parameters after 10 more steps",
         HexHash(HashState(resumed->state()).common),
         HexHash(HashState(whole->state()).common));
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

}  // namespace
}  // namespace gyre::internal::inline tests
