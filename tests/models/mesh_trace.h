// Traces layers on a mesh, without running them.

#ifndef GYRE_TESTS_MODELS_MESH_TRACE_H_
#define GYRE_TESTS_MODELS_MESH_TRACE_H_

#include <functional>
#include <string>
#include <vector>

#include "gyre/autodiff/tape.h"
#include "gyre/collectives/local/local_world.h"
#include "gyre/models/params.h"

namespace gyre::internal::inline tests {

using MeshLayer = std::function<Var(Params&, Var)>;

// What the layer said on rank 0 of a mesh with one axis "model".
inline std::string MeshTraceError(int ranks,
                                  const Shape& x,
                                  const MeshLayer& layer) {
  std::string text;
  LocalWorld world(ranks);
  const Status status = world.Run([&](Communicator& comm) -> Status {
    GYRE_ASSIGN_OR_RETURN(const Mesh mesh, Mesh::Create(comm, {{"model", -1}}));
    Tape tape(&mesh);
    Params params(tape, 3, 0);
    layer(params, tape.Input("x", {x, DType::kF32, 0}));
    if (comm.rank() == 0 && !tape.FirstError().ok()) {
      text = Message(tape.FirstError());
    }
    return OkStatus();
  });
  return status.ok() ? text : Message(status);
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_MODELS_MESH_TRACE_H_
