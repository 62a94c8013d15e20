// Compiled as a user's source is, for the plainest processor: see
// CMakeLists.txt.

#include "gyre/core/simd.h"
#include "gyre/optim/adam.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/sgd.h"
#include "tests/optim/bend_stage.h"

#if defined(__AVX2__) || defined(XSIMD_VERSION_MAJOR)
#error "this source stands for one of a user without flags"
#endif

namespace gyre::optim {

using namespace internal;

int PlainWidth() { return kSimdWidth; }

AnyOptimizer PlainBend() {
  return Chain(Guard{}, Bend{}, Momentum(0.05), TrackEma{.decay = 0.5});
}

AnyOptimizer PlainCentredBend() {
  return Chain(Guard{}, Bend{}, Centred{}, Momentum(0.05));
}

AnyOptimizer PlainAdam() { return Chain(Guard{}, Adam(0.05)); }

}  // namespace gyre::optim
