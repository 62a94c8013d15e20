#include "gyre/autodiff/exec/tile_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gyre/core/simd.h"
#include "tests/autodiff/exec/tile_reference.h"

namespace gyre::internal::inline tests {
namespace {

template <class T>
bool Same(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) ||
         (a == b && std::signbit(a) == std::signbit(b));
}

template <class T>
std::vector<T> Values() {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  const std::vector<T> base = {T(0),
                               T(-0.0),
                               T(1),
                               T(-1),
                               T(0.5),
                               T(2.5),
                               T(-3.7),
                               T(0.1),
                               T(20.3),
                               kInf,
                               -kInf,
                               T(NAN),
                               T(1e-6)};
  return base;
}

// Every code, every combination of values, batches against scalars.
template <class T>
void ExpectScalarMeaning(DType compute) {
  const std::vector<T> values = Values<T>();
  for (int i = 1; i < kCodes; ++i) {
    const Code code = static_cast<Code>(i);
    const TileFunction function = FindTileFunction(code, compute);
    ASSERT_NE(function, nullptr) << code;
    for (const T a : values) {
      for (const T b : values) {
        const T c = values[(i + 3) % values.size()];
        // a varies in a tile of two vectors, b and c are broadcast.
        alignas(64) T tile[2 * kLanes<T>], vb[kLanes<T>], vc[kLanes<T>];
        for (T& x : tile) x = a;
        tile[1] = T(0.75);
        for (T& x : vb) x = b;
        for (T& x : vc) x = c;
        auto* bytes = reinterpret_cast<std::byte*>(tile);
        function(bytes,
                 {bytes, sizeof(Batch<T>)},
                 {reinterpret_cast<std::byte*>(vb), 0},
                 {reinterpret_cast<std::byte*>(vc), 0},
                 2);
        for (std::size_t k = 0; k < 2 * kLanes<T>; ++k) {
          const T want = ReferenceCode<T>(code, k == 1 ? T(0.75) : a, b, c);
          ASSERT_TRUE(Same(tile[k], want))
              << code << "(" << (k == 1 ? T(0.75) : a) << ", " << b << ", " << c
              << ") = " << tile[k] << ", wanted " << want;
        }
      }
    }
  }
}

TEST(TileFunctions, EveryCodeInSinglePrecision) {
  ExpectScalarMeaning<float>(DType::kF32);
}
TEST(TileFunctions, EveryCodeInDoublePrecision) {
  ExpectScalarMeaning<double>(DType::kF64);
}

}  // namespace
}  // namespace gyre::internal::inline tests
