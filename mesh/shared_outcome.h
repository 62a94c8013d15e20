// One outcome for all ranks, of work that may fail on one of them: a file that
// one rank reads or writes, and none may go on without.
//
//   const auto mine = ReadMyPart(path);                 // on every rank
//   GYRE_RETURN_IF_ERROR(OutcomeOfAll(mine.status(), world, "parts read"));
//
//   GYRE_RETURN_IF_ERROR(OutcomeOfRankZero(             // on rank 0 alone
//       [&]() -> StatusOr<std::string> { return Write(path); },
//       world,
//       "file written").status());
//
// An error of one rank is the error of all, of the same kind (and so the same
// exit code), with "on rank 2: " before its text where others had none.
//
// WARNING 1: for errors of one rank's own work. After an error of a collective
// return that error: nothing can be exchanged any more.

#ifndef GYRE_MESH_SHARED_OUTCOME_H_
#define GYRE_MESH_SHARED_OUTCOME_H_

#include <functional>
#include <string>

#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline mesh {

// Collective. Ok if all ranks are; else the error of the first that has one,
// or, where every rank has one, each its own. `label` names the collective and
// must outlive the call.
Status OutcomeOfAll(const Status& mine, Communicator& world, const char* label);

// Waits for the ranks that have found alike that the run must end: one that
// left before would end, for those that still listen, as a rank that is lost.
// Collective; what becomes of the wait says nothing.
void LeaveTogether(Communicator& world);
// `found`, after that wait where it is an error.
Status HeardByAll(Status found, Communicator& world);

// Does `work` on rank 0 while the others wait, and gives all ranks the text
// that it returns, or its error. Collective. However long it takes, nobody's
// deadline passes: rank 0 tells now and then that it is still at it.
// WARNING 1: with more than one rank `work` runs on a thread of its own; it
// must not use a communicator.
StatusOr<std::string> OutcomeOfRankZero(
    const std::function<StatusOr<std::string>()>& work,
    Communicator& world,
    const char* label);

// The same of work that returns no text.
Status DoneByRankZero(const std::function<Status()>& work,
                      Communicator& world,
                      const char* label);

}  // namespace gyre::internal::inline mesh

#endif  // GYRE_MESH_SHARED_OUTCOME_H_
