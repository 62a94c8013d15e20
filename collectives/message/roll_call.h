// Who has entered the present collective, and whether all mean the same.

#ifndef GYRE_COLLECTIVES_MESSAGE_ROLL_CALL_H_
#define GYRE_COLLECTIVES_MESSAGE_ROLL_CALL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gyre/collectives/message/call_head.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

class RollCall {
 public:
  // `members`: ranks of the world.
  RollCall(std::vector<int> members, int me);

  // The next collective; this rank is there.
  void Begin(const CallHead& mine);
  void Add(int rank, const CallHead& head);

  const CallHead& mine() const { return heads_[me_]; }
  bool has(int rank) const { return here_[rank]; }
  const CallHead& head(int rank) const { return heads_[rank]; }
  // False for a rank that means something else.
  bool Agrees(int rank) const { return heads_[rank].Agrees(heads_[me_]); }
  int world_rank(int rank) const { return members_[rank]; }

  bool complete() const { return missing_ == 0; }
  // True when there is a disagreement to report: at once when all ranks are
  // here, and after 50 ms otherwise. With all heads every rank names the same
  // two.
  bool Failed() const;
  // OkStatus unless two of those here disagree.
  Status Agreement() const;

  // What the rank is known to have done last; may be "".
  std::string LastCall(int rank) const;

 private:
  std::vector<int> members_;
  int me_;
  std::vector<CallHead> heads_;
  std::vector<bool> here_;   // in this collective
  std::vector<bool> known_;  // heads_ is of this one or an earlier one
  int missing_ = 0;
  std::int64_t disagreed_at_ns_ = 0;  // 0: all agree so far
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_ROLL_CALL_H_
