#include "gyre/optim/guard.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/special_numbers.h"

namespace gyre::optim {

using namespace internal;

namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

FlatLayout TwoTensors() {
  FlatLayout layout;
  EXPECT_TRUE(layout.Add("encoder.w", {3, 5}).ok());
  EXPECT_TRUE(layout.Add("encoder.b", {3}).ok());
  return layout;
}

std::vector<ControlRecord> Records(std::vector<Note> notes) {
  std::vector<ControlRecord> records(notes.size());
  for (std::size_t i = 0; i < notes.size(); ++i) records[i].note = notes[i];
  return records;
}

const Note kClean = MakeNote(0, 0, -1);
const Note kBadGuard = MakeNote(kBadGradient, 3, 1);
const Note kLoss = MakeNote(kBadLoss, 0, -1);

TEST(PolicyTest, ParsesWhatItPrints) {
  for (const Policy p : {Policy::kSkip,
                         Policy::kZero,
                         Policy::kDropRank,
                         Policy::kHalt,
                         Policy::kObserve}) {
    EXPECT_EQ(ParsePolicy(NameOf(p)).value(), p);
  }
  const Status s = ParsePolicy("ignore").status();
  EXPECT_EQ(KindOf(s), ErrorKind::kConfig);
  EXPECT_THAT(Message(s), HasSubstr("\"ignore\""));
  EXPECT_THAT(Message(s), HasSubstr("skip, zero, drop_rank, halt, observe"));
}

TEST(GuardTest, RefusesBadOptions) {
  EXPECT_TRUE(Guard{}.Validate().ok());
  EXPECT_TRUE(Guard{.max_norm = 0}.Validate().ok());
  EXPECT_FALSE(Guard{.max_norm = -1}.Validate().ok());
  EXPECT_FALSE(Guard{.max_norm = kNan}.Validate().ok());
  EXPECT_FALSE(Guard{.max_consecutive_skips = -1}.Validate().ok());
}

TEST(GuardTest, WarnsOnlyWhenItDoesNotGuard) {
  EXPECT_THAT(Guard{}.StartWarning(), IsEmpty());
  EXPECT_THAT(Guard{.policy = Policy::kObserve}.StartWarning(),
              HasSubstr("unguarded"));
}

TEST(NoteTest, CarriesFlagsCountAndTensor) {
  EXPECT_EQ(FirstBadTensor(kClean), -1);
  EXPECT_EQ(FirstBadTensor(kBadGuard), 1);
  EXPECT_EQ(kBadGuard.value, 3u);
  const Note big = MakeNote(kBadGradient, std::int64_t{1} << 40, 1 << 20);
  EXPECT_EQ(big.value, 0xffffffffu);
  EXPECT_EQ(FirstBadTensor(big), 0xfffe);  // saturated
  EXPECT_EQ(big.flags & kGuardBits, kBadGradient);
}

TEST(NoteTest, MergesBuckets) {
  std::vector<Note> notes;
  MergeNotes(Records({kClean, MakeNote(kBadGradient, 2, 7)}), &notes);
  MergeNotes(Records({kLoss, MakeNote(kBadGradient, 5, 9)}), &notes);
  ASSERT_THAT(notes, SizeIs(2));
  EXPECT_EQ(notes[0], kLoss);
  EXPECT_EQ(notes[1], MakeNote(kBadGradient, 7, 7));
}

TEST(JudgeTest, AppliesACleanStepAndClips) {
  const Verdict v =
      Judge(Records({kClean, kClean}), 4, {}, Guard{.max_norm = 1});
  EXPECT_TRUE(v.clean());
  EXPECT_EQ(v.norm, 4);
  EXPECT_EQ(v.clip, 0.25);
  EXPECT_EQ(v.Describe(TwoTensors()), "clean");
}

TEST(JudgeTest, OneBadRankStopsAll) {
  const Verdict v = Judge(Records({kClean, kClean, kBadGuard}), 1, {}, Guard{});
  EXPECT_EQ(v.action, Action::kSkip);
  EXPECT_EQ(v.reasons, kReasonGradient);
  ASSERT_THAT(v.ranks, SizeIs(1));
  EXPECT_EQ(v.ranks[0].rank, 2);
  EXPECT_EQ(v.Describe(TwoTensors()),
            "skip: rank 2: 3 bad gradient elements, first in encoder.b");
}

TEST(JudgeTest, ABadLossAloneStops) {
  const Verdict v = Judge(Records({kLoss, kClean}), 1, {}, Guard{});
  EXPECT_EQ(v.action, Action::kSkip);
  EXPECT_EQ(v.reasons, kReasonLoss);
  EXPECT_THAT(v.Describe(TwoTensors()), HasSubstr("rank 0: loss is not"));
}

TEST(JudgeTest, ASumThatOverflowedStops) {
  for (const double norm : {kInf, kNan}) {
    for (const Policy p : {Policy::kSkip, Policy::kZero}) {
      const Verdict v = Judge(Records({kClean}), norm, {}, {.policy = p});
      EXPECT_EQ(v.action, Action::kSkip);
      EXPECT_EQ(v.reasons, kReasonReduced);
      EXPECT_EQ(v.clip, 1);
    }
  }
}

TEST(JudgeTest, FollowsThePolicy) {
  const auto records = Records({kBadGuard, kClean});
  const auto action = [&](Policy p) {
    return Judge(records, 1, {}, {.policy = p}).action;
  };
  EXPECT_EQ(action(Policy::kSkip), Action::kSkip);
  EXPECT_EQ(action(Policy::kZero), Action::kApply);
  EXPECT_EQ(action(Policy::kHalt), Action::kHalt);
  EXPECT_EQ(action(Policy::kObserve), Action::kApply);
  EXPECT_FALSE(Judge(records, 1, {}, {.policy = Policy::kZero}).clean());
}

TEST(JudgeTest, DropRankTakesTheMeanOverTheHealthy) {
  const Guard guard{.policy = Policy::kDropRank, .max_norm = 2};
  const Verdict v =
      Judge(Records({kBadGuard, kClean, kClean, kLoss}), 3, {}, guard);
  EXPECT_TRUE(v.applies());
  EXPECT_EQ(v.rescale, 2);
  EXPECT_EQ(v.norm, 6);  // of the gradient that is applied
  EXPECT_EQ(v.grad_scale(), 2.0 * (2.0 / 6));
  const Verdict none = Judge(Records({kBadGuard, kLoss}), 0, {}, guard);
  EXPECT_EQ(none.action, Action::kSkip);
  EXPECT_EQ(none.grad_scale(), 1);
}

TEST(JudgeTest, IdIsAFunctionOfItsInputs) {
  const auto id =
      [](std::vector<Note> notes, double norm, GuardState state, Guard guard) {
        return Judge(Records(notes), norm, state, guard).id;
      };
  const std::uint64_t same = id({kBadGuard, kClean}, 1, {}, {});
  EXPECT_EQ(id({kBadGuard, kClean}, 1, {}, {}), same);
  EXPECT_NE(id({kClean, kBadGuard}, 1, {}, {}), same);
  EXPECT_NE(id({kBadGuard, kClean}, std::nextafter(1, 2), {}, {}), same);
  EXPECT_NE(id({kBadGuard, kClean}, 1, {.attempted = 1}, {}), same);
  EXPECT_NE(id({kBadGuard, kClean}, 1, {}, {.policy = Policy::kHalt}), same);
}

TEST(JudgeTest, FreeFlagBitsDoNotMatter) {
  Note other = kClean;
  other.flags |= 1u << 8;
  EXPECT_TRUE(Judge(Records({other}), 1, {}, Guard{}).clean());
}

TEST(ConfirmUpdateTest, TurnsABadUpdateIntoASkip) {
  const Verdict v = Judge(Records({kClean}), 1, {}, Guard{});
  EXPECT_TRUE(ConfirmUpdate(v, 0, -1, Guard{}).clean());
  const Verdict bad = ConfirmUpdate(v, 4, 1, Guard{});
  EXPECT_EQ(bad.action, Action::kSkip);
  EXPECT_NE(bad.id, v.id);
  EXPECT_EQ(bad.Describe(TwoTensors()),
            "skip: the update has 4 bad elements, first in encoder.b");
  EXPECT_EQ(ConfirmUpdate(v, 4, 1, {.policy = Policy::kHalt}).action,
            Action::kHalt);
  EXPECT_EQ(ConfirmUpdate(v, 4, 1, {.policy = Policy::kZero}).action,
            Action::kSkip);
  EXPECT_EQ(ConfirmUpdate(v, 4, 1, {.policy = Policy::kObserve}).action,
            Action::kApply);
}

TEST(GuardStateTest, CountsAndForgivesAfterASuccess) {
  const Guard guard{.max_consecutive_skips = 2};
  const FlatLayout layout = TwoTensors();
  GuardState state;
  for (int round = 0; round < 3; ++round) {
    for (const Note& note : {kBadGuard, kBadGuard, kClean}) {
      const Verdict v = Judge(Records({note}), 1, state, guard);
      EXPECT_TRUE(state.AfterStep(v, guard, layout).ok());
    }
  }
  EXPECT_EQ(state.attempted, 9);
  EXPECT_EQ(state.applied, 3);
  EXPECT_EQ(state.skipped, 6);
  EXPECT_EQ(state.consecutive_skips, 0);
}

TEST(GuardStateTest, NothingIsAcceptedAfterTheBudget) {
  const Guard guard{.max_consecutive_skips = 2};
  const FlatLayout layout = TwoTensors();
  GuardState state;
  const auto step = [&](const Note& note) {
    const Verdict v = Judge(Records({note}), 1, state, guard);
    EXPECT_FALSE(v.applies());
    return state.AfterStep(v, guard, layout);
  };
  EXPECT_TRUE(step(kBadGuard).ok());
  EXPECT_TRUE(step(kBadGuard).ok());
  const Status spent = step(kBadGuard);
  EXPECT_EQ(KindOf(spent), ErrorKind::kGuard);
  EXPECT_THAT(Message(spent), HasSubstr("3 steps in a row"));
  EXPECT_THAT(Message(spent), HasSubstr("encoder.b"));
  // A caller that goes on gets nowhere, even with a healthy step.
  EXPECT_EQ(KindOf(step(kClean)), ErrorKind::kGuard);
  EXPECT_EQ(state.applied, 0);
  EXPECT_EQ(state.skipped, 4);
}

TEST(GuardStateTest, ABudgetOfZeroEndsAtTheFirst) {
  const Guard guard{.max_consecutive_skips = 0};
  GuardState state;
  const Verdict v = Judge(Records({kLoss}), 1, state, guard);
  EXPECT_EQ(KindOf(state.AfterStep(v, guard, TwoTensors())), ErrorKind::kGuard);
}

TEST(GuardStateTest, HaltEndsAtTheFirstBadStep) {
  const Guard guard{.policy = Policy::kHalt};
  GuardState state;
  const Verdict v = Judge(Records({kClean, kBadGuard}), 1, state, guard);
  const Status s = state.AfterStep(v, guard, TwoTensors());
  EXPECT_EQ(KindOf(s), ErrorKind::kGuard);
  EXPECT_THAT(Message(s), HasSubstr("rank 1"));
  EXPECT_TRUE(state.halted);
  EXPECT_EQ(state.applied, 0);
}

}  // namespace
}  // namespace gyre::optim
