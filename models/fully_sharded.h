// Parameters that are cut over the ranks of a data axis and gathered where a
// layer needs them.
//
//   Var h = gelu(gathered_linear(params, "up", x, 1024, "data"));
//
// Each rank keeps, updates and remembers moments of its part alone; on the way
// back the gradient arrives already summed over the axis, in parts
// (reduce_scatter is the transpose of all_gather). (Zhao et al., "PyTorch
// FSDP", 2023.) Inside checkpoint() (autodiff/checkpoint.h) the whole is
// gathered once more for the backward pass instead of being kept.
//
// The numbers are those of the plain layers, and so are names and first values.
// A tensor that has no dimension which the ranks divide is held by all.
//
// WARNING 1: a bad number of one rank is in the sum before the guard looks at
// the parts: the step is skipped on all ranks as ever, but the gradient does
// not tell which rank was first. Its loss, and the first cause, do.

#ifndef GYRE_MODELS_FULLY_SHARDED_H_
#define GYRE_MODELS_FULLY_SHARDED_H_

#include <string>

#include "gyre/autodiff/var.h"
#include "gyre/models/layers.h"

namespace gyre {

// The whole parameter, of which this rank keeps its part along the first
// dimension that the ranks of the axis divide.
Var GetGathered(Params& params,
                const std::string& name,
                Shape shape,
                const std::string& axis,
                const Init& init,
                const char* file = __builtin_FILE(),
                int line = __builtin_LINE());

// linear (models/layers.h) with gathered parameters.
Var gathered_linear(Params& params,
                    const std::string& name,
                    Traced x,
                    std::int64_t out,
                    const std::string& axis,
                    const LinearOptions& options = {});

}  // namespace gyre

#endif  // GYRE_MODELS_FULLY_SHARDED_H_
