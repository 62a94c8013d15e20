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

// In the order of Code.
template <class T>
inline constexpr std::array<TileFunction, kCodes> kTileFunctions = {
    nullptr,
    &LightUnaryLoop<T, math::NegFn>,
    &LightUnaryLoop<T, math::AbsFn>,
    &UnaryLoop<T, math::ExpFn>,
    &UnaryLoop<T, math::Expm1Fn>,
    &UnaryLoop<T, math::LogFn>,
    &UnaryLoop<T, math::Log1pFn>,
    &UnaryLoop<T, math::Log2Fn>,
    &LightUnaryLoop<T, math::SqrtFn>,
    &LightUnaryLoop<T, math::RsqrtFn>,
    &UnaryLoop<T, math::SinFn>,
    &UnaryLoop<T, math::CosFn>,
    &UnaryLoop<T, math::TanFn>,
    &UnaryLoop<T, math::AsinFn>,
    &UnaryLoop<T, math::AcosFn>,
    &UnaryLoop<T, math::AtanFn>,
    &UnaryLoop<T, math::SinhFn>,
    &UnaryLoop<T, math::CoshFn>,
    &UnaryLoop<T, math::TanhFn>,
    &UnaryLoop<T, math::SigmoidFn>,
    &UnaryLoop<T, math::ErfFn>,
    &UnaryLoop<T, math::GeluFn>,
    &UnaryLoop<T, math::GeluTanhFn>,
    &UnaryLoop<T, math::SiluFn>,
    &UnaryLoop<T, math::SoftplusFn>,
    &LightUnaryLoop<T, math::ReluFn>,
    &LightUnaryLoop<T, math::SquareFn>,
    &LightUnaryLoop<T, math::ReciprocalFn>,
    &LightUnaryLoop<T, math::FloorFn>,
    &LightUnaryLoop<T, math::CeilFn>,
    &LightUnaryLoop<T, math::RoundFn>,
    &LightUnaryLoop<T, math::SignFn>,
    &LightUnaryLoop<T, IsFiniteCode>,
    &LightUnaryLoop<T, NotCode>,
    &LightBinaryLoop<T, AddCode>,
    &LightBinaryLoop<T, SubCode>,
    &LightBinaryLoop<T, MulCode>,
    &LightBinaryLoop<T, DivCode>,
    &BinaryLoop<T, math::PowFn>,
    &LightBinaryLoop<T, math::MinFn>,
    &LightBinaryLoop<T, math::MaxFn>,
    &BinaryLoop<T, math::Atan2Fn>,
    &BinaryLoop<T, math::XlogyFn>,
    &LightBinaryLoop<T, LtCode>,
    &LightBinaryLoop<T, LeCode>,
    &LightBinaryLoop<T, GtCode>,
    &LightBinaryLoop<T, GeCode>,
    &LightBinaryLoop<T, EqCode>,
    &LightBinaryLoop<T, NeCode>,
    &LightBinaryLoop<T, AndCode>,
    &LightBinaryLoop<T, OrCode>,
    &LightTernaryLoop<T, SelectCode>,
    &LightTernaryLoop<T, FmaCode>};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_LOOPS_H_
