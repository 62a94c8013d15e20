// The table of inner loops for one element type; included by the two sources
// that instantiate it.

#ifndef GYRE_AUTODIFF_EXEC_TILE_LOOPS_H_
#define GYRE_AUTODIFF_EXEC_TILE_LOOPS_H_

#include <array>

#include "autodiff/exec/tile_functions.h"
#include "core/math.h"
#include "core/simd.h"

namespace gyre::internal {

template <class T>
Batch<T> LoadVector(const std::byte* p) {
  return Load(reinterpret_cast<const T*>(p));
}
template <class T>
void StoreVector(std::byte* p, const Batch<T>& x) {
  Store(reinterpret_cast<T*>(p), x);
}

template <class T, class Fn>
void UnaryLoop(std::byte* dst,
               const TileOperand& a,
               const TileOperand&,
               const TileOperand&,
               std::size_t vectors) {
  const std::byte* pa = a.data;
  const std::size_t step = a.step;
  for (std::size_t v = 0; v < vectors; ++v) {
    StoreVector<T>(dst, Fn{}(LoadVector<T>(pa)));
    dst += sizeof(Batch<T>);
    pa += step;
  }
}

template <class T, class Fn>
void BinaryLoop(std::byte* dst,
                const TileOperand& a,
                const TileOperand& b,
                const TileOperand&,
                std::size_t vectors) {
  const std::byte* pa = a.data;
  const std::byte* pb = b.data;
  const std::size_t step_a = a.step, step_b = b.step;
  for (std::size_t v = 0; v < vectors; ++v) {
    StoreVector<T>(dst, Fn{}(LoadVector<T>(pa), LoadVector<T>(pb)));
    dst += sizeof(Batch<T>);
    pa += step_a;
    pb += step_b;
  }
}

template <class T, class Fn>
void TernaryLoop(std::byte* dst,
                 const TileOperand& a,
                 const TileOperand& b,
                 const TileOperand& c,
                 std::size_t vectors) {
  const std::byte* pa = a.data;
  const std::byte* pb = b.data;
  const std::byte* pc = c.data;
  const std::size_t step_a = a.step, step_b = b.step, step_c = c.step;
  for (std::size_t v = 0; v < vectors; ++v) {
    StoreVector<T>(
        dst, Fn{}(LoadVector<T>(pa), LoadVector<T>(pb), LoadVector<T>(pc)));
    dst += sizeof(Batch<T>);
    pa += step_a;
    pb += step_b;
    pc += step_c;
  }
}

// What core/math.h spells with operators, as function objects. Never !=: of
// NaN, xsimd's is false.
template <class V, class Mask>
V ZeroOrOne(const Mask& mask) {
  return math::select(mask, V(1), V(0));
}
struct AddCode {
  auto operator()(auto a, auto b) const { return a + b; }
};
struct SubCode {
  auto operator()(auto a, auto b) const { return a - b; }
};
struct MulCode {
  auto operator()(auto a, auto b) const { return a * b; }
};
struct DivCode {
  auto operator()(auto a, auto b) const { return a / b; }
};
struct LtCode {
  template <class V>
  V operator()(V a, V b) const {
    return ZeroOrOne<V>(a < b);
  }
};
struct LeCode {
  template <class V>
  V operator()(V a, V b) const {
    return ZeroOrOne<V>(a <= b);
  }
};
struct EqCode {
  template <class V>
  V operator()(V a, V b) const {
    return ZeroOrOne<V>(a == b);
  }
};
struct NeCode {
  template <class V>
  V operator()(V a, V b) const {
    return ZeroOrOne<V>(!(a == b));
  }
};
struct GtCode {
  template <class V>
  V operator()(V a, V b) const {
    return ZeroOrOne<V>(b < a);
  }
};
struct GeCode {
  template <class V>
  V operator()(V a, V b) const {
    return ZeroOrOne<V>(b <= a);
  }
};
struct AndCode {
  template <class V>
  V operator()(V a, V b) const {
    return ZeroOrOne<V>(!((a == V(0)) | (b == V(0))));
  }
};
struct OrCode {
  template <class V>
  V operator()(V a, V b) const {
    return ZeroOrOne<V>(!((a == V(0)) & (b == V(0))));
  }
};
struct NotCode {
  template <class V>
  V operator()(V a) const {
    return ZeroOrOne<V>(a == V(0));
  }
};
struct IsFiniteCode {
  template <class V>
  V operator()(V a) const {
    return ZeroOrOne<V>(IsFinite(a));
  }
};
struct SelectCode {
  template <class V>
  V operator()(V a, V b, V c) const {
    return math::select(a == V(0), c, b);
  }
};
struct FmaCode {
  template <class V>
  V operator()(V a, V b, V c) const {
    return Lanes<V>::Fma(a, b, c);
  }
};

// In the order of Code.
template <class T>
inline constexpr std::array<TileFunction, kCodes> kTileFunctions = {
    nullptr,
    &UnaryLoop<T, math::NegFn>,
    &UnaryLoop<T, math::AbsFn>,
    &UnaryLoop<T, math::ExpFn>,
    &UnaryLoop<T, math::Expm1Fn>,
    &UnaryLoop<T, math::LogFn>,
    &UnaryLoop<T, math::Log1pFn>,
    &UnaryLoop<T, math::Log2Fn>,
    &UnaryLoop<T, math::SqrtFn>,
    &UnaryLoop<T, math::RsqrtFn>,
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
    &UnaryLoop<T, math::ReluFn>,
    &UnaryLoop<T, math::SquareFn>,
    &UnaryLoop<T, math::ReciprocalFn>,
    &UnaryLoop<T, math::FloorFn>,
    &UnaryLoop<T, math::CeilFn>,
    &UnaryLoop<T, math::RoundFn>,
    &UnaryLoop<T, math::SignFn>,
    &UnaryLoop<T, IsFiniteCode>,
    &UnaryLoop<T, NotCode>,
    &BinaryLoop<T, AddCode>,
    &BinaryLoop<T, SubCode>,
    &BinaryLoop<T, MulCode>,
    &BinaryLoop<T, DivCode>,
    &BinaryLoop<T, math::PowFn>,
    &BinaryLoop<T, math::MinFn>,
    &BinaryLoop<T, math::MaxFn>,
    &BinaryLoop<T, math::Atan2Fn>,
    &BinaryLoop<T, math::XlogyFn>,
    &BinaryLoop<T, LtCode>,
    &BinaryLoop<T, LeCode>,
    &BinaryLoop<T, GtCode>,
    &BinaryLoop<T, GeCode>,
    &BinaryLoop<T, EqCode>,
    &BinaryLoop<T, NeCode>,
    &BinaryLoop<T, AndCode>,
    &BinaryLoop<T, OrCode>,
    &TernaryLoop<T, SelectCode>,
    &TernaryLoop<T, FmaCode>};

}  // namespace gyre::internal

#endif  // GYRE_AUTODIFF_EXEC_TILE_LOOPS_H_
