// The words for what ranks were doing, in errors.

#ifndef GYRE_COLLECTIVES_DESCRIBE_H_
#define GYRE_COLLECTIVES_DESCRIBE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/control_area.h"
#include "core/status.h"
#include "mesh/communicator.h"

namespace gyre {

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

// "rank 2", "ranks 2 and 3", "ranks 1, 2 and 3"
std::string RankList(std::span<const int> ranks);

// "step 412, forward", or the newest collective, or that there was none.
std::string LastSeen(WorldHeader& world, int world_rank, const RankSlot& slot);

// Two ranks mean different collectives.
Status Disagreement(const CallText& a,
                    const CallText& b,
                    std::string_view why = "");

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_DESCRIBE_H_
