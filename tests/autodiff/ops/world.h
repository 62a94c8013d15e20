// Runs a traced function on several ranks, with an input that varies.

#ifndef GYRE_TESTS_AUTODIFF_OPS_WORLD_H_
#define GYRE_TESTS_AUTODIFF_OPS_WORLD_H_

#include <functional>
#include <span>
#include <vector>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/tape.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/mesh/mesh.h"

namespace gyre::internal::inline tests {

// The results on each rank; shards[r] is rank r's one input, which varies
// over the only axis.
inline std::vector<std::vector<Tensor>> OnRanks(
    const std::vector<Tensor>& shards,
    const std::function<std::vector<Var>(Tape&, Var)>& f,
    const StepContext& step = {}) {
  const int ranks = static_cast<int>(shards.size());
  std::vector<std::vector<Tensor>> results(shards.size());
  LocalWorld world(ranks);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"data", -1}}));
    Tensor mine = shards[comm.rank()].Clone();
    Tape tape(&mesh);
    const Var x = tape.Input("x", {mine.shape(), mine.dtype(), 1});
    const std::vector<Var> vars = f(tape, x);
    GYRE_ASSIGN_OR_RETURN(auto plan, Plan::Compile(tape, vars));
    GYRE_ASSIGN_OR_RETURN(auto executor, Executor::Create(plan));
    executor->Bind(0, mine.raw());
    GYRE_RETURN_IF_ERROR(executor->Run(step));
    for (std::size_t i = 0; i < vars.size(); ++i) {
      results[comm.rank()].push_back(
          executor->ResultTensor(static_cast<int>(i)));
    }
    return OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return results;
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_AUTODIFF_OPS_WORLD_H_
