#include "gyre/train/records/cause_record.h"

#include <gmock/gmock.h>

#include <cmath>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/train/step/part_exchange.h"
#include "tests/train/line_world.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// Rank 1's third sample has a target that the loss cannot take.
constexpr std::int64_t kBadRow = 2;

SampleBatch WithBadTarget(SampleBatch batch, int rank, float value) {
  if (rank != 1) return batch;
  batch.tensors.at("y") = batch.tensors.at("y").Clone();
  batch.tensors.at("y").data<float>()[kBadRow] = value;
  return batch;
}

// log of a number that is negative once: right on paper.
LineOptions LogLoss() {
  LineOptions options;
  options.loss = [](Var pred, const BatchVars& b) {
    return mean(square(pred - log(b["y"])));
  };
  return options;
}

// The causes of the first step, as rank 0 has them.
Json CausesOf(const LineOptions& options,
              int ranks,
              const std::function<SampleBatch(SampleBatch, int)>& change) {
  Json causes;
  LocalWorld world(ranks);
  const Status ran = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(auto step, MakeLineStep(comm, options));
    LineSource source(comm.rank(), comm.size());
    GYRE_ASSIGN_OR_RETURN(SampleBatch batch, source.Load(0));
    for (float& y : batch.tensors.at("y").data<float>()) y = std::abs(y) + 1;
    batch = change(std::move(batch), comm.rank());
    const std::uint64_t before = HashState(step->state()).common;
    GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
    EXPECT_FALSE(report.applied);
    GYRE_ASSIGN_OR_RETURN(const Json found,
                          GatherCauses(*step, report, batch, source));
    EXPECT_EQ(HashState(step->state()).common, before);
    EXPECT_EQ(step->plans_compiled(), 1);
    if (comm.rank() == 0) causes = found;
    // Training goes on as if nobody had looked.
    GYRE_ASSIGN_OR_RETURN(batch, source.Load(1));
    for (float& y : batch.tensors.at("y").data<float>()) y = std::abs(y) + 1;
    GYRE_ASSIGN_OR_RETURN(const StepReport next, step->Run(batch));
    EXPECT_TRUE(next.applied);
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
  return causes;
}

TEST(CauseRecord, NamesRankOperationLineElementAndSample) {
  for (const int ranks : {2, 4}) {
    const Json causes =
        CausesOf(LogLoss(), ranks, [](SampleBatch batch, int rank) {
          const auto rows = static_cast<std::int64_t>(batch.sample_ids.size());
          batch.tensors.at("y") = batch.tensors.at("y").Clone();
          if (rank == 1) {
            batch.tensors.at("y").data<float>()[rows - 1] = -2;
          }
          return batch;
        });
    const Json& first = *causes.Find("first");
    SCOPED_TRACE(first.Pretty());
    EXPECT_EQ(*first.GetInt("rank"), 1);
    EXPECT_EQ(*first.GetString("operation"), "log");
    EXPECT_EQ(*first.GetString("phase"), "forward");
    EXPECT_THAT(*first.GetString("line"), HasSubstr("cause_record_test.cc:"));
    const std::int64_t rows = 8 / ranks;
    EXPECT_EQ(*first.GetInt("element"), rows - 1);
    const LineSource source(1, ranks);
    EXPECT_EQ(*first.GetInt("sample"), source.SampleIds(0, 1)[rows - 1]);
    EXPECT_THAT(*first.GetString("text"), HasSubstr("made NaN from -2"));
    EXPECT_EQ(causes.Find("ranks")->elements().size(),
              static_cast<std::size_t>(ranks));
  }
}

TEST(CauseRecord, ANanInTheDataIsTheDatas) {
  const Json causes = CausesOf({}, 2, [](SampleBatch batch, int rank) {
    return WithBadTarget(std::move(batch), rank, std::nanf(""));
  });
  const Json& first = *causes.Find("first");
  SCOPED_TRACE(first.Pretty());
  EXPECT_EQ(*first.GetString("operation"), "batch.y");
  EXPECT_EQ(*first.GetInt("element"), kBadRow);
  EXPECT_THAT(*first.GetString("text"),
              HasSubstr("batch.y came with NaN at element 2"));
  EXPECT_THAT(*first.GetString("text"), HasSubstr("line_world.h:"));
}

