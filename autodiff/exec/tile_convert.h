// Moving numbers between memory of any element type and tiles.
//
// To a float type: the nearest number. To an integer: truncated, NaN to 0, and
// what is too large to the nearest end of the range. To bool: 1 unless it is
// 0 (NaN is 1). From bool: any byte but 0 is 1.

#ifndef GYRE_AUTODIFF_EXEC_TILE_CONVERT_H_
#define GYRE_AUTODIFF_EXEC_TILE_CONVERT_H_

#include <cstddef>
#include <cstdint>

#include "gyre/core/dtype.h"

namespace gyre::internal::inline autodiff {

// dst[i] = src[i * stride] for i < n, dst dense and of the compute type.
// Stride 0 repeats one number.
using TileLoad = void (*)(const std::byte* src,
                          std::int64_t stride,
                          std::byte* dst,
                          std::size_t n);
TileLoad FindTileLoad(DType memory, DType compute);

// dst[i] = src[i] for i < n, src of the compute type.
using TileStore = void (*)(const std::byte* src, std::byte* dst, std::size_t n);
TileStore FindTileStore(DType memory, DType compute);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_CONVERT_H_
