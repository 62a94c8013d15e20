#include "apps/gyre/bench/measure.h"

#include <gtest/gtest.h>

#include "gyre/collectives/local/local_world.h"

namespace gyre::internal::inline tests {
namespace {

TEST(MeasureTest, Summary) {
  std::vector<double> us;
  for (int i = 200; i >= 1; --i) us.push_back(i);
  const Times times = Summarize(us);
  EXPECT_EQ(times.median_us, 101);
  EXPECT_EQ(times.p99_us, 199);
  EXPECT_EQ(times.best_us, 1);
  EXPECT_EQ(times.rounds, 200);
  std::vector<double> one = {7};
  EXPECT_EQ(Summarize(one).p99_us, 7);
}

TEST(MeasureTest, WholeElementsForEveryRank) {
  EXPECT_EQ(WholeBytes(BenchOp::kAllReduce, 1, 3), 4u);
  EXPECT_EQ(WholeBytes(BenchOp::kAllReduce, 4096, 3), 4096u);
  EXPECT_EQ(WholeBytes(BenchOp::kAllGather, 4096, 3), 4104u);
  EXPECT_EQ(WholeBytes(BenchOp::kReduceScatter, 4, 4), 16u);
}

TEST(MeasureTest, EveryOpAndPayloadOnEveryRank) {
  const Status status = LocalWorld(2).Run([](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(Measurement m, Measurement::Create(comm, 4096));
    for (const BenchOp op :
         {BenchOp::kAllReduce, BenchOp::kAllGather, BenchOp::kReduceScatter}) {
      for (const Payload payload : {Payload::kNormal,
                                    Payload::kHuge,
                                    Payload::kNaN,
                                    Payload::kDenormal}) {
        GYRE_ASSIGN_OR_RETURN(const Times times,
                              m.Run({.op = op,
                                     .bytes = 4096,
                                     .payload = payload,
                                     .form = Form::kSum,
                                     .seconds = 1e-4}));
        EXPECT_GE(times.rounds, 7);
        EXPECT_GT(times.best_us, 0);
        EXPECT_LE(times.best_us, times.median_us);
        EXPECT_LE(times.median_us, times.p99_us);
      }
    }
    return OkStatus();
  });
  EXPECT_EQ(status, OkStatus());
}

TEST(MeasureTest, CopyBandwidth) {
  EXPECT_GT(CopyGbPerS(4), 0);
  EXPECT_GT(CopyGbPerS(1 << 20), 0);
}

}  // namespace
}  // namespace gyre::internal::inline tests
