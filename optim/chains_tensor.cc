// The updates of LAMB and Adafactor.

#include "gyre/optim/adafactor.h"
#include "gyre/optim/clip_tensor.h"
#include "gyre/optim/erase_compiled.h"
#include "gyre/optim/lamb.h"

namespace gyre::optim::detail {

using namespace internal;

GYRE_TENSOR_CHAINS(GYRE_COMPILE_CHAIN)

}  // namespace gyre::optim::detail
