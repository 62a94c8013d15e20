#include "gyre/monitor/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gyre/monitor/error_event.h"
#include "tests/monitor/records/example_run.h"

namespace gyre::internal::inline tests {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Facts Healthy() {
  Facts facts;
  facts.path = "runs/x";
  facts.steps = 100;
  facts.last_step = 99;
  facts.world = 4;
  facts.summary = true;
  facts.plans = 1;
  facts.hashes_equal = true;
  facts.params_finite = true;
  return facts;
}

const Family& FamilyOf(const Diagnosis& diagnosis, const std::string& name) {
  for (const Family& family : diagnosis.families) {
    if (family.name == name) return family;
  }
  ADD_FAILURE() << name;
  return diagnosis.families.front();
}

Event Skip(std::int64_t step, int rank, const std::string& sample) {
  Event event = {.step = step, .kind = std::string(event_kind::kSkip)};
  event.fields.Set("ranks", Json::Array({rank}))
      .Set("sample_names", Json::Array({sample}));
  return event;
}

TEST(Doctor, AHealthyRunHasNoSymptomAndNothingSupported) {
  const Diagnosis d = Diagnose(Healthy());
  ASSERT_EQ(d.symptoms.size(), 1u);
  EXPECT_EQ(d.symptoms[0].name, "none");
  for (const Family& family : d.families) {
    EXPECT_NE(family.standing(), "supported") << family.name;
  }
  // Of the machine there is no record at all: it is not excluded.
  EXPECT_EQ(FamilyOf(d, "hardware").standing(), "open");
}

TEST(Doctor, AnInstantCrashIsAMismatchOfConfiguration) {
  Facts facts;
  const Diagnosis d = Diagnose(facts);
  EXPECT_EQ(d.symptoms[0].name, "no_step");
  EXPECT_THAT(d.symptoms[0].route, HasSubstr("mismatch of configuration"));
  EXPECT_EQ(d.families[0].name, "software");
}

TEST(Doctor, ALateRankIsNoNetworkFaultAtFirst) {
  Facts facts = Healthy();
  facts.summary = false;
  facts.errors.push_back(ErrorEvent(
      DeadlineError("rank 2 has not entered all_reduce after 30.0 s"), 7));
  facts.plans = 3;
  const Diagnosis d = Diagnose(facts);
  EXPECT_EQ(d.symptoms[0].name, "late_rank");
  EXPECT_THAT(d.symptoms[0].route, HasSubstr("hidden recompilation"));
  EXPECT_THAT(FamilyOf(d, "software").supports,
              Contains(HasSubstr("3 plans were compiled")));
}

// One plan trains and one evaluates.
TEST(Doctor, AnEvaluationIsNoRecompilation) {
  Facts facts = Healthy();
  facts.plans = 2;
  const Diagnosis d = Diagnose(facts);
  EXPECT_TRUE(FamilyOf(d, "software").supports.empty());
  EXPECT_THAT(FamilyOf(d, "software").excludes,
              Contains(HasSubstr("and one that evaluates")));
}

// There is nothing to swap on one machine.
TEST(Doctor, ALateRankIsComparedWithWhatItHas) {
  Facts facts = Healthy();
  facts.timing = {{.rank = 0, .steps = 100, .step_ms = 9, .late_share = 0.8},
                  {.rank = 1, .steps = 100, .step_ms = 9, .late_share = 0}};
  for (const bool one_host : {false, true}) {
    facts.one_host = one_host;
    const Family hardware = FamilyOf(Diagnose(facts), "hardware");
    EXPECT_THAT(hardware.next,
                Contains(HasSubstr(one_host ? "--bind" : "swap the hosts")));
    EXPECT_THAT(
        hardware.next,
        Not(Contains(HasSubstr(one_host ? "swap the hosts" : "--bind"))));
  }
}

TEST(Doctor, ALostRankPointsToItsMachine) {
  Facts facts = Healthy();
  facts.errors.push_back(ErrorEvent(PeerLostError("rank 1 has died"), 7));
  const Diagnosis d = Diagnose(facts);
  EXPECT_EQ(d.symptoms[0].name, "lost_rank");
  EXPECT_EQ(FamilyOf(d, "hardware").standing(), "supported");
}

TEST(Doctor, ASampleThatComesBackIsData) {
  Facts facts = Healthy();
  for (const int step : {3, 9, 14}) {
    facts.bad.push_back(Skip(step, step % 2, "t=017"));
    ++facts.bad_samples["t=017"];
    ++facts.bad_samples["other" + std::to_string(step)];
    ++facts.bad_ranks[std::to_string(step % 2)];
  }
  const Diagnosis d = Diagnose(facts);
  const Family& data = FamilyOf(d, "data");
  ASSERT_EQ(data.supports.size(), 1u);
  EXPECT_EQ(data.supports[0], "t=017 was in 3 of 3 bad steps");
  EXPECT_THAT(data.next, Contains(HasSubstr("look at t=017")));
  EXPECT_EQ(FamilyOf(d, "numerics").standing(), "supported");
  EXPECT_EQ(FamilyOf(d, "distributed state").standing(), "excluded");
}

TEST(Doctor, NamesTheCommandsThatRunAKeptStepAgain) {
  Facts facts = Healthy();
  facts.bad.push_back(Skip(3, 1, "t=017"));
  facts.bad.push_back(Skip(9, 1, "t=017"));
  const auto numerics_next = [&] {
    return FamilyOf(Diagnose(facts), "numerics").next;
  };
  EXPECT_THAT(numerics_next(), Contains(HasSubstr("run it again to step 3")));
  facts.kept = {9};
  EXPECT_THAT(numerics_next(),
              Contains(HasSubstr("gyre replay runs/x --step 9 (which of")));
  EXPECT_THAT(FamilyOf(Diagnose(facts), "hardware").next,
              Contains(HasSubstr("gyre replay runs/x --step 9 --plain")));
}

TEST(Doctor, AnInjectedFaultIsNeitherDataNorNumerics) {
  Facts facts = Healthy();
  facts.bad.push_back(Skip(3, 0, "t=017"));
  facts.injected = {3};
  const Diagnosis d = Diagnose(facts);
  EXPECT_EQ(FamilyOf(d, "data").standing(), "excluded");
  EXPECT_EQ(FamilyOf(d, "numerics").standing(), "excluded");
}

TEST(Doctor, RanksThatDifferAreStateOrHardware) {
  Facts facts = Healthy();
  facts.desyncs = {41};
  facts.hashes_equal.reset();
  const Diagnosis d = Diagnose(facts);
  EXPECT_EQ(d.symptoms[0].name, "desync");
  EXPECT_EQ(FamilyOf(d, "distributed state").standing(), "supported");
  EXPECT_THAT(FamilyOf(d, "hardware").supports,
              Contains(HasSubstr("a flipped bit does that")));
}

TEST(Doctor, ALearningRateThatJumpedIsOptimization) {
  Facts facts = Healthy();
  Spike spike;
  spike.spike_class = SpikeClass::kDivergent;
  spike.first_step = 70;
  facts.spikes.push_back(spike);
  facts.lr_rises = 1;
  const Diagnosis d = Diagnose(facts);
  EXPECT_EQ(d.symptoms[0].name, "divergence");
  EXPECT_EQ(d.families[0].name, "optimization");
  EXPECT_THAT(d.unknown, Contains(HasSubstr("divergent spike at step 70")));
}

TEST(Doctor, AFineCurveWithABadModelIsSilentCorruption) {
  Facts facts = Healthy();
  facts.worse_than_persistence = {"p", "t"};
  const Diagnosis d = Diagnose(facts);
  EXPECT_EQ(d.symptoms[0].name, "fine_curve_bad_model");
  EXPECT_THAT(d.symptoms[0].route, HasSubstr("silent corruption"));
}

TEST(Doctor, RecordsThatStopAreACutOffRun) {
  Facts facts = Healthy();
  facts.summary = false;
  const Diagnosis d = Diagnose(facts);
  EXPECT_EQ(d.symptoms[0].name, "cut_off");
  EXPECT_EQ(d.families[0].name, "hardware");
}

TEST(Doctor, ReadsTheFactsFromARun) {
  ExampleRun example;
  const auto records = ReadRunRecords(example.path());
  ASSERT_TRUE(records.ok());
  const Facts facts = FactsOf(*records);
  EXPECT_EQ(facts.steps, 300);
  EXPECT_EQ(facts.not_finite, 1);
  EXPECT_EQ(facts.bad.size(), 1u);
  EXPECT_EQ(facts.bad_samples.at("t=017 (1996-01-09T06Z)"), 1);
  EXPECT_THAT(facts.worse_than_persistence, testing::ElementsAre("t"));
  const std::string text = ToText(Diagnose(facts));
  EXPECT_THAT(text, HasSubstr("What is not known"));
  EXPECT_THAT(text, HasSubstr("rank 1 came last in 33% of the steps"));
  const Json json = ToJson(Diagnose(facts));
  EXPECT_EQ(json.Find("families")->elements().size(), 6u);
}

}  // namespace
}  // namespace gyre::internal::inline tests
