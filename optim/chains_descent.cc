// The updates of descent, momentum, RMSProp and Lion.

#include "gyre/optim/clip_adaptive.h"
#include "gyre/optim/decay.h"
#include "gyre/optim/ema.h"
#include "gyre/optim/erase_compiled.h"
#include "gyre/optim/lion.h"
#include "gyre/optim/rmsprop.h"
#include "gyre/optim/sgd.h"

namespace gyre::optim::detail {

using namespace internal;

GYRE_DESCENT_CHAINS(GYRE_COMPILE_CHAIN)

}  // namespace gyre::optim::detail
