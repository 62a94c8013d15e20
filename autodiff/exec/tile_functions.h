// One instruction on one tile: the inner loops of the elementwise engine.
//
// A tile is a run of whole vectors in the cache. An operand is either a tile
// or one vector that holds the same number in every lane (step 0).

#ifndef GYRE_AUTODIFF_EXEC_TILE_FUNCTIONS_H_
#define GYRE_AUTODIFF_EXEC_TILE_FUNCTIONS_H_

#include <cstddef>

#include "gyre/autodiff/pointwise_code.h"
#include "gyre/core/dtype.h"

namespace gyre::internal::inline autodiff {

struct TileOperand {
  const std::byte* data = nullptr;
  std::size_t step = 0;  // bytes from one vector to the next
};

// dst[v] = code(a[v], b[v], c[v]) for each of `vectors` vectors. dst may be
// the very memory of an operand, but not overlap one otherwise.
using TileFunction = void (*)(std::byte* dst,
                              const TileOperand& a,
                              const TileOperand& b,
                              const TileOperand& c,
                              std::size_t vectors);

// The function of every code but kConstant, in f32 or f64.
TileFunction FindTileFunction(Code code, DType compute);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_FUNCTIONS_H_
