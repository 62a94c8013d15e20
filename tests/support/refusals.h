// What every backend must do with a call that one rank cannot make, or makes
// from elsewhere: no rank ever gets a number of another call. Run by the
// conformance suite, by all ranks together.

#ifndef GYRE_TESTS_SUPPORT_REFUSALS_H_
#define GYRE_TESTS_SUPPORT_REFUSALS_H_

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "gyre/mesh/communicator.h"
#include "gyre/mesh/lane.h"

namespace gyre::internal::inline tests {

inline Status Await(Status status) { return status; }
inline Status Await(Handle handle) { return handle.Wait(); }

// Calls that cannot be; `reason` is in the error of every rank.
struct Refusal {
  enum Call { kReduce, kScatter, kGather, kSpread, kSwap, kShift };
  Call call;
  const char* reason;
  std::size_t count = 1;
  DType dtype = DType::kF32;
  ReduceOp op = ReduceOp::kSum;
  int root = 0;
  int source = -1;
  bool null = false;
  int sources = 0;  // too many
};
inline constexpr std::size_t kFarTooMany = std::size_t{1} << 62;
inline constexpr auto kNoDType = static_cast<DType>(77);
inline constexpr auto kNoOp = static_cast<ReduceOp>(99);
inline constexpr Refusal kRefusals[] = {
    {.call = Refusal::kReduce, .reason = "of bool", .dtype = DType::kBool},
    {.call = Refusal::kReduce, .reason = "op 99", .op = kNoOp},
    {.call = Refusal::kReduce, .reason = "dtype 77", .dtype = kNoDType},
    {.call = Refusal::kReduce, .reason = "than memory", .count = kFarTooMany},
    {.call = Refusal::kReduce, .reason = "is null", .null = true},
    {.call = Refusal::kScatter, .reason = "of bool", .dtype = DType::kBool},
    {.call = Refusal::kScatter, .reason = "op 99", .op = kNoOp},
    {.call = Refusal::kGather, .reason = "dtype 77", .dtype = kNoDType},
    {.call = Refusal::kGather, .reason = "than memory", .count = kFarTooMany},
    {.call = Refusal::kSpread, .reason = "from rank 99", .root = 99},
    {.call = Refusal::kSpread, .reason = "from rank -1", .root = -1},
    {.call = Refusal::kSwap, .reason = "dtype 77", .dtype = kNoDType},
    {.call = Refusal::kSwap, .reason = "is null", .null = true},
    {.call = Refusal::kShift, .reason = "source 55", .source = 55},
    {.call = Refusal::kShift, .reason = "one source for each", .sources = 1},
};

// `target`: a Communicator or a Lane.
template <class Target>
auto CallBadly(Target& target,
               int ranks,
               const Refusal& bad,
               const CallSite& site) {
  static float place[64] = {};  // never written: the call is refused
  float* const data = bad.null ? nullptr : place;
  const std::vector<int> sources(ranks + bad.sources, bad.source);
  switch (bad.call) {
    case Refusal::kReduce:
      return target.AllReduce(data, data, bad.count, bad.dtype, bad.op, site);
    case Refusal::kScatter:
      return target.ReduceScatter(
          data, data, bad.count, bad.dtype, bad.op, site);
    case Refusal::kGather:
      return target.AllGather(data, data, bad.count, bad.dtype, site);
    case Refusal::kSpread:
      return target.Broadcast(data, bad.count, bad.dtype, bad.root, site);
    case Refusal::kSwap:
      return target.AllToAll(data, data, bad.count, bad.dtype, site);
    case Refusal::kShift:
      return target.Permute(data, data, bad.count, bad.dtype, sources, site);
  }
  return target.Barrier(site);
}

inline Status ExpectText(const Status& status,
                         const std::vector<std::string>& parts) {
  if (status.ok()) return InternalError("no error came, but a number");
  for (const std::string& part : parts) {
    if (Message(status).find(part) == std::string::npos) {
      return InternalError("\"", part, "\" is not in: ", Message(status));
    }
  }
  return OkStatus();
}

// One sum of what ranks give, as often as it is called from the same line.
template <class Target>
auto Add(Target& target, float& x) {
  return target.AllReduce(
      &x, &x, 1, DType::kF32, ReduceOp::kSum, {.label = "good"});
}

// `target` works for the ranks of `comm`. Rank `bad_rank` of them makes a call
// that cannot be, where the others make the first of two good ones.
template <class Target>
Status CheckOneRefusal(Target& target,
                       const Communicator& comm,
                       int bad_rank,
                       const std::string& world_rank,
                       const Refusal& bad) {
  constexpr SourceLoc kLoc = {"a/train.cc", 88};
  const int rank = comm.rank();
  float before = 1;
  float first = 2;
  float second = 100;
  GYRE_RETURN_IF_ERROR(Await(Add(target, before)));
  // Posted before anything is waited for, where that can be.
  auto a =
      rank == bad_rank
          ? CallBadly(target, comm.size(), bad, {.label = "bad", .loc = kLoc})
          : Add(target, first);
  auto b = Add(target, second);
  const Status refused = Await(std::move(a));
  const Status after = Await(std::move(b));
  std::vector<std::string> words = {"(bad)", "train.cc:88", bad.reason};
  if (rank != bad_rank) {
    words.push_back(Cat("rank ", world_rank, " cannot go on"));
  } else if (KindOf(refused) != ErrorKind::kConfig) {
    return InternalError("expected a refusal, got: ", Message(refused));
  }
  GYRE_RETURN_IF_ERROR(ExpectText(refused, words));
  GYRE_RETURN_IF_ERROR(ExpectText(after, words));
  return ExpectText(Await(target.Barrier({})), words);
}

inline std::vector<int> RanksFrom(int first, int end, int step = 1) {
  std::vector<int> ranks;
  for (int r = first; r < end; r += step) ranks.push_back(r);
  return ranks;
}

inline Status CheckWorldGoesOn(Communicator& comm) {
  float x = 1;
  GYRE_RETURN_IF_ERROR(Add(comm, x));
  if (x == static_cast<float>(comm.size())) return OkStatus();
  return InternalError("a sum of ones over ", comm.size(), " ranks is ", x);
}

// Synchronous, in a group of all ranks; the world goes on.
inline Status CheckRefusedCalls(Communicator& comm) {
  int turn = 0;
  for (const Refusal& bad : kRefusals) {
    GYRE_ASSIGN_OR_RETURN(const auto group,
                          comm.Split(RanksFrom(0, comm.size()), {}));
    const int bad_rank = turn++ % comm.size();
    GYRE_RETURN_IF_ERROR(
        CheckOneRefusal(*group, comm, bad_rank, Cat(bad_rank), bad));
  }
  return CheckWorldGoesOn(comm);
}

// The same for what is posted.
inline Status CheckRefusedPosts(Communicator& comm) {
  int turn = 1;
  for (const Refusal& bad : kRefusals) {
    GYRE_ASSIGN_OR_RETURN(const auto lane, Lane::Create(comm));
    const int bad_rank = turn++ % comm.size();
    GYRE_RETURN_IF_ERROR(
        CheckOneRefusal(*lane, comm, bad_rank, Cat(bad_rank), bad));
  }
  return CheckWorldGoesOn(comm);
}

// Of two groups one fails, and the other does not hear of it.
inline Status CheckRefusalStaysInItsGroup(Communicator& comm) {
  const int half = comm.rank() % 2;
  GYRE_ASSIGN_OR_RETURN(const auto group,
                        comm.Split(RanksFrom(half, comm.size(), 2), {}));
  if (half == 0) {
    const int last = group->size() - 1;
    GYRE_RETURN_IF_ERROR(
        CheckOneRefusal(*group, *group, last, Cat(2 * last), kRefusals[0]));
  } else {
    for (int i = 0; i < 3; ++i) GYRE_RETURN_IF_ERROR(CheckWorldGoesOn(*group));
  }
  return CheckWorldGoesOn(comm);
}

// An allocation that cannot be is told like any other call.
inline Status CheckRefusedAllocation(Communicator& comm) {
  GYRE_ASSIGN_OR_RETURN(const auto group,
                        comm.Split(RanksFrom(0, comm.size()), {}));
  const bool bad = comm.rank() == comm.size() - 1;
  const auto block =
      group->Allocate(bad ? ~std::size_t{0} - 7 : 64, {.label = "arena"});
  GYRE_RETURN_IF_ERROR(ExpectText(block.status(), {"arena"}));
  if (comm.size() > 1) {
    GYRE_RETURN_IF_ERROR(ExpectText(group->Barrier({}), {"arena"}));
  }
  return CheckWorldGoesOn(comm);
}

// Two calls of one shape: rank 0 makes them in another order than the others.
template <class Target>
Status CheckOneSwap(Target& target, bool swapped, bool labels) {
  const CallSite at_10 = {.label = labels ? "loss" : "x",
                          .loc = {"a/train.cc", 10}};
  const CallSite at_20 = {.label = labels ? "norm" : "x",
                          .loc = {"a/train.cc", labels ? 10 : 20}};
  float x = 1;
  float y = 100;
  auto a = target.AllReduce(
      &x, &x, 1, DType::kF32, ReduceOp::kSum, swapped ? at_20 : at_10);
  auto b = target.AllReduce(
      &y, &y, 1, DType::kF32, ReduceOp::kSum, swapped ? at_10 : at_20);
  const Status first = Await(std::move(a));
  const Status second = Await(std::move(b));
  if (KindOf(first) != ErrorKind::kMismatch) {
    return InternalError("expected a mismatch, got: ", Message(first));
  }
  std::vector<std::string> words = {
      "rank 0 called", "label or the source line", "train.cc:10"};
  words.push_back(labels ? "(loss)" : "train.cc:20");
  if (labels) words.push_back("(norm)");
  GYRE_RETURN_IF_ERROR(ExpectText(first, words));
  return ExpectText(second, words);
}

inline Status CheckCallsFromElsewhere(Communicator& comm) {
  if (comm.size() == 1) return OkStatus();
  for (const bool labels : {false, true}) {
    const bool swapped = comm.rank() == 0;
    GYRE_ASSIGN_OR_RETURN(const auto group,
                          comm.Split(RanksFrom(0, comm.size()), {}));
    GYRE_RETURN_IF_ERROR(CheckOneSwap(*group, swapped, labels));
    GYRE_ASSIGN_OR_RETURN(const auto lane, Lane::Create(comm));
    GYRE_RETURN_IF_ERROR(CheckOneSwap(*lane, swapped, labels));
  }
  // Without a word: the line is that of the call.
  GYRE_ASSIGN_OR_RETURN(const auto group,
                        comm.Split(RanksFrom(0, comm.size()), {}));
  float x = 1;
  const Status status =
      comm.rank() == 0
          ? group->AllReduce(&x, &x, 1, DType::kF32, ReduceOp::kSum, {})
          : group->AllReduce(&x, &x, 1, DType::kF32, ReduceOp::kSum, {});
  if (KindOf(status) != ErrorKind::kMismatch) {
    return InternalError("expected a mismatch, got: ", Message(status));
  }
  GYRE_RETURN_IF_ERROR(ExpectText(status, {"refusals.h:"}));
  return CheckWorldGoesOn(comm);
}

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_REFUSALS_H_
