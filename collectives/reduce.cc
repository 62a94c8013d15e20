#include "collectives/reduce.h"

#include <array>
#include <bit>
#include <cstring>

#include "collectives/reduce_formats.h"
#include "core/check.h"

namespace gyre {
namespace reduce {
namespace {

struct Sum {
  template <class Format>
  static typename Format::Acc Combine(typename Format::Acc a,
                                      typename Format::Acc b) {
    using Bits = typename Format::Bits;
    return (typename Format::Acc)((Bits)a + (Bits)b);
  }
  template <class Format>
  static typename Format::Acc Finish(typename Format::Acc acc, int) {
    return acc;
  }
};

struct Mean : Sum {
  template <class Format>
  static typename Format::Acc Finish(typename Format::Acc acc, int n) {
    return Format::Divide(acc, n);
  }
};

struct Prod : Sum {
  template <class Format>
  static typename Format::Acc Combine(typename Format::Acc a,
                                      typename Format::Acc b) {
    using Bits = typename Format::Bits;
    return (typename Format::Acc)((Bits)a * (Bits)b);
  }
};

// A NaN in `a` is kept by a != a; one in `b` makes every comparison false.
struct Min : Sum {
  template <class Format>
  static typename Format::Acc Combine(typename Format::Acc a,
                                      typename Format::Acc b) {
    return ((a < b) | (a != a)) ? a : b;
  }
};

struct Max : Sum {
  template <class Format>
  static typename Format::Acc Combine(typename Format::Acc a,
                                      typename Format::Acc b) {
    return ((a > b) | (a != a)) ? a : b;
  }
};

// The tree over sources first .. first + N - 1; load(s) gives the vector that
// is being worked on of source s.
template <class Format, class Op, int N, class Load>
inline typename Format::Acc Tree(const Load& load, int first) {
  if constexpr (N == 1) {
    return Format::Widen(load(first));
  } else {
    constexpr int kLeft = std::bit_floor(static_cast<unsigned>(N - 1));
    return Op::template Combine<Format>(
        Tree<Format, Op, kLeft>(load, first),
        Tree<Format, Op, N - kLeft>(load, first + kLeft));
  }
}

// The same for any number of sources.
template <class Format, class Op, class Load>
typename Format::Acc AnyTree(const Load& load, int first, int n) {
  if (n == 1) return Tree<Format, Op, 1>(load, first);
  if (n == 2) return Tree<Format, Op, 2>(load, first);
  if (n == 4) return Tree<Format, Op, 4>(load, first);
  const int left =
      static_cast<int>(std::bit_floor(static_cast<unsigned>(n - 1)));
  return Op::template Combine<Format>(
      AnyTree<Format, Op>(load, first, left),
      AnyTree<Format, Op>(load, first + left, n - left));
}

template <class Format, class Op, int N, class Load>
inline typename Format::Raw Vector(const Load& load, int n) {
  typename Format::Acc acc;
  if constexpr (N == 0) {
    acc = AnyTree<Format, Op>(load, 0, n);
  } else {
    acc = Tree<Format, Op, N>(load, 0);
  }
  return Format::Narrow(Op::template Finish<Format>(acc, n));
}

// N is the number of sources, or 0 for any.
template <class Format, class Op, int N>
void Run(std::span<const void* const> sources, void* out, std::size_t count) {
  using Stored = typename Format::Stored;
  using Raw = typename Format::Raw;
  constexpr std::size_t kWidth = Format::kWidth;
  // A copy of the list, which the stores below cannot alias.
  std::array<const Stored*, N> list;
  for (int s = 0; s < N; ++s) list[s] = static_cast<const Stored*>(sources[s]);
  const auto* const from =
      N != 0 ? list.data()
             : reinterpret_cast<const Stored* const*>(sources.data());
  auto* const to = static_cast<Stored*>(out);
  const int n = static_cast<int>(sources.size());
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    const auto load = [from, i](int s) {
      Raw raw;
      std::memcpy(&raw, from[s] + i, sizeof raw);
      return raw;
    };
    const Raw raw = Vector<Format, Op, N>(load, n);
    std::memcpy(to + i, &raw, sizeof raw);
  }
  if (i == count) return;
  // The rest goes through the same vectors and so gets the same bits.
  const std::size_t bytes = (count - i) * sizeof(Stored);
  const auto load = [from, i, bytes](int s) {
    Raw raw = {};
    std::memcpy(&raw, from[s] + i, bytes);
    return raw;
  };
  const Raw raw = Vector<Format, Op, N>(load, n);
  std::memcpy(to + i, &raw, bytes);
}

using Kernel = void (*)(std::span<const void* const>, void*, std::size_t);

template <class Format, class Op>
Kernel BySources(std::size_t n) {
  switch (n) {
    case 2:
      return Run<Format, Op, 2>;
    case 3:
      return Run<Format, Op, 3>;
    case 4:
      return Run<Format, Op, 4>;
    case 8:
      return Run<Format, Op, 8>;
    default:
      return Run<Format, Op, 0>;
  }
}

template <class Format>
Kernel ByOp(ReduceOp op, std::size_t n) {
  switch (op) {
    case ReduceOp::kSum:
      return BySources<Format, Sum>(n);
    case ReduceOp::kMean:
      return BySources<Format, Mean>(n);
    case ReduceOp::kMin:
      return BySources<Format, Min>(n);
    case ReduceOp::kMax:
      return BySources<Format, Max>(n);
    case ReduceOp::kProd:
      return BySources<Format, Prod>(n);
  }
  return nullptr;
}

Kernel Choose(DType dtype, ReduceOp op, std::size_t n) {
  switch (dtype) {
    case DType::kF32:
      return ByOp<FormatF32>(op, n);
    case DType::kF64:
      return ByOp<FormatF64>(op, n);
    case DType::kBF16:
      return ByOp<FormatBF16>(op, n);
    case DType::kF16:
      return ByOp<FormatF16>(op, n);
    case DType::kI32:
      return ByOp<FormatI32>(op, n);
    case DType::kI64:
      return ByOp<FormatI64>(op, n);
    case DType::kU8:
    case DType::kBool:
      return ByOp<FormatU8>(op, n);
  }
  return nullptr;
}

}  // namespace
}  // namespace reduce

Status CheckReducible(DType dtype, ReduceOp op) {
  if (dtype == DType::kBool && op != ReduceOp::kMin && op != ReduceOp::kMax) {
    return ConfigError(
        "a reduction of bool can be min (and) or max (or), "
        "not ",
        Name(op),
        "; convert to i32 first");
  }
  return OkStatus();
}

void Reduce(DType dtype,
            ReduceOp op,
            std::span<const void* const> sources,
            void* out,
            std::size_t count) {
  GYRE_CHECK(!sources.empty() && CheckReducible(dtype, op).ok(),
             "a reduction of ",
             sources.size(),
             " sources of ",
             dtype);
  if (sources.size() == 1) {
    // Of one source, every reduction is the source.
    const std::size_t bytes = count * SizeOf(dtype);
    if (bytes > 0 && out != sources[0]) std::memcpy(out, sources[0], bytes);
    return;
  }
  reduce::Choose(dtype, op, sources.size())(sources, out, count);
}

}  // namespace gyre
