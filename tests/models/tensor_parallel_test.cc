#include "gyre/models/tensor_parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/mesh_trace.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// That they give what the plain layers give, and the right gradients, is
// tests/train/layouts_test.cc.

struct Declared {
  std::string name;
  Shape whole;
  Tensor initial;
};

std::vector<Declared> Declare(int ranks, const MeshLayer& layer) {
  std::vector<Declared> declared;
  LocalWorld world(ranks);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"model", -1}}));
    Tape tape(&mesh);
    Params params(tape, 3, 0);
    const Var y = layer(params, tape.Input("x", {{2, 4, 8}, DType::kF32, 0}));
    EXPECT_EQ(y.shape(), Shape({2, 4, 8}));
    GYRE_RETURN_IF_ERROR(tape.FirstError());
    if (comm.rank() != ranks - 1) return OkStatus();
    for (const Parameter& p : params.all()) {
      declared.push_back({p.name, p.part.whole, p.initial});
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  return declared;
}

TEST(TensorParallel, ABlockHasTheParametersOfThePlainOne) {
  const auto plain = Declare(1, [](Params& p, Var x) {
    return transformer_block(p, "b", x, {.heads = 4});
  });
  for (const int ranks : {1, 2, 4}) {
    const auto cut = Declare(ranks, [](Params& p, Var x) {
      return parallel_transformer_block(
          p, "b", x, {.axis = "model", .heads = 4});
    });
    ASSERT_EQ(cut.size(), plain.size());
    for (const Declared& whole : plain) {
      const auto it =
          std::find_if(cut.begin(), cut.end(), [&](const Declared& d) {
            return d.name == whole.name;
          });
      ASSERT_NE(it, cut.end()) << whole.name;
      EXPECT_EQ(it->whole, whole.whole) << whole.name;
      // The last rank's part ends with the last number.
      EXPECT_EQ(it->initial.data<float>().back(),
                whole.initial.data<float>().back())
          << whole.name;
    }
  }
}

TEST(TensorParallel, SaysWhatDoesNotDivide) {
  EXPECT_THAT(MeshTraceError(2,
                             {3, 4},
                             [](Params& p, Var x) {
                               return column_linear(p, "up", x, 5, "model");
                             }),
              HasSubstr("up.w: dimension 1 of (4, 5) cannot be cut into 2"));
  EXPECT_THAT(MeshTraceError(2,
                             {3, 4},
                             [](Params& p, Var x) {
                               return row_linear(p, "down", x, 5, "modl");
                             }),
              HasSubstr("no axis \"modl\"; it has model=2"));
  EXPECT_THAT(MeshTraceError(4,
                             {2, 4, 8},
                             [](Params& p, Var x) {
                               return parallel_transformer_block(
                                   p, "b", x, {.axis = "model", .heads = 2});
                             }),
              HasSubstr("2 heads, and heads that divide over 4 ranks"));
}

TEST(Params, APartIsCutInOneWay) {
  EXPECT_THAT(
      MeshTraceError(2,
                     {3, 4},
                     [](Params& p, Var) {
                       p.GetPart("w", {4, 4}, 0, "model", Zeros());
                       return p.GetPart("w", {4, 4}, 1, "model", Zeros());
                     }),
      HasSubstr("\"w\" is cut in another way here"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
