#include "gyre/collectives/rendezvous.h"

#include <algorithm>
#include <utility>

#include "gyre/collectives/describe.h"
#include "gyre/collectives/futex.h"
#include "gyre/collectives/membership.h"
#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {
namespace {

constexpr std::uint32_t kProbeEvery = 16;

// How often a sleeper looks whether its peers' processes still live.
constexpr std::int64_t kSliceNs = 50'000'000;

void Pause() { __builtin_ia32_pause(); }

}  // namespace

Rendezvous::Rendezvous(SharedSpace& space,
                       GroupBlock block,
                       std::vector<int> members,
                       int me,
                       WaitPolicy policy)
    : space_(space),
      block_(block),
      members_(std::move(members)),
      me_(me),
      policy_(policy),
      spin_ns_(policy.spin_ns) {}

void Rendezvous::Arrive() {
  ++phase_;
  block_.slot(me_).phase.store(phase_, std::memory_order_release);
  GroupHeader& header = block_.header();
  header.arrivals.fetch_add(1);
  // The one who completes the phase wakes the others. Sleepers count
  // themselves before the kernel looks at `arrivals`, so none is missed.
  if (Complete() && header.sleepers.load() != 0) {
    FutexWakeAll(header.arrivals);
  }
}

void Rendezvous::Fail(const GroupFailure& failure) {
  RankSlot& slot = block_.slot(me_);
  slot.failure.Store(failure.why);
  slot.failed_sequence.store(failure.sequence);
  const auto state = failure.late ? FailureState::kLate : FailureState::kFailed;
  slot.failed.store(static_cast<std::uint32_t>(state));
  FutexWakeAll(block_.header().arrivals);
}

bool Rendezvous::CompleteAt(std::uint32_t arrivals) const {
  const auto target = phase_ * static_cast<std::uint32_t>(members_.size());
  return static_cast<std::int32_t>(arrivals - target) >= 0;  // across the wrap
}

bool Rendezvous::Complete() const {
  return CompleteAt(block_.header().arrivals.load(std::memory_order_acquire));
}

bool Rendezvous::Spin() {
  if (policy_.spin_ns <= 0) return Complete();
  // Ranks that have begun to sleep keep each other late by the time that
  // waking takes, and short spins would never see them come. So every now and
  // then one waits long enough to find out.
  const bool probe = ++spins_ % kProbeEvery == 0;
  const std::int64_t length = probe ? policy_.spin_ns : spin_ns_;
  const std::int64_t until = NowNanos() + length;
  do {
    for (int i = 0; i < 32; ++i) {
      if (Complete()) {
        spin_ns_ = std::min(policy_.spin_ns, length * 2);
        return true;
      }
      Pause();
    }
  } while (NowNanos() < until);
  spin_ns_ = std::max(policy_.spin_ns / 16, spin_ns_ / 2);
  return false;
}

Status Rendezvous::Wait(const Waiting& waiting) {
  if (Complete() || Spin()) return OkStatus();
  const Status status = WaitUntilDeadline(waiting);
  return status.ok() ? status : TakeBack(status);
}

Status Rendezvous::TakeBack(const Status& why) {
  std::atomic<std::uint32_t>& arrivals = block_.header().arrivals;
  std::uint32_t now = arrivals.load();
  do {
    if (CompleteAt(now)) return OkStatus();
  } while (!arrivals.compare_exchange_weak(now, now - 1));
  block_.slot(me_).phase.store(--phase_);
  return why;
}

Status Rendezvous::WaitUntilDeadline(const Waiting& waiting) {
  GroupHeader& header = block_.header();
  const std::int64_t start = NowNanos();
  const std::int64_t deadline = start + policy_.deadline_ns;
  bool slice_over = false;
  while (true) {
    const std::uint32_t seen = header.arrivals.load();
    if (Complete()) return OkStatus();
    GYRE_RETURN_IF_ERROR(CheckPeers(waiting, slice_over));
    const std::int64_t now = NowNanos();
    if (now >= deadline) {
      GYRE_RETURN_IF_ERROR(Late(waiting, now - start));
    }
    header.sleepers.fetch_add(1);
    slice_over =
        !FutexWait(header.arrivals, seen, std::min(deadline, now + kSliceNs));
    header.sleepers.fetch_sub(1);
  }
}

std::vector<int> Rendezvous::Missing() const {
  std::vector<int> missing;
  for (std::size_t r = 0; r < members_.size(); ++r) {
    const std::uint32_t at = block_.slot(static_cast<int>(r)).phase.load();
    if (static_cast<std::int32_t>(at - phase_) < 0) {
      missing.push_back(static_cast<int>(r));
    }
  }
  return missing;
}

Status Rendezvous::CheckFailures(std::span<const int> needed,
                                 const Waiting& waiting) const {
  for (std::size_t r = 0; r < members_.size(); ++r) {
    const RankSlot& slot = block_.slot(static_cast<int>(r));
    const auto state = static_cast<FailureState>(slot.failed.load());
    if (state == FailureState::kNone) continue;
    const GroupFailure failure = {.rank = members_[r],
                                  .sequence = slot.failed_sequence.load(),
                                  .late = state == FailureState::kLate,
                                  .why = slot.failure.Load()};
    if (Concerns(failure, needed, waiting)) {
      return FailedError(failure, waiting);
    }
  }
  return OkStatus();
}

Status Rendezvous::CheckPeers(const Waiting& waiting, bool processes) const {
  std::vector<int> needed;
  for (const int r : Missing()) needed.push_back(members_[r]);
  Status status = CheckFailures(needed, waiting);
  if (status.ok()) status = CheckMembers(space_, needed, processes, waiting);
  // The last rank may have arrived and then left in between.
  return Complete() ? OkStatus() : status;
}

Status Rendezvous::Late(const Waiting& waiting, std::int64_t waited_ns) const {
  const std::vector<int> missing = Missing();
  if (missing.empty()) return OkStatus();  // just come, not yet counted
  const RankSlot& slot = block_.slot(missing.front());
  std::vector<int> ranks;
  for (const int r : missing) ranks.push_back(members_[r]);
  const bool inside =
      slot.phase.load() != 0 && slot.sequence.load() == waiting.sequence;
  return LateError(ranks,
                   inside,
                   waiting,
                   waited_ns,
                   LastSeen(space_.header(), ranks.front(), slot));
}

}  // namespace gyre::internal::inline collectives
