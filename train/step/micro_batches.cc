#include "gyre/train/step/micro_batches.h"

#include <algorithm>
#include <utility>

#include "gyre/core/check.h"
#include "gyre/core/finite.h"
#include "gyre/core/hash.h"

namespace gyre::internal::inline train {

MicroBatches::MicroBatches(const TrainState& state, float* grads, int count)
    : state_(state), grads_(grads), count_(count) {
  if (!several()) return;
  sum_ = AllocateAligned(state.layout().bytes());
  buffers_ = AllocateAligned(state.buffer_layout().bytes());
  GYRE_CHECK(sum_ != nullptr && buffers_ != nullptr,
             "no memory for the sum of micro-batches");
}

void MicroBatches::Begin() {
  if (!several()) return;
  accepted_ = 0;
  bad_.clear();
  std::fill_n(sum(), state_.layout().elements(), 0.0f);
  const std::span<const float> now = state_.front().buffers();
  std::copy_n(now.data(), now.size(), buffers());
}

// sum = sum + factor * the flat gradient
void MicroBatches::Add(float factor) {
  float* const sums = sum();
  for (std::int64_t i = 0; i < state_.layout().elements(); ++i) {
    sums[i] += factor * grads_[i];
  }
}

StatusOr<optim::Verdict> MicroBatches::Agree(
    int index, const optim::LocalFindings& findings) const {
  Communicator& world = state_.mesh().world();
  const optim::Guard& guard = state_.optimizer().guard();
  GYRE_RETURN_IF_ERROR(
      world.Barrier({.label = "findings of a micro-batch",
                     .loc = SourceLoc::Current(),
                     .step = state_.next_step(),
                     .note = findings.ToNote(guard, state_.layout())}));
  // The norm is known only after the reduction, and judged there.
  optim::Verdict verdict =
      optim::Judge(world.records(), 0, state_.guard(), guard);
  const auto place = static_cast<std::uint64_t>(index);
  verdict.id = Hash64(&place, sizeof(place), verdict.id);
  const std::span<const float> buffers = state_.back().buffers();
  return optim::ConfirmUpdate(std::move(verdict),
                              CountNonFinite(buffers.data(), buffers.size()),
                              -1,
                              guard);
}

Status MicroBatches::Take(int index, const optim::LocalFindings& findings) {
  GYRE_ASSIGN_OR_RETURN(optim::Verdict verdict, Agree(index, findings));
  if (verdict.applies()) {
    ++accepted_;
    Add(static_cast<float>(verdict.rescale));
    const std::span<const float> next = state_.back().buffers();
    std::copy_n(next.data(), next.size(), buffers());
  }
  if (verdict.reasons != 0) {
    bad_.push_back({index, std::move(verdict), findings});
  }
  return OkStatus();
}

void MicroBatches::PutMeanInPlace() {
  const float factor = 1.0f / static_cast<float>(std::max(accepted_, 1));
  for (std::int64_t i = 0; i < state_.layout().elements(); ++i) {
    grads_[i] = sum()[i] * factor;
  }
  const std::span<float> next = state_.back().buffers();
  std::copy_n(buffers(), next.size(), next.data());
}

optim::Verdict MicroBatches::Overrule(optim::Verdict verdict) const {
  if (!several()) return verdict;
  const optim::Verdict* last = nullptr;
  for (const MicroFinding& f : bad_) {
    last = &f.verdict;
    if (f.verdict.action == optim::Action::kHalt) return f.verdict;
    if (f.verdict.overflow) return f.verdict;
  }
  if (accepted_ > 0 || last == nullptr) return verdict;
  return *last;
}

}  // namespace gyre::internal::inline train
