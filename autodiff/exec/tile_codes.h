// The codes that core/math.h has no word for, as function objects over any
// vector type.

#ifndef GYRE_AUTODIFF_EXEC_TILE_CODES_H_
#define GYRE_AUTODIFF_EXEC_TILE_CODES_H_

#include "gyre/core/math.h"
#include "gyre/core/simd.h"

namespace gyre::internal::inline autodiff {

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

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_TILE_CODES_H_
