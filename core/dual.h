// Dual numbers: a value and its derivatives by N variables, carried along.
//
//   using D = Dual<float, 2>;
//   const D x = D::Variable(3.0f, 0), y = D::Variable(4.0f, 1);
//   const D r = math::sqrt(x * x + y * y);   // r.value 5, r.grad {0.6, 0.8}
//
// T is float, double or a batch of either. Constants mix freely with duals
// (0.5f * x, x + 1, math::max(x, 0.0f)); comparisons look at the values and
// give T's mask, for math::select.
//
// Where a derivative is a matter of choice: abs' and relu' are 0 at 0; min and
// max give the gradient of a tie to the first argument, and of a NaN to the
// argument that holds it; floor, ceil, round and sign have derivative 0.
//
// WARNING 1: derivatives are honest. sqrt'(0) is infinite, and 0 * Inf is NaN:
// keep a select's branch inside its domain (math::sqrt(math::max(x, tiny))).

#ifndef GYRE_CORE_DUAL_H_
#define GYRE_CORE_DUAL_H_

#include <array>
#include <type_traits>

#include "gyre/core/math.h"

namespace gyre::internal::inline core {

template <class T, int N>
struct Dual {
  T value;
  std::array<T, N> grad;

  using Scalar = typename Lanes<T>::Scalar;

  Dual() : Dual(T(Scalar(0))) {}
  // A constant.
  Dual(const T& v) : value(v) { grad.fill(T(Scalar(0))); }
  template <math::Constant S>
  requires(!std::is_same_v<S, T>) Dual(S v) : Dual(T(static_cast<Scalar>(v))) {}
  Dual(const T& v, const std::array<T, N>& g) : value(v), grad(g) {}

  // The i-th variable, of this value.
  static Dual Variable(const T& v, int i) {
    Dual x(v);
    x.grad[i] = T(Scalar(1));
    return x;
  }

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend Dual operator-(const Dual& a) {
    return Map(-a.value, [&](int i) { return -a.grad[i]; });
  }
  friend Dual operator+(const Dual& a) { return a; }
  friend Dual operator+(const Dual& a, const Dual& b) {
    return Map(a.value + b.value, [&](int i) { return a.grad[i] + b.grad[i]; });
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return Map(a.value - b.value, [&](int i) { return a.grad[i] - b.grad[i]; });
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return Map(a.value * b.value, [&](int i) {
      return a.grad[i] * b.value + a.value * b.grad[i];
    });
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T q = a.value / b.value;
    return Map(q, [&](int i) { return (a.grad[i] - q * b.grad[i]) / b.value; });
  }

  friend auto operator<(const Dual& a, const Dual& b) {
    return a.value < b.value;
  }
  friend auto operator<=(const Dual& a, const Dual& b) {
    return a.value <= b.value;
  }
  friend auto operator>(const Dual& a, const Dual& b) {
    return a.value > b.value;
  }
  friend auto operator>=(const Dual& a, const Dual& b) {
    return a.value >= b.value;
  }
  friend auto operator==(const Dual& a, const Dual& b) {
    return a.value == b.value;
  }
  friend auto operator!=(const Dual& a, const Dual& b) {
    return !(a.value == b.value);  // xsimd's != is false for NaN
  }

  // The value v with the i-th derivative f(i).
  template <class F>
  static Dual Map(const T& v, F f) {
    Dual result(v, {});
    for (int i = 0; i < N; ++i) result.grad[i] = f(i);
    return result;
  }
};

// What meets a Dual<T, N> as a constant: it has no derivative to carry.
template <class S, class T>
concept ConstantFor = math::Constant<S> || std::is_same_v<S, T>;

template <class T, class S>
T Lift(const S& c) {
  if constexpr (std::is_same_v<S, T>) {
    return c;
  } else {
    return T(static_cast<typename Lanes<T>::Scalar>(c));
  }
}

// f(x) with derivative `slope`.
template <class T, int N>
Dual<T, N> Chain(const T& value, const T& slope, const Dual<T, N>& x) {
  return Dual<T, N>::Map(value, [&](int i) { return slope * x.grad[i]; });
}

template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> operator+(const Dual<T, N>& a, const S& c) {
  return {a.value + internal::Lift<T>(c), a.grad};
}
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> operator+(const S& c, const Dual<T, N>& a) {
  return {internal::Lift<T>(c) + a.value, a.grad};
}
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> operator-(const Dual<T, N>& a, const S& c) {
  return {a.value - internal::Lift<T>(c), a.grad};
}
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> operator-(const S& c, const Dual<T, N>& a) {
  return Dual<T, N>::Map(internal::Lift<T>(c) - a.value,
                         [&](int i) { return -a.grad[i]; });
}
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> operator*(const Dual<T, N>& a, const S& c) {
  const T k = internal::Lift<T>(c);
  return internal::Chain(a.value * k, k, a);
}
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> operator*(const S& c, const Dual<T, N>& a) {
  return a * c;
}
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> operator/(const Dual<T, N>& a, const S& c) {
  const T k = internal::Lift<T>(c);
  return Dual<T, N>::Map(a.value / k, [&](int i) { return a.grad[i] / k; });
}
template <class T, int N, internal::ConstantFor<T> S>
Dual<T, N> operator/(const S& c, const Dual<T, N>& b) {
  const T q = internal::Lift<T>(c) / b.value;
  return internal::Chain(q, -q / b.value, b);
}

}  // namespace gyre::internal::inline core

#include "gyre/core/dual_math.h"  // IWYU pragma: export

#endif  // GYRE_CORE_DUAL_H_
