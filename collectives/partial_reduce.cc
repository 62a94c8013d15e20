#include "gyre/collectives/partial_reduce.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gyre/collectives/reduce.h"
#include "gyre/collectives/reduce_formats.h"
#include "gyre/collectives/reduce_ops.h"
#include "gyre/core/check.h"

namespace gyre::internal::inline collectives {
namespace reduce {
namespace {

// Elements that are worked on at a time: their accumulators stay in the
// first-level cache from one node of the expression to the next.
constexpr std::size_t kBlock = 512;

template <class T>
T LoadSome(const std::byte* from, std::size_t bytes) {
  T value = {};
  std::memcpy(&value, from, std::min(bytes, sizeof value));
  return value;
}

// One block's values of a node: stored elements, or accumulators.
struct Values {
  const std::byte* data;
  bool partial;
};

template <class Format>
struct Shape {
  using Raw = typename Format::Raw;
  using Acc = typename Format::Acc;
  static constexpr std::size_t kWidth = Format::kWidth;
  static constexpr std::size_t kAccBytes = sizeof(Acc) / kWidth;
  static constexpr std::size_t kRawBytes = sizeof(Raw) / kWidth;

  // The vector of elements i .., of which `left` are there.
  template <bool kPartial>
  static Acc Load(const std::byte* data, std::size_t i, std::size_t left) {
    if constexpr (kPartial) {
      return LoadSome<Acc>(data + i * kAccBytes, left * kAccBytes);
    } else {
      return Format::Widen(
          LoadSome<Raw>(data + i * kRawBytes, left * kRawBytes));
    }
  }
  static void StoreAcc(std::byte* to,
                       std::size_t i,
                       std::size_t left,
                       Acc acc) {
    std::memcpy(
        to + i * kAccBytes, &acc, std::min(left * kAccBytes, sizeof acc));
  }
  static void StoreRaw(std::byte* to,
                       std::size_t i,
                       std::size_t left,
                       Raw raw) {
    std::memcpy(
        to + i * kRawBytes, &raw, std::min(left * kRawBytes, sizeof raw));
  }
};

// Calls body(i, left) for whole vectors with a constant `left`, then for the
// rest.
template <std::size_t kWidth, class Body>
void ForVectors(std::size_t count, const Body& body) {
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) body(i, kWidth);
  if (i < count) body(i, count - i);
}

template <class Format, class Op, bool kPartialA, bool kPartialB>
void CombineBlock(const std::byte* a,
                  const std::byte* b,
                  std::byte* out,
                  std::size_t count) {
  using S = Shape<Format>;
  ForVectors<S::kWidth>(count, [&](std::size_t i, std::size_t left) {
    const auto x = S::template Load<kPartialA>(a, i, left);
    const auto y = S::template Load<kPartialB>(b, i, left);
    S::StoreAcc(out, i, left, Op::template Combine<Format>(x, y));
  });
}

template <class Format, class Op>
void Combine(Values a, Values b, std::byte* out, std::size_t count) {
  if (a.partial) {
    if (b.partial) {
      CombineBlock<Format, Op, true, true>(a.data, b.data, out, count);
    } else {
      CombineBlock<Format, Op, true, false>(a.data, b.data, out, count);
    }
  } else if (b.partial) {
    CombineBlock<Format, Op, false, true>(a.data, b.data, out, count);
  } else {
    CombineBlock<Format, Op, false, false>(a.data, b.data, out, count);
  }
}

template <class Format, class Op>
void Store(Values from, int ranks, std::byte* out, std::size_t count) {
  using S = Shape<Format>;
  const bool finishes = ranks > 0;
  ForVectors<S::kWidth>(count, [&](std::size_t i, std::size_t left) {
    const auto acc = from.partial ? S::template Load<true>(from.data, i, left)
                                  : S::template Load<false>(from.data, i, left);
    if (finishes) {
      S::StoreRaw(out,
                  i,
                  left,
                  Format::Narrow(Op::template Finish<Format>(acc, ranks)));
    } else {
      S::StoreAcc(out, i, left, acc);
    }
  });
}

struct Job {
  const ReduceOrder* order;
  std::span<const ReduceTerm> terms;
  int ranks;  // 0: `out` is a partial result
  std::byte* out;
  std::size_t count;
};

template <class Format, class Op>
class Evaluator {
 public:
  explicit Evaluator(const Job& job)
      : job_(job),
        scratch_(SlotsOf(static_cast<int>(job.order->size()) - 1) * kSlot) {}

  void Run() {
    using S = Shape<Format>;
    const std::size_t out_bytes = job_.ranks > 0 ? S::kRawBytes : S::kAccBytes;
    for (std::size_t at = 0; at < job_.count; at += kBlock) {
      const std::size_t n = std::min(kBlock, job_.count - at);
      const Values whole =
          Node(static_cast<int>(job_.order->size()) - 1, 0, at, n);
      Store<Format, Op>(whole, job_.ranks, job_.out + at * out_bytes, n);
    }
  }

 private:
  static constexpr std::size_t kSlot = kBlock * Shape<Format>::kAccBytes;

