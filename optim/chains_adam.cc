// The updates of Adam and AdamW.

#include "gyre/optim/adam.h"
#include "gyre/optim/clip.h"
#include "gyre/optim/clip_tensor.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/erase_compiled.h"

namespace gyre::optim::detail {

using namespace internal;

GYRE_ADAM_CHAINS(GYRE_COMPILE_CHAIN)

}  // namespace gyre::optim::detail
