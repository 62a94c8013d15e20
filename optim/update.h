// What one update reads and writes.
//
// Parameters and states live in two banks. An update reads one and writes the
// other; the host makes the new one current only if the verdict is clean and
// every new value is finite. So a skipped step changes not one bit.

#ifndef GYRE_OPTIM_UPDATE_H_
#define GYRE_OPTIM_UPDATE_H_

#include <cstdint>
#include <span>

#include "gyre/optim/layout.h"
#include "gyre/optim/stage.h"

namespace gyre::optim {

// Parameters are of the layout, states of theirs; 64-byte aligned, zero in the
// padding.
struct ConstBank {
  const float* params = nullptr;
  std::span<const float* const> states = {};  // num_states() of them
};
struct Bank {
  float* params = nullptr;
  std::span<float* const> states = {};
};

struct UpdateArgs {
  const FlatLayout* layout = nullptr;
  std::span<const TensorTraits> traits = {};       // of MakeTraits(layout)
  std::span<const FlatLayout> state_layouts = {};  // of MakeStateLayouts
  const float* grads = nullptr;
  ConstBank from;
  Bank to;
  // Multiplies the gradient: the clip, and what else is due (1 / loss scale).
  double grad_scale = 1;
  std::int64_t applied_steps = 0;  // GuardState::applied
  // Tensors [begin, end); end < 0 means all. Ranges may run in parallel.
  int begin = 0;
  int end = -1;
  // Of them, these elements of the flat arrays alone, from a multiple of
  // FlatLayout::kAlign on: the states then begin with the first. A count < 0
  // means all. For chains of pointwise stages.
  std::int64_t window_first = 0;
  std::int64_t window_count = -1;
};

struct UpdateResult {
  std::int64_t non_finite = 0;  // new parameters and states
  int first_bad_tensor = -1;

  // Two ranges of one update.
  void Add(const UpdateResult& other) {
    non_finite += other.non_finite;
    if (first_bad_tensor < 0 || (other.first_bad_tensor >= 0 &&
                                 other.first_bad_tensor < first_bad_tensor)) {
      first_bad_tensor = other.first_bad_tensor;
    }
  }
};

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_UPDATE_H_
