#include "gyre/autodiff/exec/tile_convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "gyre/core/check.h"
#include "gyre/core/half.h"

namespace gyre::internal::inline autodiff {
namespace {

// A bool of memory: reading any other byte as C++'s bool is undefined.
struct BoolByte {
  std::uint8_t byte;
};

template <class T, class M>
T FromMemory(M x) {
  if constexpr (std::is_same_v<M, BoolByte>) {
    return x.byte != 0 ? T(1) : T(0);
  } else if constexpr (std::is_same_v<M, BFloat16> || std::is_same_v<M, Half>) {
    return static_cast<T>(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

template <class M, class T>
M ToMemory(T x) {
  if constexpr (std::is_same_v<M, BoolByte>) {
    return {static_cast<std::uint8_t>(x != T(0) ? 1 : 0)};
  } else if constexpr (std::is_same_v<M, BFloat16> || std::is_same_v<M, Half>) {
    return M(static_cast<float>(x));
  } else if constexpr (std::is_integral_v<M>) {
    // 2^31 and 2^63 are numbers of T, the largest integers need not be.
    constexpr int kBits = std::numeric_limits<M>::digits;
    const T limit = std::ldexp(T(1), kBits);
    if (std::isnan(x)) return 0;
    if (x >= limit) return std::numeric_limits<M>::max();
    if (x <= static_cast<T>(std::numeric_limits<M>::min())) {
      return std::numeric_limits<M>::min();
    }
    return static_cast<M>(x);
  } else {
    return static_cast<M>(x);
  }
}

template <class M, class T>
void LoadAs(const std::byte* src,
            std::int64_t stride,
            std::byte* dst,
            std::size_t n) {
  const M* from = reinterpret_cast<const M*>(src);
  T* to = reinterpret_cast<T*>(dst);
  if (stride == 1) {
    for (std::size_t i = 0; i < n; ++i) to[i] = FromMemory<T>(from[i]);
  } else if (stride == 0) {
    std::fill_n(to, n, FromMemory<T>(from[0]));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = FromMemory<T>(from[static_cast<std::int64_t>(i) * stride]);
    }
  }
}

template <class M, class T>
void StoreAs(const std::byte* src, std::byte* dst, std::size_t n) {
  if constexpr (std::is_same_v<M, T>) {
    std::memcpy(dst, src, n * sizeof(T));
  } else {
    const T* from = reinterpret_cast<const T*>(src);
    M* to = reinterpret_cast<M*>(dst);
    for (std::size_t i = 0; i < n; ++i) to[i] = ToMemory<M>(from[i]);
  }
}

// Calls f with a value of the type that memory of this dtype holds.
template <class F>
auto WithMemoryType(DType dtype, F f) {
  switch (dtype) {
    case DType::kF32:
      return f(float{});
    case DType::kF64:
      return f(double{});
    case DType::kBF16:
      return f(BFloat16{});
    case DType::kF16:
      return f(Half{});
    case DType::kI32:
      return f(std::int32_t{});
    case DType::kI64:
      return f(std::int64_t{});
    case DType::kU8:
      return f(std::uint8_t{});
    case DType::kBool:
      break;
  }
  return f(BoolByte{});
}

}  // namespace

TileLoad FindTileLoad(DType memory, DType compute) {
  return WithMemoryType(memory, [&](auto m) -> TileLoad {
    using M = decltype(m);
    return compute == DType::kF64 ? &LoadAs<M, double> : &LoadAs<M, float>;
  });
}

TileStore FindTileStore(DType memory, DType compute) {
  return WithMemoryType(memory, [&](auto m) -> TileStore {
    using M = decltype(m);
    return compute == DType::kF64 ? &StoreAs<M, double> : &StoreAs<M, float>;
  });
}

}  // namespace gyre::internal::inline autodiff
