// The table of inner loops for one element type; included by the two sources
// that instantiate it.

#ifndef GYRE_AUTODIFF_EXEC_TILE_LOOPS_H_
#define GYRE_AUTODIFF_EXEC_TILE_LOOPS_H_

#include <array>

#include "gyre/autodiff/exec/tile_codes.h"
#include "gyre/autodiff/exec/tile_functions.h"
#include "gyre/core/math.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline autodiff {

template <class T>
Batch<T> LoadVector(const std::byte* p) {
  return Load(reinterpret_cast<const T*>(p));
}
template <class T>
void StoreVector(std::byte* p, const Batch<T>& x) {
  Store(reinterpret_cast<T*>(p), x);
}

// Operands as a loop reads them: vector v of a tile, or always the same one.
template <class T>
struct TileReader {
  const std::byte* data;
  Batch<T> operator[](std::size_t v) const {
    return LoadVector<T>(data + v * sizeof(Batch<T>));
  }
};
template <class T>
struct UniformReader {
  Batch<T> value;
  Batch<T> operator[](std::size_t) const { return value; }
};
template <class T>
struct SteppedReader {
  const std::byte* data;
  std::size_t step;
  Batch<T> operator[](std::size_t v) const {
    return LoadVector<T>(data + v * step);
  }
};

// Calls f with the reader that suits the operand.
template <class T, class F>
void WithReader(const TileOperand& operand, F f) {
  if (operand.step == 0) {
    f(UniformReader<T>{LoadVector<T>(operand.data)});
  } else {
    f(TileReader<T>{operand.data});
  }
}

// One vector after the other. All loads of a group come before its stores, so
// dst may be the memory of an operand.
template <class T, int kGroup, class Fn, class... Readers>
void TileLoop(std::byte* dst, std::size_t vectors, Fn fn, Readers... x) {
  std::size_t v = 0;
  if constexpr (kGroup > 1) {
    static_assert(kGroup == 4);
    for (; v + 4 <= vectors; v += 4) {
      const Batch<T> y0 = fn(x[v]...);
      const Batch<T> y1 = fn(x[v + 1]...);
      const Batch<T> y2 = fn(x[v + 2]...);
      const Batch<T> y3 = fn(x[v + 3]...);
      std::byte* to = dst + v * sizeof(Batch<T>);
      StoreVector<T>(to, y0);
      StoreVector<T>(to + sizeof(Batch<T>), y1);
      StoreVector<T>(to + 2 * sizeof(Batch<T>), y2);
      StoreVector<T>(to + 3 * sizeof(Batch<T>), y3);
    }
  }
  for (; v < vectors; ++v) {
    StoreVector<T>(dst + v * sizeof(Batch<T>), fn(x[v]...));
  }
}

// Functions of many instructions: what they read costs nothing beside them.
template <class T, class Fn>
void UnaryLoop(std::byte* dst,
               const TileOperand& a,
               const TileOperand&,
               const TileOperand&,
               std::size_t vectors) {
  TileLoop<T, 1>(dst, vectors, Fn{}, SteppedReader<T>{a.data, a.step});
}
template <class T, class Fn>
void BinaryLoop(std::byte* dst,
                const TileOperand& a,
                const TileOperand& b,
                const TileOperand&,
                std::size_t vectors) {
  TileLoop<T, 1>(dst,
                 vectors,
                 Fn{},
                 SteppedReader<T>{a.data, a.step},
                 SteppedReader<T>{b.data, b.step});
}

// Functions of a few: loads, stores and counting are most of the work, so
// each kind of operand has a loop of its own.
template <class T, class Fn>
void LightUnaryLoop(std::byte* dst,
                    const TileOperand& a,
                    const TileOperand&,
                    const TileOperand&,
                    std::size_t vectors) {
  WithReader<T>(a, [&](auto x) { TileLoop<T, 4>(dst, vectors, Fn{}, x); });
}
template <class T, class Fn>
void LightBinaryLoop(std::byte* dst,
                     const TileOperand& a,
                     const TileOperand& b,
                     const TileOperand&,
                     std::size_t vectors) {
  WithReader<T>(a, [&](auto x) {
    WithReader<T>(b, [&](auto y) { TileLoop<T, 4>(dst, vectors, Fn{}, x, y); });
  });
}
template <class T, class Fn>
void LightTernaryLoop(std::byte* dst,
                      const TileOperand& a,
                      const TileOperand& b,
                      const TileOperand& c,
                      std::size_t vectors) {
  WithReader<T>(a, [&](auto x) {
    WithReader<T>(b, [&](auto y) {
      WithReader<T>(
          c, [&](auto z) { TileLoop<T, 4>(dst, vectors, Fn{}, x, y, z); });
    });
  });
}

template <class T, class Fn>
inline constexpr TileFunction kLightUnary = &LightUnaryLoop<T, Fn>;
template <class T, class Fn>
inline constexpr TileFunction kHeavyUnary = &UnaryLoop<T, Fn>;
template <class T, class Fn>
inline constexpr TileFunction kLightBinary = &LightBinaryLoop<T, Fn>;
template <class T, class Fn>
inline constexpr TileFunction kHeavyBinary = &BinaryLoop<T, Fn>;

#define GYRE_UNARY_LOOP(Code, name, Functor, Weight, Generated) \
  k##Weight##Unary<T, Functor>,
#define GYRE_BINARY_LOOP(Code, name, Functor, Weight, Generated) \
  k##Weight##Binary<T, Functor>,
#define GYRE_TERNARY_LOOP(Code, name, Functor, Weight, Generated) \
  &LightTernaryLoop<T, Functor>,
template <class T>
inline constexpr std::array<TileFunction, kCodes> kTileFunctions = {
    nullptr,
    GYRE_UNARY_CODES(GYRE_UNARY_LOOP) GYRE_BINARY_CODES(GYRE_BINARY_LOOP)
        GYRE_TERNARY_CODES(GYRE_TERNARY_LOOP)};
#undef GYRE_UNARY_LOOP
#undef GYRE_BINARY_LOOP
#undef GYRE_TERNARY_LOOP

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_LOOPS_H_
