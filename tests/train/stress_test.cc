// Many steps with a fault in each, over every policy, optimizer and backend:
// nothing that is not finite may reach a parameter, a moment or a buffer.

#include "gyre/train/run/stress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <vector>

#include "gyre/core/hash.h"
#include "gyre/models/batch_norm.h"
#include "gyre/models/layers.h"
#include "gyre/optim/adafactor.h"
#include "gyre/optim/clip_adaptive.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/lamb.h"
#include "gyre/optim/lion.h"
#include "gyre/optim/rmsprop.h"
#include "gyre/optim/sgd.h"
#include "gyre/train/step/train_state.h"
#include "tests/support/backends.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using optim::Chain;
using optim::Guard;
using optim::Policy;
using testing::HasSubstr;

// Short in every run; GYRE_LONG_TESTS makes 100,000 steps of all together.
bool LongTests() { return std::getenv("GYRE_LONG_TESTS") != nullptr; }

struct NamedOptimizer {
  const char* name;
  std::function<optim::AnyOptimizer(const Guard&)> make;
};

const NamedOptimizer kOptimizers[] = {
    {"AdamW + EMA",
     [](const Guard& g) {
       return Chain(g, optim::AdamW(1e-3), optim::TrackEma{.decay = 0.9});
     }},
    {"SGD", [](const Guard& g) { return Chain(g, optim::Nesterov(1e-3)); }},
    {"Lion", [](const Guard& g) { return Chain(g, optim::Lion(1e-4)); }},
    {"RMSProp", [](const Guard& g) { return Chain(g, optim::RmsProp(1e-4)); }},
    {"LAMB", [](const Guard& g) { return Chain(g, optim::Lamb(1e-3)); }},
    {"Adafactor",
     [](const Guard& g) {
       return Chain(g, optim::Adafactor(1e-3, {.min_side = 2}));
     }},
    {"AGC + SGD",
     [](const Guard& g) {
       return Chain(g, optim::ClipAdaptive{}, optim::Momentum(1e-3));
     }},
};

StatusOr<std::unique_ptr<TrainStep>> MakeStepStress(
    Communicator& comm,
    const FaultPlan& faults,
    const optim::AnyOptimizer& opt) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
  LineSource source(comm.rank(), comm.size());
  GYRE_ASSIGN_OR_RETURN(const SampleBatch example, source.Load(0));
  return TrainStep::Compile(
      {.mesh = mesh,
       .model =
           [](Params& p, const BatchVars& b) {
             const Var h = linear(p, "hidden", b["x"], 4);
             return linear(p, "head", tanh(batch_norm(p, "norm", h)), 1);
           },
       .loss = [](Var pred, const BatchVars& b) { return mse(pred, b["y"]); },
       .optimizer = opt,
       .example = example,
       .seed = 4,
       .faults = faults});
}

// Not equal to rank 0's: an error of the rank that sees it.
Status SameOnAllRanks(const TrainStep& step) {
  Communicator& world = step.mesh().world();
  const optim::GuardState& guard = step.state().guard();
  const std::span<const float> all = step.state().front().all();
  const std::int64_t mine[] = {
      static_cast<std::int64_t>(Hash64(all.data(), all.size_bytes())),
      guard.attempted,
      guard.applied};
  std::vector<std::int64_t> ranks(3 * world.size());
  GYRE_RETURN_IF_ERROR(
      world.AllGather(mine, ranks.data(), 3, DType::kI64, {.label = "test"}));
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != mine[i % 3]) return InternalError("the ranks differ");
  }
  return OkStatus();
}

// One run; every fault of the plan must be counted once.
Status Attack(Communicator& comm,
              const NamedOptimizer& optimizer,
              Policy policy,
              std::int64_t steps,
              std::uint64_t seed) {
  GYRE_ASSIGN_OR_RETURN(const FaultPlan faults,
                        FaultPlan::Parse(Cat("any_any@rate=1,seed=", seed)));
  const Guard guard{.policy = policy,
                    .max_norm = seed % 2 == 0 ? 1.0 : 1e9,
                    .max_consecutive_skips = steps,
                    .max_skip_fraction = 1};
  GYRE_ASSIGN_OR_RETURN(const auto step,
                        MakeStepStress(comm, faults, optimizer.make(guard)));
  LineSource source(comm.rank(), comm.size());
  const std::span<const float> all = step->state().front().all();
  const std::vector<float> fresh(all.begin(), all.end());
  StressCount total;
  std::int64_t applied = 0;
  for (std::int64_t left = steps; left > 0;) {
    GYRE_ASSIGN_OR_RETURN(
        const StressReport report,
        Stress(*step, source, std::min<std::int64_t>(left, 25)));
    if (report.escapes > 0) {
      return InternalError(
          optimizer.name, ", ", optim::NameOf(policy), ":\n", report.Table());
    }
    total.Add(report.Total());
    applied += report.applied;
    left -= report.steps;
    GYRE_RETURN_IF_ERROR(SameOnAllRanks(*step));
    // From the start again: a weight of 1e27 is finite and may stand, but no
    // step after it would try anything new.
    optim::GuardState state = step->state().guard();
    state.halted = false;
    step->state().Restore(fresh, state, step->next_step());
  }
  const std::int64_t found = total.local + total.reduced + total.update;
  if (total.injected != steps || found + total.harmless != steps ||
      found < steps / 3 || applied < steps / 20) {
    return InternalError(optimizer.name,
                         ", ",
                         optim::NameOf(policy),
                         ": ",
                         total.injected,
                         " injected, ",
                         found,
                         " found, ",
                         total.harmless,
                         " harmless, ",
                         applied,
                         " applied of ",
                         steps);
  }
  return OkStatus();
}

