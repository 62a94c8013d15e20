// Reductions one element at a time, written apart from the kernels that they
// check, and inputs whose sums depend on the order.

#ifndef GYRE_TESTS_SUPPORT_REFERENCE_H_
#define GYRE_TESTS_SUPPORT_REFERENCE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gyre/core/dtype.h"
#include "gyre/core/half.h"
#include "gyre/core/status.h"
#include "gyre/mesh/control_record.h"

namespace gyre::internal::inline tests {

using Bytes = std::vector<std::byte>;

inline constexpr DType kReducible[] = {DType::kF32,
                                       DType::kF64,
                                       DType::kBF16,
                                       DType::kF16,
                                       DType::kI32,
                                       DType::kI64,
                                       DType::kU8};
inline constexpr ReduceOp kReduceOps[] = {ReduceOp::kSum,
                                          ReduceOp::kMean,
                                          ReduceOp::kMin,
                                          ReduceOp::kMax,
                                          ReduceOp::kProd};

// Calls fn.template operator()<T>() with the C++ type.
template <class Fn>
auto WithType(DType dtype, const Fn& fn) {
  switch (dtype) {
    case DType::kF64:
      return fn.template operator()<double>();
    case DType::kBF16:
      return fn.template operator()<BFloat16>();
    case DType::kF16:
      return fn.template operator()<Half>();
    case DType::kI32:
      return fn.template operator()<std::int32_t>();
    case DType::kI64:
      return fn.template operator()<std::int64_t>();
    case DType::kU8:
    case DType::kBool:
      return fn.template operator()<std::uint8_t>();
    case DType::kF32:
      break;
  }
  return fn.template operator()<float>();
}

inline std::uint64_t Scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Element i of a rank's input: floats of very different sizes, integers that
// overflow.
template <class T>
T InputElement(int rank, std::size_t i) {
  const std::uint64_t bits = Scramble(i * 64 + rank + 1);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    const double small = static_cast<double>(bits % 2001) - 1000.0;
    const int scale = static_cast<int>((bits >> 32) % 9) - 4;
    const auto value = static_cast<float>(std::ldexp(small * 1e-3, scale));
    return static_cast<T>(value);
  }
}

inline Bytes MakeInput(DType dtype, int rank, std::size_t count) {
  Bytes bytes(count * SizeOf(dtype));
  WithType(dtype, [&]<class T>() {
    for (std::size_t i = 0; i < count; ++i) {
      const T value = InputElement<T>(rank, i);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

template <class T>
using ReferenceAcc = std::conditional_t<
    std::is_same_v<T, double>,
    double,
    std::conditional_t<
        std::is_same_v<T, std::uint8_t>,
        std::uint32_t,
        std::conditional_t<std::is_integral_v<T>, std::int64_t, float>>>;

template <class Acc>
Acc ReferenceCombine(ReduceOp op, Acc a, Acc b) {
  if (op == ReduceOp::kMin || op == ReduceOp::kMax) {
    if constexpr (std::is_floating_point_v<Acc>) {
      if (std::isnan(a) || std::isnan(b)) {
        return std::numeric_limits<Acc>::quiet_NaN();
      }
    }
    return (op == ReduceOp::kMin) == (a < b) ? a : b;
  }
  if constexpr (std::is_floating_point_v<Acc>) {
    return op == ReduceOp::kProd ? a * b : a + b;
  } else {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    return static_cast<Acc>(op == ReduceOp::kProd ? x * y : x + y);
  }
}

// The balanced tree, spelled out.
template <class Acc>
Acc ReferenceTree(ReduceOp op, const Acc* values, int n) {
  if (n == 1) return values[0];
  int left = 1;
  while (left * 2 < n) left *= 2;
  return ReferenceCombine(op,
                          ReferenceTree(op, values, left),
                          ReferenceTree(op, values + left, n - left));
}

// From left to right.
template <class Acc>
Acc ReferenceChain(ReduceOp op, const Acc* values, int n) {
  Acc acc = values[0];
  for (int i = 1; i < n; ++i) acc = ReferenceCombine(op, acc, values[i]);
  return acc;
}

// `order`: what Communicator::reduction_order() says.
inline Bytes ReferenceReduce(DType dtype,
                             ReduceOp op,
                             const std::vector<Bytes>& inputs,
                             std::string_view order = "tree") {
  Bytes out(inputs[0].size());
  WithType(dtype, [&]<class T>() {
    using Acc = ReferenceAcc<T>;
    const int n = static_cast<int>(inputs.size());
    std::vector<Acc> values(inputs.size());
    for (std::size_t at = 0; at < out.size(); at += sizeof(T)) {
      for (int r = 0; r < n; ++r) {
        T value;
        std::memcpy(&value, inputs[r].data() + at, sizeof(T));
        values[r] = static_cast<Acc>(value);
      }
      Acc acc = order == "ring" ? ReferenceChain(op, values.data(), n)
                                : ReferenceTree(op, values.data(), n);
      if (op == ReduceOp::kMean) acc = static_cast<Acc>(acc / n);
      const T result = static_cast<T>(acc);
      std::memcpy(out.data() + at, &result, sizeof(T));
    }
  });
  return out;
}

// An error that names the first byte which differs.
inline Status SameBytes(const std::byte* got,
                        const Bytes& want,
                        const std::string& what) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (got[i] != want[i]) {
      return InternalError(what,
                           ": byte ",
                           i,
                           " of ",
                           want.size(),
                           " is ",
                           static_cast<int>(got[i]),
                           ", expected ",
                           static_cast<int>(want[i]));
    }
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_REFERENCE_H_
