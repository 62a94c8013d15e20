// A layout with its arrays, for tests of the update.

#ifndef GYRE_TESTS_OPTIM_FLAT_WORLD_H_
#define GYRE_TESTS_OPTIM_FLAT_WORLD_H_

#include <cstring>
#include <utility>
#include <vector>

#include "gyre/core/aligned.h"
#include "gyre/core/check.h"
#include "gyre/core/finite.h"
#include "gyre/optim/any_optimizer.h"
#include "gyre/optim/norm.h"
#include "gyre/optim/scan.h"

namespace gyre::optim {

using namespace internal;

// A zeroed flat array.
class FlatArray {
 public:
  explicit FlatArray(const FlatLayout& layout)
      : bytes_(layout.bytes()), buffer_(AllocateAligned(layout.bytes())) {}

  float* data() { return reinterpret_cast<float*>(buffer_.get()); }
  const float* data() const {
    return reinterpret_cast<const float*>(buffer_.get());
  }
  std::size_t size() const { return bytes_ / sizeof(float); }
  float& operator[](std::int64_t i) { return data()[i]; }
  float operator[](std::int64_t i) const { return data()[i]; }

  friend bool operator==(const FlatArray& a, const FlatArray& b) {
    return a.bytes_ == b.bytes_ &&
           std::memcmp(a.buffer_.get(), b.buffer_.get(), a.bytes_) == 0;
  }

 private:
  std::size_t bytes_;
  AlignedBuffer buffer_;
};

inline FlatLayout MakeLayout(std::initializer_list<Shape> shapes) {
  FlatLayout layout;
  int i = 0;
  for (const Shape& shape : shapes) {
    GYRE_CHECK(layout.Add(Cat("t", i++), shape).ok(), "bad shape in a test");
  }
  return layout;
}

// Two banks of parameters and states, one array of gradients, and the loop
// that a training step runs.
class FlatWorld {
 public:
  FlatWorld(FlatLayout layout, AnyOptimizer optimizer)
      : layout_(std::move(layout)),
        optimizer_(std::move(optimizer)),
        traits_(optimizer_.MakeTraits(layout_)),
        state_layouts_(optimizer_.MakeStateLayouts(layout_)),
        grads_(layout_) {
    for (int b = 0; b < 2; ++b) {
      banks_[b].emplace_back(layout_);
      for (const FlatLayout& state : state_layouts_) {
        banks_[b].emplace_back(state);
      }
      for (FlatArray& a : banks_[b]) pointers_[b].push_back(a.data());
    }
    const_pointers_[0].assign(pointers_[0].begin(), pointers_[0].end());
    const_pointers_[1].assign(pointers_[1].begin(), pointers_[1].end());
  }

  const FlatLayout& layout() const { return layout_; }
  FlatArray& grads() { return grads_; }
  FlatArray& params() { return banks_[now_][0]; }
  FlatArray& state(int k) { return banks_[now_][k + 1]; }
  GuardState& guard_state() { return guard_state_; }
  const AnyOptimizer& optimizer() const { return optimizer_; }

  // Of tensors [begin, end).
  UpdateResult Update(double grad_scale, int begin = 0, int end = -1) {
    const int next = 1 - now_;
    return optimizer_.Update(
        {.layout = &layout_,
         .traits = traits_,
         .state_layouts = state_layouts_,
         .grads = grads_.data(),
         .from = {.params = const_pointers_[now_][0],
                  .states = std::span(const_pointers_[now_]).subspan(1)},
         .to = {.params = pointers_[next][0],
                .states = std::span(pointers_[next]).subspan(1)},
         .grad_scale = grad_scale,
         .applied_steps = guard_state_.applied,
         .begin = begin,
         .end = end});
  }
  void Flip() { now_ = 1 - now_; }
  // Of parameters and states: how many are not finite.
  std::int64_t CountBad() const {
    std::int64_t bad = 0;
    for (const FlatArray& a : banks_[now_]) {
      bad += CountNonFinite(a.data(), a.size());
    }
    return bad;
  }

  // One step of a world of one rank, as the host loop runs it.
  Status Step(double loss, Verdict* verdict) {
    const Guard& guard = optimizer_.guard();
    const LocalFindings found = ScanLocal(layout_, grads_.data(), loss);
    Contain(guard, layout_, found, grads_.data());
    const Note note = found.ToNote(guard, layout_);
    Verdict v = Judge(std::span(&note, 1),
                      GlobalNorm(guard.norm, grads_.data(), layout_.elements()),
                      guard_state_,
                      guard);
    if (v.applies()) {
      const UpdateResult r = Update(v.grad_scale());
      v = ConfirmUpdate(v, r.non_finite, r.first_bad_tensor, guard);
    }
    if (v.applies()) Flip();
    *verdict = v;
    return guard_state_.AfterStep(v, guard, layout_);
  }

 private:
  FlatLayout layout_;
  AnyOptimizer optimizer_;
  std::vector<TensorTraits> traits_;
  std::vector<FlatLayout> state_layouts_;
  FlatArray grads_;
  std::vector<FlatArray> banks_[2];  // parameters, then states
  std::vector<float*> pointers_[2];
  std::vector<const float*> const_pointers_[2];
  GuardState guard_state_;
  int now_ = 0;
};

}  // namespace gyre::optim

#endif  // GYRE_TESTS_OPTIM_FLAT_WORLD_H_
