// One tensor in all arrays of an optimizer, and the pass over it one number at
// a time. For staged_pass.h.

#ifndef GYRE_OPTIM_SEGMENT_H_
#define GYRE_OPTIM_SEGMENT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "gyre/core/finite.h"
#include "gyre/optim/norm.h"

namespace gyre::optim::detail {

// One tensor in every array.
template <int kStates, class T = float>
struct Segment {
  const T* grad = nullptr;
  const T* param = nullptr;
  std::array<const T*, kStates> state = {};
  T* new_param = nullptr;
  std::array<T*, kStates> new_state = {};
  std::int64_t size = 0;
};

// States [kState, kState + kPart) of a segment.
template <int kState, int kPart, int kStates, class T>
Segment<kPart, T> PartOf(const Segment<kStates, T>& seg) {
  Segment<kPart, T> part{.grad = seg.grad,
                         .param = seg.param,
                         .new_param = seg.new_param,
                         .size = seg.size};
  for (int k = 0; k < kPart; ++k) {
    part.state[k] = seg.state[kState + k];
    part.new_state[k] = seg.new_state[kState + k];
  }
  return part;
}

// How many new values of the segment are not finite.
template <int kStates>
std::int64_t CountBad(const Segment<kStates>& seg,
                      std::span<const std::int64_t> state_sizes) {
  std::int64_t bad = internal::CountNonFinite(
      seg.new_param, static_cast<std::size_t>(seg.size));
  for (int k = 0; k < kStates; ++k) {
    bad += internal::CountNonFinite(seg.new_state[k],
                                    static_cast<std::size_t>(state_sizes[k]));
  }
  return bad;
}

// kernel(g, states, p) gives the update and changes the states in place.
// kAddParam: new_param gets p + update; without, the update alone. True if
// every new value is finite.
//
// For float this is the fused pass (fused_pass.h) to the bit, for sources that
// are compiled without SIMD; for double it serves tests and Validate.
template <bool kAddParam, int kStates, class T, class Kernel>
bool ScalarPass(const Segment<kStates, T>& seg,
                SplitFactor scale,
                Kernel kernel) {
  bool finite = true;
  for (std::int64_t i = 0; i < seg.size; ++i) {
    T states[kStates + 1];
    for (int k = 0; k < kStates; ++k) states[k] = seg.state[k][i];
    const T p = seg.param[i];
    const T u = kernel(
        seg.grad[i] * scale.first * scale.second, static_cast<T*>(states), p);
    seg.new_param[i] = kAddParam ? p + u : u;
    finite = finite && internal::IsFinite(seg.new_param[i]);
    for (int k = 0; k < kStates; ++k) {
      seg.new_state[k][i] = states[k];
      finite = finite && internal::IsFinite(states[k]);
    }
  }
  return finite;
}

}  // namespace gyre::optim::detail

#endif  // GYRE_OPTIM_SEGMENT_H_