  // How many blocks of accumulators a node needs.
  std::size_t SlotsOf(int index) const {
    const ReduceNode& node = (*job_.order)[index];
    if (node.term >= 0) return 0;
    return std::max(
        {std::size_t{1}, SlotsOf(node.left), SlotsOf(node.right) + 1});
  }

  // Elements at .. at + n - 1 of a node; `slot` and those after it are free.
  Values Node(int index, int slot, std::size_t at, std::size_t n) {
    using S = Shape<Format>;
    const ReduceNode& node = (*job_.order)[index];
    if (node.term >= 0) {
      const ReduceTerm& term = job_.terms[node.term];
      const std::size_t bytes = term.partial ? S::kAccBytes : S::kRawBytes;
      return {static_cast<const std::byte*>(term.data) + at * bytes,
              term.partial};
    }
    const Values a = Node(node.left, slot, at, n);
    const Values b = Node(node.right, slot + 1, at, n);
    std::byte* const out = scratch_.data() + slot * kSlot;
    Combine<Format, Op>(a, b, out, n);
    return {out, true};
  }

  const Job& job_;
  std::vector<std::byte> scratch_;
};

template <class Format>
void RunOp(ReduceOp op, const Job& job) {
  switch (op) {
    case ReduceOp::kSum:
      return Evaluator<Format, Sum>(job).Run();
    case ReduceOp::kMean:
      return Evaluator<Format, Mean>(job).Run();
    case ReduceOp::kMin:
      return Evaluator<Format, Min>(job).Run();
    case ReduceOp::kMax:
      return Evaluator<Format, Max>(job).Run();
    case ReduceOp::kProd:
      return Evaluator<Format, Prod>(job).Run();
  }
}

void Run(DType dtype, ReduceOp op, const Job& job) {
  GYRE_CHECK(CheckReducible(dtype, op).ok() && !job.order->empty(),
             "a reduction of ",
             dtype);
  switch (dtype) {
    case DType::kF32:
      return RunOp<FormatF32>(op, job);
    case DType::kF64:
      return RunOp<FormatF64>(op, job);
    case DType::kBF16:
      return RunOp<FormatBF16>(op, job);
    case DType::kF16:
      return RunOp<FormatF16>(op, job);
    case DType::kI32:
      return RunOp<FormatI32>(op, job);
    case DType::kI64:
      return RunOp<FormatI64>(op, job);
    case DType::kU8:
    case DType::kBool:
      return RunOp<FormatU8>(op, job);
  }
}

// Appends the tree over ranks [first, first + count); its index.
int AddTree(ReduceOrder& order,
            RankRange range,
            std::span<const RankRange> terms) {
  const auto term = std::find(terms.begin(), terms.end(), range);
  if (term != terms.end()) {
    order.push_back({.term = static_cast<int>(term - terms.begin())});
  } else {
    GYRE_CHECK(range.count > 1, "rank ", range.first, " is in no term");
    const int left = static_cast<int>(
        std::bit_floor(static_cast<unsigned>(range.count - 1)));
    const int a = AddTree(order, {range.first, left}, terms);
    const int b =
        AddTree(order, {range.first + left, range.count - left}, terms);
    order.push_back({.left = a, .right = b});
  }
  return static_cast<int>(order.size()) - 1;
}

}  // namespace
}  // namespace reduce

std::size_t PartialBytes(DType dtype) {
  switch (dtype) {
    case DType::kF64:
    case DType::kI32:
    case DType::kI64:
      return 8;
    default:
      return 4;
  }
}

bool IsOwnPartial(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kI64;
}

ReduceOrder ChainOver(int terms) {
  ReduceOrder order = {{.term = 0}};
  for (int t = 1; t < terms; ++t) {
    const int before = static_cast<int>(order.size()) - 1;
    order.push_back({.term = t});
    order.push_back({.left = before, .right = before + 1});
  }
  return order;
}

ReduceOrder TreeOver(int ranks, std::span<const RankRange> terms) {
  ReduceOrder order;
  reduce::AddTree(order, {0, ranks}, terms);
  return order;
}

void ReducePartial(DType dtype,
                   ReduceOp op,
                   const ReduceOrder& order,
                   std::span<const ReduceTerm> terms,
                   void* out,
                   std::size_t count) {
  reduce::Run(
      dtype, op, {&order, terms, 0, static_cast<std::byte*>(out), count});
}

void ReduceFinal(DType dtype,
                 ReduceOp op,
                 const ReduceOrder& order,
                 std::span<const ReduceTerm> terms,
                 int ranks,
                 void* out,
                 std::size_t count) {
  GYRE_CHECK(ranks > 0, "a reduction over ", ranks, " ranks");
  reduce::Run(
      dtype, op, {&order, terms, ranks, static_cast<std::byte*>(out), count});
}

void ReduceChain(DType dtype,
                 ReduceOp op,
                 std::span<const void* const> sources,
                 void* out,
                 std::size_t count) {
  const int n = static_cast<int>(sources.size());
  std::vector<ReduceTerm> terms;
  for (const void* source : sources) terms.push_back({source, false});
  ReduceFinal(dtype, op, ChainOver(n), terms, n, out, count);
}

}  // namespace gyre::internal::inline collectives
