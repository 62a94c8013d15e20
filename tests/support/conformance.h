// What every backend must compute, as checks that all ranks run together:
// all types, ops and awkward counts, from buffers of the communicator's and of
// the user's, held against a reference.

#ifndef GYRE_TESTS_SUPPORT_CONFORMANCE_H_
#define GYRE_TESTS_SUPPORT_CONFORMANCE_H_

#include <chrono>
#include <cstring>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "gyre/mesh/communicator.h"
#include "tests/support/reference.h"
#include "tests/support/refusals.h"

namespace gyre::internal::inline tests {

// 0 .. 4P + 3, odd ones, and large ones on both sides of the stages' size.
inline std::vector<std::size_t> Counts(int ranks) {
  std::vector<std::size_t> counts;
  for (int n = 0; n <= 4 * ranks + 3; ++n) counts.push_back(n);
  return counts;
}
inline constexpr std::size_t kLarge[] = {1023, 4097, 33001, 200003};

inline std::vector<Bytes> AllInputs(DType dtype, int ranks, std::size_t count) {
  std::vector<Bytes> inputs;
  for (int r = 0; r < ranks; ++r) {
    inputs.push_back(MakeInput(dtype, r, count));
  }
  return inputs;
}

inline Bytes Part(const Bytes& bytes, std::size_t part, std::size_t size) {
  return Bytes(bytes.begin() + part * size, bytes.begin() + (part + 1) * size);
}

inline std::string Case(const char* what, DType dtype, std::size_t count) {
  return Cat(what, " of ", count, " ", dtype);
}

inline Status CheckAllReduce(Communicator& comm,
                             SharedBuffer arena,
                             DType dtype,
                             ReduceOp op,
                             std::size_t count) {
  const auto inputs = AllInputs(dtype, comm.size(), count);
  const Bytes& mine = inputs[comm.rank()];
  const Bytes want = ReferenceReduce(dtype, op, inputs, comm.reduction_order());
  const std::string what = Cat(Name(op), " all_reduce of ", count, " ", dtype);

  Bytes in = mine;
  Bytes out(in.size());
  GYRE_RETURN_IF_ERROR(
      comm.AllReduce(in.data(), out.data(), count, dtype, op, {}));
  GYRE_RETURN_IF_ERROR(SameBytes(out.data(), want, what));
  GYRE_RETURN_IF_ERROR(SameBytes(in.data(), mine, what + ", its input"));

  GYRE_RETURN_IF_ERROR(
      comm.AllReduce(in.data(), in.data(), count, dtype, op, {}));
  GYRE_RETURN_IF_ERROR(SameBytes(in.data(), want, what + " in place"));

  if (want.size() > arena.bytes) return OkStatus();
  if (count > 0) std::memcpy(arena.data, mine.data(), mine.size());
  GYRE_RETURN_IF_ERROR(
      comm.AllReduce(arena.data, arena.data, count, dtype, op, {}));
  return SameBytes(arena.data, want, what + " in the arena");
}

inline Status CheckReduceScatter(Communicator& comm,
                                 DType dtype,
                                 ReduceOp op,
                                 std::size_t count) {
  const int size = comm.size();
  const auto inputs = AllInputs(dtype, size, count * size);
  const std::size_t bytes = count * SizeOf(dtype);
  const Bytes want =
      Part(ReferenceReduce(dtype, op, inputs, comm.reduction_order()),
           comm.rank(),
           bytes);
  Bytes in = inputs[comm.rank()];
  Bytes out(bytes);
  GYRE_RETURN_IF_ERROR(
      comm.ReduceScatter(in.data(), out.data(), count, dtype, op, {}));
  GYRE_RETURN_IF_ERROR(
      SameBytes(out.data(), want, Case("reduce_scatter", dtype, count)));
  GYRE_RETURN_IF_ERROR(SameBytes(in.data(), inputs[comm.rank()], "its input"));
  GYRE_RETURN_IF_ERROR(
      comm.ReduceScatter(in.data(), in.data(), count, dtype, op, {}));
  return SameBytes(
      in.data(), want, Case("reduce_scatter in place", dtype, count));
}

inline Status CheckAllGather(Communicator& comm,
                             DType dtype,
                             std::size_t count) {
  const auto inputs = AllInputs(dtype, comm.size(), count);
  Bytes want;
  for (const Bytes& in : inputs) want.insert(want.end(), in.begin(), in.end());
  Bytes out(want.size());
  GYRE_RETURN_IF_ERROR(
      comm.AllGather(inputs[comm.rank()].data(), out.data(), count, dtype, {}));
  return SameBytes(out.data(), want, Case("all_gather", dtype, count));
}

inline Status CheckBroadcast(Communicator& comm,
                             DType dtype,
                             std::size_t count) {
  for (int root = 0; root < comm.size(); ++root) {
    Bytes data = MakeInput(dtype, comm.rank(), count);
    GYRE_RETURN_IF_ERROR(comm.Broadcast(data.data(), count, dtype, root, {}));
    GYRE_RETURN_IF_ERROR(SameBytes(data.data(),
                                   MakeInput(dtype, root, count),
                                   Case("broadcast", dtype, count)));
  }
  return OkStatus();
}

inline Status CheckAllToAll(Communicator& comm,
                            DType dtype,
                            std::size_t count) {
  const int size = comm.size();
  const auto inputs = AllInputs(dtype, size, count * size);
  Bytes want;
  for (const Bytes& in : inputs) {
    const Bytes part = Part(in, comm.rank(), count * SizeOf(dtype));
    want.insert(want.end(), part.begin(), part.end());
  }
  Bytes in = inputs[comm.rank()];
  Bytes out(want.size());
  GYRE_RETURN_IF_ERROR(comm.AllToAll(in.data(), out.data(), count, dtype, {}));
  GYRE_RETURN_IF_ERROR(
      SameBytes(out.data(), want, Case("all_to_all", dtype, count)));
  GYRE_RETURN_IF_ERROR(comm.AllToAll(in.data(), in.data(), count, dtype, {}));
  return SameBytes(in.data(), want, Case("all_to_all in place", dtype, count));
}

inline Status CheckPermute(Communicator& comm, DType dtype, std::size_t count) {
  const int size = comm.size();
  std::vector<int> sources;  // everyone from the right; the last from nobody
  for (int r = 0; r + 1 < size; ++r) sources.push_back(r + 1);
  sources.push_back(-1);
  const int source = sources[comm.rank()];
  const Bytes want = source < 0 ? Bytes(count * SizeOf(dtype))
                                : MakeInput(dtype, source, count);
  Bytes in = MakeInput(dtype, comm.rank(), count);
  Bytes out(in.size(), std::byte{0x55});
  GYRE_RETURN_IF_ERROR(
      comm.Permute(in.data(), out.data(), count, dtype, sources, {}));
  GYRE_RETURN_IF_ERROR(
      SameBytes(out.data(), want, Case("permute", dtype, count)));
  GYRE_RETURN_IF_ERROR(
      comm.Permute(in.data(), in.data(), count, dtype, sources, {}));
  return SameBytes(in.data(), want, Case("permute in place", dtype, count));
}

inline Status CheckMoves(Communicator& comm, DType dtype, std::size_t count) {
  GYRE_RETURN_IF_ERROR(CheckAllGather(comm, dtype, count));
  GYRE_RETURN_IF_ERROR(CheckBroadcast(comm, dtype, count));
  GYRE_RETURN_IF_ERROR(CheckAllToAll(comm, dtype, count));
  return CheckPermute(comm, dtype, count);
}

inline Status CheckReductionsOfSmallCounts(Communicator& comm) {
  GYRE_ASSIGN_OR_RETURN(const SharedBuffer arena, comm.Allocate(4096, {}));
  for (const DType dtype : kReducible) {
    for (const ReduceOp op : kReduceOps) {
      for (const std::size_t count : Counts(comm.size())) {
        GYRE_RETURN_IF_ERROR(CheckAllReduce(comm, arena, dtype, op, count));
        if (count % 3 == 0) {
          GYRE_RETURN_IF_ERROR(CheckReduceScatter(comm, dtype, op, count));
        }
      }
    }
  }
  return OkStatus();
}

inline Status CheckReductionsOfLargeCounts(Communicator& comm) {
  GYRE_ASSIGN_OR_RETURN(const SharedBuffer arena,
                        comm.Allocate(200003 * 8, {}));
  for (const std::size_t count : kLarge) {
    for (const DType dtype : {DType::kF32, DType::kBF16, DType::kI64}) {
      const auto op = count % 2 == 1 ? ReduceOp::kMean : ReduceOp::kMax;
      GYRE_RETURN_IF_ERROR(CheckAllReduce(comm, arena, dtype, op, count));
    }
    GYRE_RETURN_IF_ERROR(CheckReduceScatter(
        comm, DType::kF32, ReduceOp::kSum, count / comm.size()));
  }
  return OkStatus();
}

inline Status CheckMovesOfAllTypes(Communicator& comm) {
  for (const DType dtype : kReducible) {
    for (const std::size_t count : {0u, 1u, 2u, 3u, 17u, 63u, 1023u}) {
      GYRE_RETURN_IF_ERROR(CheckMoves(comm, dtype, count));
    }
  }
  GYRE_RETURN_IF_ERROR(CheckMoves(comm, DType::kBool, 5));
  GYRE_RETURN_IF_ERROR(CheckMoves(comm, DType::kF32, 33001));
  return CheckMoves(comm, DType::kU8, 200003);
}

// Large moves between buffers of the communicator, which peers read in place.
inline Status CheckMovesInTheArena(Communicator& comm) {
  const std::size_t count = 33001;
  const int size = comm.size();
  GYRE_ASSIGN_OR_RETURN(const SharedBuffer in, comm.Allocate(count * 4, {}));
  GYRE_ASSIGN_OR_RETURN(const SharedBuffer out,
                        comm.Allocate(count * 4 * size, {}));
  const auto inputs = AllInputs(DType::kF32, size, count);
  std::memcpy(in.data, inputs[comm.rank()].data(), count * 4);
  GYRE_RETURN_IF_ERROR(
      comm.AllGather(in.data, out.data, count, DType::kF32, {}));
  for (int r = 0; r < size; ++r) {
    GYRE_RETURN_IF_ERROR(SameBytes(
        out.data + r * count * 4, inputs[r], "all_gather in the arena"));
  }
  GYRE_RETURN_IF_ERROR(
      comm.Broadcast(in.data, count, DType::kF32, size - 1, {}));
  return SameBytes(in.data, inputs[size - 1], "broadcast in the arena");
}

// Ranks whose buffers lie in different places still agree on the way.
inline Status CheckArenaOnSomeRanksOnly(Communicator& comm) {
  const std::size_t count = 50001;
  GYRE_ASSIGN_OR_RETURN(const SharedBuffer arena, comm.Allocate(count * 4, {}));
  const auto inputs = AllInputs(DType::kF32, comm.size(), count);
  Bytes heap = inputs[comm.rank()];
  std::byte* const data = comm.rank() % 2 == 0 ? arena.data : heap.data();
  std::memcpy(data, inputs[comm.rank()].data(), count * 4);
  GYRE_RETURN_IF_ERROR(
      comm.AllReduce(data, data, count, DType::kF32, ReduceOp::kSum, {}));
  return SameBytes(
      data,
      ReferenceReduce(
          DType::kF32, ReduceOp::kSum, inputs, comm.reduction_order()),
      "all_reduce, mixed");
}

// Collectives of all kinds and sizes in a row, with ranks that come early and
// late: what one leaves behind must not meet the next one.
inline Status CheckManyInARow(Communicator& comm) {
  const int size = comm.size();
  const int me = comm.rank();
  for (std::uint64_t i = 0; i < 120; ++i) {
    const std::uint64_t dice = Scramble(i + 1);
    const std::size_t count = 1 + dice / 8 % (i % 4 == 0 ? 20'000 : 700);
    if (Scramble(i * 64 + me) % 7 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    // Integers, of which every result is known without asking others.
    const auto input = [&](int r, std::size_t e) {
      return static_cast<std::int64_t>(Scramble(i * size + r) % 1000 + e);
    };
    std::vector<std::int64_t> in(count * size);
    for (std::size_t e = 0; e < in.size(); ++e) in[e] = input(me, e);
    std::vector<std::int64_t> out(count * size);
    const auto sum = [&](std::size_t e) {
      std::int64_t total = 0;
      for (int r = 0; r < size; ++r) total += input(r, e);
      return total;
    };
    const std::size_t last = count - 1;
    const int root = static_cast<int>(dice % size);
    bool good = true;
    switch (dice % 5) {
      case 0:
        GYRE_RETURN_IF_ERROR(comm.AllReduce(
            in.data(), in.data(), count, DType::kI64, ReduceOp::kSum, {}));
        good = in[0] == sum(0) && in[last] == sum(last);
        break;
      case 1:
        GYRE_RETURN_IF_ERROR(comm.ReduceScatter(
            in.data(), out.data(), count, DType::kI64, ReduceOp::kSum, {}));
        good = out[0] == sum(me * count) && out[last] == sum(me * count + last);
        break;
      case 2:
        GYRE_RETURN_IF_ERROR(
            comm.AllGather(in.data(), out.data(), count, DType::kI64, {}));
        for (int r = 0; r < size; ++r) {
          good = good && out[r * count] == input(r, 0) &&
                 out[r * count + last] == input(r, last);
        }
        break;
      case 3:
        GYRE_RETURN_IF_ERROR(
            comm.Broadcast(in.data(), count, DType::kI64, root, {}));
        good = in[0] == input(root, 0) && in[last] == input(root, last);
        break;
      default:
        GYRE_RETURN_IF_ERROR(
            comm.AllToAll(in.data(), out.data(), count, DType::kI64, {}));
        for (int r = 0; r < size; ++r) {
          good = good && out[r * count] == input(r, me * count) &&
                 out[r * count + last] == input(r, me * count + last);
        }
        break;
    }
    if (!good) {
      return InternalError("collective ",
                           i,
                           " of kind ",
                           dice % 5,
                           " with ",
                           count,
                           " elements");
    }
  }
  return OkStatus();
}

struct ConformanceCase {
  const char* name;
  Status (*check)(Communicator& comm);

  friend std::ostream& operator<<(std::ostream& out,
                                  const ConformanceCase& test) {
    return out << test.name;
  }
};
inline constexpr ConformanceCase kConformance[] = {
    {"ReductionsOfSmallCounts", CheckReductionsOfSmallCounts},
    {"ReductionsOfLargeCounts", CheckReductionsOfLargeCounts},
    {"MovesOfAllTypes", CheckMovesOfAllTypes},
    {"MovesInTheArena", CheckMovesInTheArena},
    {"ArenaOnSomeRanksOnly", CheckArenaOnSomeRanksOnly},
    {"ManyInARow", CheckManyInARow},
    {"RefusedCalls", CheckRefusedCalls},
    {"RefusedPosts", CheckRefusedPosts},
    {"RefusalStaysInItsGroup", CheckRefusalStaysInItsGroup},
    {"RefusedAllocation", CheckRefusedAllocation},
    {"CallsFromElsewhere", CheckCallsFromElsewhere},
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_CONFORMANCE_H_
