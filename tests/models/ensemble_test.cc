#include "gyre/models/ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gyre/autodiff/exec/executor.h"
#include "tests/models/mesh_trace.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// The score of members that are spread over `ranks`, as each rank has it.
double Score(int ranks, const std::vector<float>& members, float target) {
  std::vector<float> scores(ranks);
  LocalWorld world(ranks);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"model", -1}}));
    const auto each = static_cast<std::int64_t>(members.size()) / ranks;
    Tape tape(&mesh);
    const Var x = tape.Input("x", {{each, 1}, DType::kF32, 1});
    const Var y = tape.Input("y", {{1}, DType::kF32, 0});
    const Var loss = crps(x, y, "model");
    EXPECT_EQ(loss.varies(), 0u);
    GYRE_ASSIGN_OR_RETURN(auto plan, Plan::Compile(tape, {&loss, 1}));
    GYRE_ASSIGN_OR_RETURN(auto executor, Executor::Create(plan));
    std::vector<float> mine(members.begin() + comm.rank() * each,
                            members.begin() + (comm.rank() + 1) * each);
    float observed = target;
    executor->Bind(0, mine.data());
    executor->Bind(1, &observed);
    GYRE_RETURN_IF_ERROR(executor->Run({&mesh, 0}));
    scores[comm.rank()] = *executor->Result<float>(0);
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  for (const float score : scores) EXPECT_EQ(score, scores[0]);
  return scores[0];
}

// Ferro's sum, written out.
double Formula(const std::vector<float>& members, double target) {
  const double m = static_cast<double>(members.size());
  double error = 0, apart = 0;
  for (const double x : members) {
    error += std::abs(x - target) / m;
    for (const double z : members) apart += std::abs(x - z);
  }
  return error - apart / (2 * m * (m - 1));
}

TEST(Ensemble, ScoreIsTheFairOneOnAnyNumberOfRanks) {
  const std::vector<float> members = {0.5f, -1.25f, 2.0f, 0.75f};
  const double expected = Formula(members, 0.3);
  for (const int ranks : {1, 2, 4}) {
    EXPECT_NEAR(Score(ranks, members, 0.3f), expected, 1e-6) << ranks;
  }
}

TEST(Ensemble, OneMemberHasItsError) {
  EXPECT_NEAR(Score(1, {1.5f}, 1.0f), 0.5, 1e-7);
}

TEST(Ensemble, NamesTheAxisThatIsNotThere) {
  EXPECT_THAT(
      MeshTraceError(
          2, {2, 3}, [](Params&, Var x) { return crps(x, x, "member"); }),
      HasSubstr("no axis \"member\""));
}

}  // namespace
}  // namespace gyre::internal::inline tests
