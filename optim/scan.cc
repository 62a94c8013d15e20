#include "gyre/optim/scan.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gyre/core/finite.h"
#include "gyre/optim/norm.h"

namespace gyre::optim {

using namespace internal;

namespace {

constexpr std::size_t kBlock = 4096;  // stays in the first cache

// The slow way, for a block that is known to be bad. `base` is the block's
// first element in its tensor.
double Inspect(const float* x,
               std::size_t n,
               std::int64_t base,
               TensorFinding* found) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (IsFinite(x[i])) {
      sum += double{x[i]} * double{x[i]};
      continue;
    }
    if (found->nan + found->inf == 0) {
      found->first = base + static_cast<std::int64_t>(i);
    }
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(x[i]);
    ++((bits & 0x007fffffu) == 0 ? found->inf : found->nan);
  }
  return sum;
}

}  // namespace

void LocalFindings::Reset() {
  tensors_.clear();
  sum_squares_.assign(sum_squares_.size(), 0);
  bad_loss_ = false;
}

void LocalFindings::ScanTensors(const FlatLayout& layout,
                                const float* grads,
                                int begin,
                                int end) {
  for (int t = begin; t < end; ++t) {
    const TensorSlot& slot = layout[t];
    TensorFinding found{.tensor = t};
    double sum = 0;
    const auto size = static_cast<std::size_t>(slot.size);
    for (std::size_t i = 0; i < size; i += kBlock) {
      const float* x = grads + slot.offset + i;
      const std::size_t n = std::min(kBlock, size - i);
      // No square of a float overflows f64: the sum is finite exactly when
      // all of the block is, and one pass answers both questions.
      const double fast = SumSquares(x, n);
      sum += IsFinite(fast) ? fast : Inspect(x, n, i, &found);
    }
    sum_squares_[t] = sum;
    if (found.nan + found.inf > 0) tensors_.push_back(found);
  }
}

void LocalFindings::CheckLoss(double loss) { bad_loss_ = !IsFinite(loss); }

std::int64_t LocalFindings::bad_elements() const {
  std::int64_t n = 0;
  for (const TensorFinding& t : tensors_) n += t.nan + t.inf;
  return n;
}

double LocalFindings::Norm() const {
  double sum = 0;
  for (const double s : sum_squares_) sum += s;
  return std::sqrt(sum);
}

Note LocalFindings::ToNote() const {
  std::uint32_t flags = 0;
  if (!tensors_.empty()) flags |= kBadGradient;
  if (bad_loss_) flags |= kBadLoss;
  return MakeNote(
      flags, bad_elements(), tensors_.empty() ? -1 : tensors_[0].tensor);
}

Note LocalFindings::ToNote(const Guard& guard, const FlatLayout& layout) const {
  Note note = ToNote();
  for (const TensorFinding& t : tensors_) {
    note.flags |= PolicyBit(guard.PolicyOf(layout[t.tensor]));
  }
  return note;
}

std::string LocalFindings::Describe(const FlatLayout& layout) const {
  std::string text = bad_loss_ ? "the loss is not finite" : "";
  for (const TensorFinding& t : tensors_) {
    const TensorSlot& slot = layout[t.tensor];
    if (!text.empty()) text += "; ";
    text += slot.name + ":";
    if (t.nan > 0) text += Cat(" ", t.nan, " NaN");
    if (t.nan > 0 && t.inf > 0) text += " and";
    if (t.inf > 0) text += Cat(" ", t.inf, " Inf");
    text += Cat(" of ", slot.size, ", first at element ", t.first);
  }
  return text;
}

LocalFindings ScanLocal(const FlatLayout& layout,
                        const float* grads,
                        double loss) {
  LocalFindings found(layout);
  found.ScanTensors(layout, grads, 0, layout.count());
  found.CheckLoss(loss);
  return found;
}

void Sanitise(const FlatLayout& layout,
              std::span<const TensorFinding> found,
              float* grads) {
  for (const TensorFinding& t : found) {
    const TensorSlot& slot = layout[t.tensor];
    float* x = grads + slot.offset;
    for (std::int64_t i = 0; i < slot.size; ++i) {
      if (!IsFinite(x[i])) x[i] = 0;
    }
  }
}

void Contain(Policy policy,
             const FlatLayout& layout,
             const LocalFindings& found,
             float* grads) {
  Contain(Guard{.policy = policy}, layout, found, grads);
}

void Contain(const Guard& guard,
             const FlatLayout& layout,
             const LocalFindings& found,
             float* grads,
             std::size_t done) {
  if (!found.bad() || guard.unguarded()) return;
  bool drop = found.bad_loss() && guard.policy == Policy::kDropRank;
  for (const TensorFinding& t : found.tensors()) {
    drop |= guard.PolicyOf(layout[t.tensor]) == Policy::kDropRank;
  }
  if (drop) {
    std::fill(grads, grads + layout.elements(), 0.0f);
  } else {
    Sanitise(layout, found.tensors().subspan(done), grads);
  }
}

}  // namespace gyre::optim