// The source knows what the numbers are.
class NamingSource final : public BatchSource {
 public:
  NamingSource(int rank, int ranks) : source_(rank, ranks) {}
  StatusOr<SampleBatch> Load(std::int64_t step) override {
    return source_.Load(step);
  }
  std::vector<std::int64_t> SampleIds(std::int64_t step,
                                      int rank) const override {
    return source_.SampleIds(step, rank);
  }
  std::string ElementName(std::int64_t sample,
                          std::string_view tensor,
                          const Shape& shape,
                          std::int64_t element) const override {
    return Cat("[", sample, "|", tensor, "|", shape, "|", element, "]");
  }

 private:
  LineSource source_;
};

TEST(CauseRecord, TheSourceNamesTheElementOfItsSample) {
  for (const bool in_data : {false, true}) {
    LocalWorld world(2);
    const Status ran = world.Run([&](Communicator& comm) -> Status {
      GYRE_ASSIGN_OR_RETURN(
          auto step, MakeLineStep(comm, in_data ? LineOptions{} : LogLoss()));
      NamingSource source(comm.rank(), comm.size());
      GYRE_ASSIGN_OR_RETURN(SampleBatch batch, source.Load(0));
      for (float& y : batch.tensors.at("y").data<float>()) y = std::abs(y) + 1;
      batch = WithBadTarget(
          std::move(batch), comm.rank(), in_data ? std::nanf("") : -2);
      GYRE_ASSIGN_OR_RETURN(const StepReport report, step->Run(batch));
      GYRE_ASSIGN_OR_RETURN(const Json causes,
                            GatherCauses(*step, report, batch, source));
      const Json& first = *causes.Find("first");
      const std::int64_t sample = source.SampleIds(0, 1)[kBadRow];
      const std::string where =
          Cat("[", sample, "|", in_data ? "y" : "", "|(1)|0]");
      EXPECT_EQ(*first.GetString("where"), where);
      EXPECT_THAT(*first.GetString("text"),
                  HasSubstr(Cat("sample ", sample, ", ", where)));
      return OkStatus();
    });
    EXPECT_TRUE(ran.ok()) << ran;
  }
}

// Each rank's part is finite, and their sum is not: no rank made it.
TEST(CauseRecord, ASumThatOverflowsBetweenTheRanksIsTheSums) {
  LineOptions options;
  options.loss = [](Var pred, const BatchVars& b) {
    return sum(square(pred - b["y"])) * 1e-30;
  };
  const Json causes = CausesOf(options, 2, [](SampleBatch batch, int) {
    for (float& y : batch.tensors.at("y").data<float>()) y = 0;
    batch.tensors.at("y").data<float>()[0] = 1.8e19f;  // its square: 3.2e38
    return batch;
  });
  const Json& first = *causes.Find("first");
  SCOPED_TRACE(causes.Pretty());
  ASSERT_FALSE(first.is_null());
  EXPECT_EQ(*first.GetString("operation"), "psum");
  EXPECT_TRUE(*first.GetBool("received"));
  EXPECT_THAT(*first.GetString("text"), HasSubstr("no rank had one before"));
}

// What one rank made and sent, another makes worse: the first is to blame.
TEST(CauseRecord, WhatFollowsOnALowerRankIsNotFirst) {
  LineOptions options;
  options.loss = [](Var pred, const BatchVars& b) {
    const Var total = sum(exp(b["y"]));  // infinite, of rank 1
    return mean(square(pred)) + (total - total);
  };
  const Json causes = CausesOf(options, 2, [](SampleBatch batch, int rank) {
    return WithBadTarget(std::move(batch), rank, 1000);
  });
  const Json& first = *causes.Find("first");
  SCOPED_TRACE(causes.Pretty());
  EXPECT_EQ(*first.GetString("operation"), "exp");
  EXPECT_EQ(*first.GetInt("rank"), 1);
}

TEST(CauseRecord, ANumberThatAppearsAfterTheBackwardPassIsNoOperations) {
  LineOptions options;
  options.inject = "nan_grad@rank=1,step=0";
  const Json causes =
      CausesOf(options, 2, [](SampleBatch batch, int) { return batch; });
  EXPECT_TRUE(causes.Find("first")->is_null()) << causes.Pretty();
}

}  // namespace
}  // namespace gyre::internal::inline tests