void AttackAll(const std::string& backend, std::int64_t all_steps) {
  constexpr Policy kPolicies[] = {
      Policy::kSkip, Policy::kZero, Policy::kDropRank, Policy::kHalt};
  const std::int64_t steps =
      all_steps / static_cast<std::int64_t>(std::size(kOptimizers) * 4);
  const Status status = RunOn(backend, 2, [&](Communicator& comm) -> Status {
    std::uint64_t seed = 0;
    for (const NamedOptimizer& optimizer : kOptimizers) {
      for (const Policy policy : kPolicies) {
        GYRE_RETURN_IF_ERROR(Attack(comm, optimizer, policy, steps, ++seed));
      }
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(Stress, NothingEscapesOnThreads) {
  AttackAll("local", LongTests() ? 50'400 : 1'400);
}
TEST(Stress, NothingEscapesOnProcesses) {
  AttackAll("shm", LongTests() ? 50'400 : 1'400);
}

StressReport RunWith(const std::string& inject, Policy policy, int steps) {
  StressReport report;
  const Status status = LocalWorld(2).Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const FaultPlan faults, FaultPlan::Parse(inject));
    const Guard guard{.policy = policy,
                      .max_norm = 1,
                      .max_consecutive_skips = steps,
                      .max_skip_fraction = 1};
    GYRE_ASSIGN_OR_RETURN(
        const auto step,
        MakeStepStress(comm, faults, kOptimizers[0].make(guard)));
    LineSource source(comm.rank(), comm.size());
    GYRE_ASSIGN_OR_RETURN(const StressReport mine,
                          Stress(*step, source, steps));
    if (comm.rank() == 0) report = mine;
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  return report;
}

// The half that finds a fault is the one behind the place where it enters.
TEST(Stress, TellsWhichHalfCaughtIt) {
  for (const char* place : {"data", "act", "grad"}) {
    const StressReport r =
        RunWith(Cat("nan_", place, "@rate=1"), Policy::kSkip, 20);
    EXPECT_EQ(r.Total().injected, 20) << place;
    EXPECT_EQ(r.Total().local, 20) << place;
    EXPECT_EQ(r.applied, 0) << place;
    EXPECT_EQ(r.escapes, 0) << place;
  }
  const StressReport update = RunWith("inf_update@rate=1", Policy::kSkip, 20);
  EXPECT_EQ(update.Total().update, 20);
  const StressReport tiny = RunWith("tiny_any@rate=1", Policy::kSkip, 20);
  EXPECT_EQ(tiny.Total().harmless, 20);
  EXPECT_EQ(tiny.applied, 20);
}

// Parameters, moments, EMA, running statistics, counters and learning rate:
// a skipped step leaves all as they were, to the bit.
TEST(Stress, ASkipLeavesNoTrace) {
  const Status status = LocalWorld(2).Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const FaultPlan faults,
                          FaultPlan::Parse("any_any@rate=0.6,seed=3"));
    const Guard guard{
        .max_norm = 1, .max_consecutive_skips = 100, .max_skip_fraction = 1};
    GYRE_ASSIGN_OR_RETURN(
        const auto step,
        MakeStepStress(comm, faults, kOptimizers[0].make(guard)));
    LineSource source(comm.rank(), comm.size());
    const auto state = [&] {
      const std::span<const float> all = step->state().front().all();
      return std::pair(Hash64(all.data(), all.size_bytes()),
                       step->state().guard().applied);
    };
    int skips = 0;
    for (int i = 0; i < 80; ++i) {
      const auto before = state();
      GYRE_ASSIGN_OR_RETURN(const SampleBatch batch, source.Load(i));
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      EXPECT_EQ(state() == before, !report.applied) << i;
      if (!report.applied) ++skips;
    }
    EXPECT_GT(skips, 15);
    EXPECT_LT(skips, 65);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
}

TEST(Stress, SeesWhatObserveLetsThrough) {
  const StressReport r = RunWith("nan_grad@rate=1", Policy::kObserve, 10);
  EXPECT_EQ(r.escapes, 10);
  EXPECT_THAT(r.Table(), HasSubstr("not finite: 10"));
  EXPECT_THAT(r.Table(), HasSubstr("nan_grad"));
}

// One rank's data is NaN, and with it the loss of all: the others go on.
TEST(Stress, DropRankLosesOnlyTheRankWhoseFaultItIs) {
  const StressReport r =
      RunWith("nan_grad@rate=1,rank=1", Policy::kDropRank, 20);
  EXPECT_EQ(r.applied, 20);
  EXPECT_EQ(r.escapes, 0);
}

}  // namespace
}  // namespace gyre::internal::inline tests
