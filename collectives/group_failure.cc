#include "gyre/collectives/group_failure.h"

#include <algorithm>

namespace gyre::internal::inline collectives {

bool IsOwnFailure(const Status& status) {
  switch (KindOf(status)) {
    case ErrorKind::kMismatch:
      return false;
    case ErrorKind::kPeer:
      return status.code() == absl::StatusCode::kDeadlineExceeded;
    default:
      return !status.ok();
  }
}

bool Concerns(const GroupFailure& failure,
              std::span<const int> needed,
              const Waiting& waiting) {
  if (failure.sequence > waiting.sequence) return false;
  return !failure.late ||
         std::find(needed.begin(), needed.end(), failure.rank) != needed.end();
}

Status FailedError(const GroupFailure& failure, const Waiting& waiting) {
  const std::string here = DescribeCall(waiting);
  if (failure.late) {
    return DeadlineError("rank ",
                         failure.rank,
                         " has ended its wait, and does not come to ",
                         here,
                         " of this rank any more: ",
                         failure.why);
  }
  return PeerLostError("rank ",
                       failure.rank,
                       " cannot go on in this group: ",
                       failure.why,
                       "; this rank was in ",
                       here);
}

void GroupFailures::Add(std::uint32_t group, const GroupFailure& failure) {
  std::vector<GroupFailure>& known = failures_[group];
  const bool again =
      std::any_of(known.begin(), known.end(), [&](const GroupFailure& other) {
        return other.rank == failure.rank;
      });
  if (!again) known.push_back(failure);
}

Status GroupFailures::Check(std::uint32_t group,
                            std::span<const int> needed,
                            const Waiting& waiting) const {
  const auto known = failures_.find(group);
  if (known == failures_.end()) return OkStatus();
  // Of several, that of the earliest call, and of the first rank: the same on
  // all ranks that have heard of both.
  const GroupFailure* first = nullptr;
  for (const GroupFailure& failure : known->second) {
    if (!Concerns(failure, needed, waiting)) continue;
    if (first == nullptr || failure.sequence < first->sequence ||
        (failure.sequence == first->sequence && failure.rank < first->rank)) {
      first = &failure;
    }
  }
  return first == nullptr ? OkStatus() : FailedError(*first, waiting);
}

}  // namespace gyre::internal::inline collectives
