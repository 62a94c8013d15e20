// A text of every rank, on all ranks: for records that only one of them
// writes.

#ifndef GYRE_MESH_GATHER_TEXTS_H_
#define GYRE_MESH_GATHER_TEXTS_H_

#include <string>
#include <vector>

#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline mesh {

// By rank. Collective; texts may differ in length. `label` names it in
// errors.
StatusOr<std::vector<std::string>> GatherTexts(const std::string& mine,
                                               Communicator& world,
                                               const char* label);

}  // namespace gyre::internal::inline mesh

#endif  // GYRE_MESH_GATHER_TEXTS_H_
