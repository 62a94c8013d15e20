#include "gyre/collectives/reduce.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "gyre/collectives/reduce_formats.h"
#include "gyre/collectives/reduce_ops.h"
#include "gyre/core/check.h"

namespace gyre::internal::inline collectives {
namespace reduce {
namespace {

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

// N sources, or any number for 0, to M outputs.
template <class Format, class Op, int N, int M>
void Run(std::span<const void* const> sources,
         std::span<void* const> outs,
         std::size_t count) {
  using Stored = typename Format::Stored;
  using Raw = typename Format::Raw;
  constexpr std::size_t kWidth = Format::kWidth;
  // Copies of the lists, which the stores below cannot alias.
  std::array<const Stored*, N> list;
  for (int s = 0; s < N; ++s) list[s] = static_cast<const Stored*>(sources[s]);
  std::array<Stored*, M> to;
  for (int o = 0; o < M; ++o) to[o] = static_cast<Stored*>(outs[o]);
  const auto* const from =
      N != 0 ? list.data()
             : reinterpret_cast<const Stored* const*>(sources.data());
  const int n = N != 0 ? N : static_cast<int>(sources.size());
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    const auto load = [from, i](int s) {
      Raw raw;
      std::memcpy(&raw, from[s] + i, sizeof raw);
      return raw;
    };
    const Raw raw = Vector<Format, Op, N>(load, n);
    for (Stored* out : to) std::memcpy(out + i, &raw, sizeof raw);
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
  for (Stored* out : to) std::memcpy(out + i, &raw, bytes);
}

using Kernel = void (*)(std::span<const void* const>,
                        std::span<void* const>,
                        std::size_t);

// For one output, or for as many as there are sources where that is fused.
template <class Format, class Op>
Kernel BySources(std::size_t n, std::size_t outs) {
  switch (n) {
    case 2:
      return outs == 2 ? Run<Format, Op, 2, 2> : Run<Format, Op, 2, 1>;
    case 3:
      return Run<Format, Op, 3, 1>;
    case 4:
      return outs == 4 ? Run<Format, Op, 4, 4> : Run<Format, Op, 4, 1>;
    case 8:
      return Run<Format, Op, 8, 1>;
    default:
      return Run<Format, Op, 0, 1>;
  }
}

bool IsFused(std::size_t n, std::size_t outs) {
  return n == outs && (n == 2 || n == 4);
}

template <class Format>
Kernel ByOp(ReduceOp op, std::size_t n, std::size_t outs) {
  switch (op) {
    case ReduceOp::kSum:
      return BySources<Format, Sum>(n, outs);
    case ReduceOp::kMean:
      return BySources<Format, Mean>(n, outs);
    case ReduceOp::kMin:
      return BySources<Format, Min>(n, outs);
    case ReduceOp::kMax:
      return BySources<Format, Max>(n, outs);
    case ReduceOp::kProd:
      return BySources<Format, Prod>(n, outs);
  }
  return nullptr;
}

Kernel Choose(DType dtype, ReduceOp op, std::size_t n, std::size_t outs) {
  switch (dtype) {
    case DType::kF32:
      return ByOp<FormatF32>(op, n, outs);
    case DType::kF64:
      return ByOp<FormatF64>(op, n, outs);
    case DType::kBF16:
      return ByOp<FormatBF16>(op, n, outs);
    case DType::kF16:
      return ByOp<FormatF16>(op, n, outs);
    case DType::kI32:
      return ByOp<FormatI32>(op, n, outs);
    case DType::kI64:
      return ByOp<FormatI64>(op, n, outs);
    case DType::kU8:
    case DType::kBool:
      return ByOp<FormatU8>(op, n, outs);
  }
  return nullptr;
}

// A piece of a reduction stays in the first-level cache until it has been
// copied to all outputs.
constexpr std::size_t kPieceBytes = std::size_t{8} << 10;

void Copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}

const std::byte* Offset(const void* data, std::size_t bytes) {
  return static_cast<const std::byte*>(data) + bytes;
}
std::byte* Offset(void* data, std::size_t bytes) {
  return static_cast<std::byte*>(data) + bytes;
}

}  // namespace
}  // namespace reduce

Status CheckReducible(DType dtype, ReduceOp op) {
  if (static_cast<unsigned>(op) > static_cast<unsigned>(ReduceOp::kProd)) {
    return ConfigError("op ",
                       static_cast<int>(op),
                       " is none of sum, mean, min, max and prod");
  }
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
  const std::size_t n = sources.size();
  GYRE_CHECK(n > 0 && CheckReducible(dtype, op).ok(),
             "a reduction of ",
             n,
             " sources of ",
             dtype);
  if (n == 1) {
    // Of one source, every reduction is the source.
    reduce::Copy(out, sources[0], count * SizeOf(dtype));
    return;
  }
  const std::span<void* const> outs(&out, 1);
  reduce::Choose(dtype, op, n, 1)(sources, outs, count);
}

void ReduceToAll(DType dtype,
                 ReduceOp op,
                 std::span<const void* const> sources,
                 std::span<void* const> outs,
                 std::size_t count) {
  const std::size_t n = sources.size();
  if (reduce::IsFused(n, outs.size()) && CheckReducible(dtype, op).ok()) {
    reduce::Choose(dtype, op, n, n)(sources, outs, count);
    return;
  }
  const std::size_t element = SizeOf(dtype);
  const std::size_t step = reduce::kPieceBytes / element;
  std::vector<const void*> piece(n);
  for (std::size_t done = 0; done < count; done += step) {
    const std::size_t elements = std::min(step, count - done);
    const std::size_t at = done * element;
    for (std::size_t s = 0; s < n; ++s) {
      piece[s] = reduce::Offset(sources[s], at);
    }
    void* const result = reduce::Offset(outs[0], at);
    Reduce(dtype, op, piece, result, elements);
    for (void* out : outs) {
      reduce::Copy(reduce::Offset(out, at), result, elements * element);
    }
  }
}

}  // namespace gyre::internal::inline collectives
