// The layouts of attention: features of all heads in a row, or each head on
// its own.

#ifndef GYRE_MODELS_HEADS_H_
#define GYRE_MODELS_HEADS_H_

#include <cstdint>

#include "gyre/autodiff/var.h"

namespace gyre::internal::inline models {

// (batch, seq, heads * d) -> (batch, heads, seq, d)
Var SplitHeads(Traced x, std::int64_t heads);
// (batch, heads, seq, d) -> (batch, seq, heads * d)
Var JoinHeads(Traced x);

}  // namespace gyre::internal::inline models

#endif  // GYRE_MODELS_HEADS_H_
