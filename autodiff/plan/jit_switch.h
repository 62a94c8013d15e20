// The environment's word on generated loops: GYRE_JIT=0 makes every plan
// interpret its elementwise operations, whatever its options say.
//
// To tell a fault of the generated code from one of the model, without
// building anew: the bits of both are the same.

#ifndef GYRE_AUTODIFF_PLAN_JIT_SWITCH_H_
#define GYRE_AUTODIFF_PLAN_JIT_SWITCH_H_

#include "gyre/core/status.h"

namespace gyre::internal::inline autodiff {

// False for GYRE_JIT=0; true for 1, for nothing, and where it is not set.
// Error: anything else.
StatusOr<bool> JitSwitch();

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_JIT_SWITCH_H_
