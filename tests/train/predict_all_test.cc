// Predictions of any number of samples: in order, whatever the ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/models/batch_norm.h"
#include "gyre/optim/chain.h"
#include "gyre/optim/sgd.h"
#include "gyre/train/step/train_step.h"

namespace gyre::internal::inline tests {
namespace {

using testing::HasSubstr;

// Sample i is (i, 2 i).
using Tensors = std::map<std::string, Tensor>;

StatusOr<Tensors> LoadPairs(std::span<const std::int64_t> ids) {
  const auto rows = static_cast<std::int64_t>(ids.size());
  Tensor x = Tensor::Zeros({rows, 2});
  for (std::int64_t i = 0; i < rows; ++i) {
    x.data<float>()[2 * i] = static_cast<float>(ids[i]);
    x.data<float>()[2 * i + 1] = static_cast<float>(2 * ids[i]);
  }
  return Tensors{{"x", x}};
}

// With batch statistics a sample's prediction would be its neighbours'.
StatusOr<std::unique_ptr<TrainStep>> MakePairStep(Communicator& comm,
                                                  int micro_batches) {
  GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
  const std::vector<std::int64_t> ids = {0, 1, 2, 3};
  SampleBatch example;
  GYRE_ASSIGN_OR_RETURN(example.tensors, LoadPairs(ids));
  return TrainStep::Compile(
      {.mesh = mesh,
       .model =
           [](Params& params, const BatchVars& b) {
             return batch_norm(params, "norm", b["x"]);
           },
       .loss = [](Var pred, const BatchVars&) { return mean(square(pred)); },
       .optimizer = optim::Chain(optim::Guard{}, optim::Sgd(0.0)),
       .example = example,
       .micro_batches = micro_batches,
       .checks = {.samples = false}});
}

template <class Body>
Status OnAllRanks(int ranks, const Body& body) {
  LocalWorld world(ranks);
  return world.Run(body);
}

TEST(PredictAll, GivesEverySampleInOrder) {
  for (const int ranks : {1, 2, 4}) {
    for (const std::int64_t samples : {1, 4, 7, 16, 19}) {
      const Status status =
          OnAllRanks(ranks, [&](Communicator& comm) -> Status {
            GYRE_ASSIGN_OR_RETURN(const auto step, MakePairStep(comm, 2));
            GYRE_ASSIGN_OR_RETURN(const Tensor all,
                                  step->PredictAll(samples, LoadPairs));
            EXPECT_EQ(all.shape(), Shape({samples, 2}));
            // Running statistics 0 and 1, as they begin: x / sqrt(1 + 1e-5).
            for (std::int64_t i = 0; i < all.elements(); ++i) {
              const auto x = static_cast<double>((i / 2) * (1 + i % 2));
              EXPECT_NEAR(all.data<float>()[i], x / 1.000005, 1e-6 * (1 + x))
                  << i;
            }
            return OkStatus();
          });
      EXPECT_TRUE(status.ok()) << ranks << " ranks: " << Message(status);
    }
  }
}

TEST(PredictAll, ALoaderThatFailsEndsAllRanks) {
  std::vector<std::string> said(4);
  const Status status = OnAllRanks(4, [&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakePairStep(comm, 1));
    const auto load =
        [&](std::span<const std::int64_t> ids) -> StatusOr<Tensors> {
      if (ids[0] == 8) throw std::runtime_error("sample 8 is not to be read");
      return LoadPairs(ids);
    };
    said[comm.rank()] = Message(step->PredictAll(16, load).status());
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << Message(status);
  for (int r = 0; r < 4; ++r) {
    EXPECT_THAT(said[r],
                HasSubstr(r == 2 ? "sample 8 is not to be read"
                                 : "rank 2 could not load its part"));
  }
}

TEST(PredictAll, OfNothingIsAnError) {
  const Status status = OnAllRanks(1, [&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const auto step, MakePairStep(comm, 1));
    return step->PredictAll(0, LoadPairs).status();
  });
  EXPECT_THAT(Message(status), HasSubstr("at least one sample"));
}

}  // namespace
}  // namespace gyre::internal::inline tests
