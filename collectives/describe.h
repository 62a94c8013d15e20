// The words for what ranks were doing, in errors.

#ifndef GYRE_COLLECTIVES_DESCRIBE_H_
#define GYRE_COLLECTIVES_DESCRIBE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/collectives/control_area.h"
#include "gyre/core/status.h"
#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline collectives {

// One rank's collective, with the texts that do not fit in the record.
struct CallText {
  int rank = 0;  // in the world
  ControlRecord record;
  std::string label;
  std::string file;
};
CallText ReadCall(const RankSlot& slot,
                  int world_rank,
                  const ControlRecord& record);

// What a rank waits in.
struct Waiting {
  CollectiveKind kind;
  std::uint64_t sequence;
  std::string_view label;
};

// "all_reduce #1841 (bucket 3: encoder.w1)"
std::string DescribeCall(const Waiting& waiting);

// "all_reduce #1841 (gradients): sum of 100 f32, bucket 3, at train.cc:88"
std::string DescribeCall(const CallText& call);

// "rank 2", "ranks 2 and 3", "ranks 0, 2 and 4 to 7"; in ascending order.
std::string RankList(std::span<const int> ranks);

// "step 412, forward", or the newest collective, or that there was none.
std::string LastSeen(WorldHeader& world, int world_rank, const RankSlot& slot);

// "step 412, forward"; empty when nothing was told (step < 0, no text).
std::string DescribeActivity(std::int64_t step, std::string_view what);

// Ranks (of the world) that have not come in time. `entered`: the first of
// them is in this collective, but did not finish it. `last_seen` is about the
// first: "last seen in step 412, forward".
Status LateError(std::span<const int> ranks,
                 bool entered,
                 const Waiting& waiting,
                 std::int64_t waited_ns,
                 std::string_view last_seen);

// A rank called Abort.
Status GaveUpError(int rank, std::string_view why, const Waiting& waiting);
// A rank has ended in peace and is still waited for.
Status LeftError(int rank, const Waiting& waiting);
// A rank has ended otherwise; `how`: "its process (71) has ended".
Status LostError(int rank, std::string_view how, const Waiting& waiting);
// Ranks of one process, for one of which alone it reads as above.
Status LostError(std::span<const int> ranks,
                 std::string_view how,
                 const Waiting& waiting);

// What cannot be seen in the words for the two calls, when all else is equal.
std::string_view Difference(const ControlRecord& a, const ControlRecord& b);

// Two ranks mean different collectives.
Status Disagreement(const CallText& a,
                    const CallText& b,
                    std::string_view why = "");

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_DESCRIBE_H_
