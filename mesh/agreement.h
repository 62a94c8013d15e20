// Are all ranks about to do the same thing? Asked once, before the first
// step, where a difference is still a sentence and not a hang.
//
//   GYRE_RETURN_IF_ERROR(AgreeOnLines(lines, "program", mesh.world()));
//
// Each rank describes itself as a list of lines. Equal lists cost one small
// collective; different ones are an error on every rank, with the first line
// that differs as two of the ranks have it.

#ifndef GYRE_MESH_AGREEMENT_H_
#define GYRE_MESH_AGREEMENT_H_

#include <span>
#include <string>
#include <string_view>

#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline mesh {

// Collective. `what` completes "rank 2 has another ...". Lines longer than
// 400 bytes are compared whole, and cut in the message.
Status AgreeOnLines(std::span<const std::string> lines,
                    std::string_view what,
                    Communicator& world);

}  // namespace gyre::internal::inline mesh

#endif  // GYRE_MESH_AGREEMENT_H_
