#include "gyre/autodiff/ops/mesh_moves.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "tests/autodiff/ops/grad_cases.h"
#include "tests/autodiff/ops/world.h"

namespace gyre::internal::inline tests {
namespace {

using Move = std::function<Var(Var)>;

// Numbers that no two places of a world share.
Tensor Shard(const Shape& shape, int rank, double seed = 0) {
  Tensor shard(DType::kF64, shape);
  double place = seed + 11.3 * rank;
  for (double& value : shard.data<double>()) value = std::sin(place += 0.7);
  return shard;
}

std::vector<Tensor> Shards(const Shape& shape, int ranks) {
  std::vector<Tensor> shards;
  for (int r = 0; r < ranks; ++r) shards.push_back(Shard(shape, r));
  return shards;
}

// What each rank has after `move`.
std::vector<std::vector<double>> Moved(const std::vector<Tensor>& shards,
                                       const Move& move) {
  std::vector<std::vector<double>> values;
  for (const auto& r : OnRanks(
           shards, [&](Tape&, Var x) { return std::vector<Var>{move(x)}; })) {
    values.push_back(Values(r[0]));
  }
  return values;
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Case {
  const char* name;
  Shape shape;
  Move move;
};

std::vector<Case> CasesMeshMoves(int ranks) {
  std::vector<int> ring(ranks);
  for (int r = 0; r < ranks; ++r) ring[r] = (r + 1) % ranks;
  std::vector<int> gap = ring;
  gap[0] = -1;
  const std::int64_t n = ranks;
  return {
      {"all_gather 0", {2, 3}, [](Var x) { return all_gather(x, "data", 0); }},
      {"all_gather 1", {2, 3}, [](Var x) { return all_gather(x, "data", 1); }},
      {"all_gather_same",
       {2, 3},
       [](Var x) { return all_gather_same(x, "data", -1); }},
      {"reduce_scatter 0",
       {2 * n, 3},
       [](Var x) { return reduce_scatter(x, "data", 0); }},
      {"reduce_scatter 1",
       {3, 2 * n},
       [](Var x) { return reduce_scatter(x, "data", 1); }},
      {"own_part of psum",
       {3, 2 * n},
       [](Var x) { return own_part(psum(x), "data", 1); }},
      {"all_to_all 0 1",
       {2 * n, 3},
       [](Var x) { return all_to_all(x, "data", 0, 1); }},
      {"all_to_all 1 0",
       {2, 3 * n, 2},
       [](Var x) { return all_to_all(x, "data", 1, 0); }},
      {"all_to_all 1 1",
       {2, 3 * n},
       [](Var x) { return all_to_all(x, "data", 1, 1); }},
      {"permute", {5}, [=](Var x) { return permute(x, "data", ring); }},
      {"permute, gap", {5}, [=](Var x) { return permute(x, "data", gap); }},
      {"shift 2",
       {2, 2},
       [](Var x) { return shift(x, "data", 2, HaloEdge::kCircular); }},
      {"halo, circular",
       {2, 3},
       [](Var x) {
         return halo_exchange(x, "data", 1, 2, 1, HaloEdge::kCircular);
       }},
      {"halo, zero",
       {3, 2},
       [](Var x) {
         return halo_exchange(x, "data", 0, 1, 3, HaloEdge::kZero);
       }},
      {"psum", {4}, [](Var x) { return psum(x, {"data"}); }},
      {"pmean", {4}, [](Var x) { return pmean(x, {"data"}); }},
  };
}

// A linear operation A and its gradient A' belong together when
// <A x, w> = <x, A' w>, summed over all ranks.
TEST(MeshMoves, GradientsAreTheTransposes) {
  for (const int ranks : {1, 2, 3, 4}) {
    for (const Case& c : CasesMeshMoves(ranks)) {
      const auto shards = Shards(c.shape, ranks);
      const auto results =
          OnRanks(shards, [&](Tape& tape, Var x) -> std::vector<Var> {
            const Var moved = c.move(x);
            const Var weights = cast(axis_index(x, "data"), DType::kF64) +
                                tape.Constant(Shard(moved.shape(), 0, 2.5));
            const Var wrt[] = {x};
            const Var loss = sum(moved * weights);
            return {loss, Gradients(loss, wrt)[0]};
          });
      double transposed = 0;
      for (int r = 0; r < ranks; ++r) {
        transposed += Dot(Values(shards[r]), Values(results[r][1]));
      }
      const double direct = Values(results[0][0])[0];
      EXPECT_NEAR(transposed, direct, 1e-12 * std::max(1.0, std::abs(direct)))
          << c.name << " on " << ranks << " ranks";
      // With one rank, a gap leaves nothing.
      if (ranks > 1) {
        EXPECT_NE(direct, 0) << c.name;
      }
    }
  }
}

TEST(MeshMoves, GatherLaysThePartsOneAfterTheOther) {
  const std::vector<Tensor> shards = {F64({2, 1}, {1, 2}), F64({2, 1}, {3, 4})};
  for (const auto& r :
       Moved(shards, [](Var x) { return all_gather(x, "data", 0); })) {
    EXPECT_EQ(r, (std::vector<double>{1, 2, 3, 4}));
  }
  for (const auto& r :
       Moved(shards, [](Var x) { return all_gather_same(x, "data", 1); })) {
    EXPECT_EQ(r, (std::vector<double>{1, 3, 2, 4}));
  }
}

TEST(MeshMoves, ReduceScatterKeepsTheOwnPartOfTheSum) {
  const auto r =
      Moved({F64({1, 4}, {1, 2, 3, 4}), F64({1, 4}, {10, 20, 30, 40})},
            [](Var x) { return reduce_scatter(x, "data", 1); });
  EXPECT_EQ(r[0], (std::vector<double>{11, 22}));
  EXPECT_EQ(r[1], (std::vector<double>{33, 44}));
}

TEST(MeshMoves, AllToAllTurnsTheSplit) {
  // Rows 0..1 of rank r, whole; then all rows, column r.
  const auto r = Moved({F64({1, 2}, {1, 2}), F64({1, 2}, {3, 4})},
                       [](Var x) { return all_to_all(x, "data", 1, 0); });
  EXPECT_EQ(r[0], (std::vector<double>{1, 3}));
  EXPECT_EQ(r[1], (std::vector<double>{2, 4}));
}

TEST(MeshMoves, HaloComesFromBothNeighbours) {
  const std::vector<Tensor> shards = {
      F64({2}, {1, 2}), F64({2}, {3, 4}), F64({2}, {5, 6})};
  const auto circular = Moved(shards, [](Var x) {
    return halo_exchange(x, "data", 0, 1, 2, HaloEdge::kCircular);
  });
  EXPECT_EQ(circular[0], (std::vector<double>{6, 1, 2, 3, 4}));
  EXPECT_EQ(circular[2], (std::vector<double>{4, 5, 6, 1, 2}));
  const auto open = Moved(shards, [](Var x) {
    return halo_exchange(x, "data", 0, 1, 2, HaloEdge::kZero);
  });
  EXPECT_EQ(open[0], (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(open[2], (std::vector<double>{4, 5, 6, 0, 0}));
}

TEST(MeshMoves, TypesSayWhatVaries) {
  OnRanks(Shards({2, 2}, 2), [&](Tape&, Var x) -> std::vector<Var> {
    EXPECT_EQ(all_gather(x, "data", 0).varies(), 1u);
    EXPECT_EQ(all_gather_same(x, "data", 0).varies(), 0u);
    EXPECT_EQ(reduce_scatter(x, "data", 0).varies(), 1u);
    EXPECT_EQ(own_part(psum(x), "data", 0).varies(), 1u);
    EXPECT_EQ(psum(x, {"data"}).varies(), 0u);
    EXPECT_EQ(axis_index(x, "data").varies(), 1u);
    return {x};
  });
}

std::string ErrorOfMeshMoves(const Shape& shape, const Move& move) {
  std::string text;
  LocalWorld world(2);
  const Status ran = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    Tape tape(&mesh);
    move(tape.Input("x", {shape, DType::kF64, 1}));
    if (comm.rank() == 0) text = std::string(tape.FirstError().message());
    return OkStatus();
  });
  EXPECT_TRUE(ran.ok()) << ran;
  return text;
}

TEST(MeshMoves, MistakesAreNamedWithTheLine) {
  using testing::HasSubstr;
  const std::string axis =
      ErrorOfMeshMoves({4}, [](Var x) { return all_gather(x, "modle", 0); });
  EXPECT_THAT(axis, HasSubstr("no axis \"modle\"; it has data=2"));
  EXPECT_THAT(axis, HasSubstr("mesh_moves_test.cc"));
  EXPECT_THAT(
      ErrorOfMeshMoves({3}, [](Var x) { return reduce_scatter(x, "data", 0); }),
      HasSubstr("extent 3 of dimension 0"));
  EXPECT_THAT(
      ErrorOfMeshMoves({4}, [](Var x) { return own_part(x, "data", 0); }),
      HasSubstr("varies over data"));
  EXPECT_THAT(ErrorOfMeshMoves({4},
                               [](Var x) {
                                 return permute(x, "data", {1, 1});
                               }),
              HasSubstr("two ranks receive from rank 1"));
  EXPECT_THAT(
      ErrorOfMeshMoves({4}, [](Var x) { return permute(x, "data", {1}); }),
      HasSubstr("a source for each of the 2 ranks"));
  EXPECT_THAT(ErrorOfMeshMoves({2},
                               [](Var x) {
                                 return halo_exchange(
                                     x, "data", 0, 3, 0, HaloEdge::kZero);
                               }),
              HasSubstr("halo of 3 rows"));
  EXPECT_THAT(
      ErrorOfMeshMoves({4}, [](Var x) { return all_gather(x, "data", 1); }),
      HasSubstr("all_gather"));
  EXPECT_THAT(ErrorOfMeshMoves({4},
                               [](Var x) {
                                 return psum(x, {"data", "data"});
                               }),
              HasSubstr("named twice"));
}

TEST(MeshMoves, ATapeWithoutAMeshIsAnError) {
  Tape tape;
  const Var x = tape.Input("x", {{4}, DType::kF32});
  EXPECT_FALSE(all_gather(x, "data", 0).valid());
  EXPECT_THAT(std::string(tape.FirstError().message()),
              testing::HasSubstr("has no mesh"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
