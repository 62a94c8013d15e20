// Clips that look at one tensor at a time.
//
//   ClipTensorNorm   u = u * min(1, limit / |u|)
//   ClipTensorRms    u = u / max(1, rms(u) / limit)
//
// The first is the clip by layer of Pascanu, Mikolov and Bengio, On the
// difficulty of training recurrent neural networks, 2013, applied to each
// tensor; the second is of Shazeer and Stern, Adafactor, 2018, section 6.
//
//   Chain(Guard{}, ClipTensorNorm{.limit = 0.5}, Adam(1e-3));
//
// A limit on the whole gradient is the guard's (Guard::max_norm).

#ifndef GYRE_OPTIM_CLIP_TENSOR_H_
#define GYRE_OPTIM_CLIP_TENSOR_H_

#include <cmath>
#include <string>

#include "gyre/optim/tensor_stage.h"

namespace gyre::optim {

struct ClipTensorNorm {
  double limit = 1;
  Where where = AllTensors;

  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class T>
  void Transform(const TensorArgs<T>& t,
                 const Scalars&,
                 const TensorTraits&) const {
    const double norm = std::sqrt(SumOfSquares(t.u, t.size));
    if (norm > limit) ScaleAll(t, limit / norm);
  }

  Status Validate() const {
    if (limit >= 0) return OkStatus();
    return ConfigError("ClipTensorNorm needs a limit of 0 or more, got ",
                       limit);
  }
  std::string Describe() const {
    return Cat("clip_tensor_norm(limit=",
               internal::Number(limit),
               ", where=",
               NameOf(where),
               ")");
  }
};

struct ClipTensorRms {
  double limit = 1;

  static constexpr int kStates = 0;
  struct Scalars {};
  Scalars Prepare(std::int64_t) const { return {}; }

  template <class T>
  void Transform(const TensorArgs<T>& t,
                 const Scalars&,
                 const TensorTraits&) const {
    const double rms = RootMeanSquare(t.u, t.size);
    if (rms > limit) ScaleAll(t, limit / rms);
  }

  Status Validate() const {
    if (limit > 0) return OkStatus();
    return ConfigError("ClipTensorRms needs a limit above 0, got ", limit);
  }
  std::string Describe() const {
    return Cat("clip_tensor_rms(limit=", internal::Number(limit), ")");
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_CLIP_TENSOR_H_
