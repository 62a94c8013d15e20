// How the ranks of one process end, and what the process makes of it.
//
//   RankEnds ends(4);
//   ... on each rank's thread: ends.Add(index, status);
//   const std::vector<int> missing = ends.Wait(2.0);
//   return ends.ExitCode();

#ifndef GYRE_RUNTIME_RANK_ENDS_H_
#define GYRE_RUNTIME_RANK_ENDS_H_

#include <condition_variable>
#include <mutex>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline runtime {

class RankEnds {
 public:
  explicit RankEnds(int count) : ended_(count, false) {}

  void Add(int index, const Status& status);

  // Until all have ended, or `patience_s` after the first failure: those that
  // have not, in ascending order.
  std::vector<int> Wait(double patience_s);

  // The first failure that is not the loss of a peer, which is an effect; else
  // the first failure; else that of a run that was asked to stop; else 0.
  int ExitCode() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> ended_;
  std::vector<Status> errors_;  // in the order in which they came
  bool failed_ = false;         // one that is not a stop
};

}  // namespace gyre::internal::inline runtime

#endif  // GYRE_RUNTIME_RANK_ENDS_H_
