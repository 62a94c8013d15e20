// Adaptive gradient clipping: no unit's gradient may be longer than a share of
// its weights.
//
//   |g_i| > limit max(|w_i|, eps)  =>  g_i = g_i limit max(|w_i|, eps) / |g_i|
//
// i runs over the units, that is the outputs of a layer: the columns of a
// (in, out) matrix, the filters of a (out, in, k, k) kernel; a vector is one
// unit. Brock, De, Smith and Simonyan, High-Performance Large-Scale Image
// Recognition Without Normalization, 2021, equation 3.
//
//   Chain(Guard{}, ClipAdaptive{.limit = 0.01}, Momentum(0.1));
//
// The paper leaves the last layer out: `.where` is for that.

#ifndef GYRE_OPTIM_CLIP_ADAPTIVE_H_
#define GYRE_OPTIM_CLIP_ADAPTIVE_H_

#include <algorithm>
#include <cmath>
#include <string>

#include "gyre/core/finite.h"
#include "gyre/optim/tensor_stage.h"

namespace gyre::optim {

struct ClipAdaptive {
  double limit = 0.01;
  double eps = 1e-3;  // so that weights that begin at 0 can move
  Where where = AllTensors;

  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class T>
  void Transform(const TensorArgs<T>& t,
                 const Scalars&,
                 const TensorTraits&) const {
    if (t.size == 0) return;
    const Units units = UnitsOf(t.shape, t.size);
    for (std::int64_t i = 0; i < units.count; ++i) {
      ClipUnit(t, i * units.first_step, units.length, units.step);
    }
  }

  Status Validate() const {
    if (limit > 0 && eps > 0 && internal::IsFinite(eps)) return OkStatus();
    return ConfigError("ClipAdaptive needs limit > 0 and eps > 0; got limit ",
                       limit,
                       ", eps ",
                       eps);
  }
  std::string Describe() const {
    return Cat("clip_adaptive(limit=",
               internal::Number(limit),
               ", eps=",
               internal::Number(eps),
               ", where=",
               NameOf(where),
               ")");
  }

 private:
  struct Units {
    std::int64_t count;
    std::int64_t first_step;  // from a unit's first element to the next one's
    std::int64_t length;
    std::int64_t step;  // between elements of one unit
  };

  static Units UnitsOf(const Shape& shape, std::int64_t size) {
    if (shape.rank() < 2) return {1, 0, size, 1};
    if (shape.rank() == 2) return {shape[1], 1, shape[0], shape[1]};
    return {shape[0], size / shape[0], size / shape[0], 1};
  }

  template <class T>
  void ClipUnit(const TensorArgs<T>& t,
                std::int64_t first,
                std::int64_t length,
                std::int64_t step) const {
    double squares = 0, weights = 0;
    const std::int64_t end = first + length * step;
    for (std::int64_t i = first; i < end; i += step) {
      squares += double{t.u[i]} * double{t.u[i]};
      weights += double{t.p[i]} * double{t.p[i]};
    }
    const double most = limit * std::max(std::sqrt(weights), eps);
    const double norm = std::sqrt(squares);
    if (!(norm > most)) return;
    for (std::int64_t i = first; i < end; i += step) {
      t.u[i] = static_cast<T>(t.u[i] * (most / norm));
    }
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_CLIP_ADAPTIVE_H_
