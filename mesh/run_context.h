// How a run was started, beyond the program's own arguments: what `gyre
// replay`, `gyre rewind` and a launcher that starts a program again say to it.
//
// RunMain reads it from the environment, once (runtime/run_environment.h), and
// the world's communicator and its meshes pass it on to whoever needs it, so
// that no program needs code for it and nothing below reads the environment:
//
//   const RunContext& context = mesh.run_context();
//   if (context.restarts > 0) ...
//
// The texts are what the variables say; who acts on one also parses it
// (train/replay/replay.h, train/context/rewind_request.h,
// train/faults/fault.h).

#ifndef GYRE_MESH_RUN_CONTEXT_H_
#define GYRE_MESH_RUN_CONTEXT_H_

#include <string>
#include <utility>
#include <vector>

namespace gyre {

struct RunContext {
  std::string replay = {};       // GYRE_REPLAY, a folder of evidence
  std::string replay_out = {};   // GYRE_REPLAY_OUT
  std::string replay_with = {};  // GYRE_REPLAY_WITH
  std::string rewind = {};       // GYRE_REWIND, a JSON object
  std::string inject = {};       // GYRE_INJECT, faults on purpose
  int restarts = 0;  // how often a launcher has started the program again
  // Variables that change the numbers, for evidence: those that are set.
  std::vector<std::pair<std::string, std::string>> variables = {};
};

}  // namespace gyre

#endif  // GYRE_MESH_RUN_CONTEXT_H_
