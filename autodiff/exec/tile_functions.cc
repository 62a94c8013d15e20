#include "gyre/autodiff/exec/tile_functions.h"

#include "gyre/autodiff/exec/tile_loops.h"

namespace gyre::internal::inline autodiff {

TileFunction FindTileFunction(Code code, DType compute) {
  const auto i = static_cast<std::size_t>(code);
  return compute == DType::kF64 ? internal::kTileFunctions<double>[i]
                                : internal::kTileFunctions<float>[i];
}

}  // namespace gyre::internal::inline autodiff
