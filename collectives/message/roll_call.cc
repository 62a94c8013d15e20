#include "gyre/collectives/message/roll_call.h"

#include <utility>

#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {
namespace {

// How long one who knows of a disagreement waits for further ranks, so that
// all ranks name the same two.
constexpr std::int64_t kGraceNs = 50'000'000;

}  // namespace

RollCall::RollCall(std::vector<int> members, int me)
    : members_(std::move(members)),
      me_(me),
      heads_(members_.size()),
      here_(members_.size()),
      known_(members_.size()) {}

void RollCall::Begin(const CallHead& mine) {
  here_.assign(members_.size(), false);
  missing_ = static_cast<int>(members_.size());
  disagreed_at_ns_ = 0;
  Add(me_, mine);
}

void RollCall::Add(int rank, const CallHead& head) {
  if (here_[rank]) return;
  heads_[rank] = head;
  here_[rank] = true;
  known_[rank] = true;
  --missing_;
  if (!Agrees(rank) && disagreed_at_ns_ == 0) disagreed_at_ns_ = NowNanos();
}

bool RollCall::Failed() const {
  if (disagreed_at_ns_ == 0) return false;
  return complete() || NowNanos() - disagreed_at_ns_ > kGraceNs;
}

Status RollCall::Agreement() const {
  int first = -1;
  for (int r = 0; r < static_cast<int>(members_.size()); ++r) {
    if (!here_[r]) continue;
    if (first < 0) first = r;
    if (!heads_[r].Agrees(heads_[first])) {
      return Disagreement(
          heads_[first], members_[first], heads_[r], members_[r]);
    }
  }
  return OkStatus();
}

std::string RollCall::LastCall(int rank) const {
  return known_[rank] ? LastSeen(heads_[rank]) : "";
}

}  // namespace gyre::internal::inline collectives
