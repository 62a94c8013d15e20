// A rank of a world that is not there: for what depends on who is who, and
// says nothing to anybody.
//
//   PaperRank rank(2, 4);
//   const Mesh mesh = *Mesh::Create(rank, {{"data", 2}, {"member", 2}});

#ifndef GYRE_TESTS_SUPPORT_PAPER_RANK_H_
#define GYRE_TESTS_SUPPORT_PAPER_RANK_H_

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

#include "gyre/mesh/communicator.h"

namespace gyre::internal::inline tests {

class PaperRank final : public Communicator {
 public:
  PaperRank(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string_view backend() const override { return "paper"; }
  StatusOr<SharedBuffer> Allocate(std::size_t, const CallSite&) override {
    return Nobody();
  }
  Status AllReduce(const void*,
                   void*,
                   std::size_t,
                   DType,
                   ReduceOp,
                   const CallSite&) override {
    return Nobody();
  }
  Status ReduceScatter(const void*,
                       void*,
                       std::size_t,
                       DType,
                       ReduceOp,
                       const CallSite&) override {
    return Nobody();
  }
  Status AllGather(
      const void*, void*, std::size_t, DType, const CallSite&) override {
    return Nobody();
  }
  Status Broadcast(void*, std::size_t, DType, int, const CallSite&) override {
    return Nobody();
  }
  Status AllToAll(
      const void*, void*, std::size_t, DType, const CallSite&) override {
    return Nobody();
  }
  Status Permute(const void*,
                 void*,
                 std::size_t,
                 DType,
                 std::span<const int>,
                 const CallSite&) override {
    return Nobody();
  }
  Status Barrier(const CallSite&) override { return Nobody(); }
  StatusOr<std::unique_ptr<Communicator>> Split(std::span<const int> ranks,
                                                const CallSite&) override {
    const auto at = std::find(ranks.begin(), ranks.end(), rank_);
    return std::make_unique<PaperRank>(static_cast<int>(at - ranks.begin()),
                                       static_cast<int>(ranks.size()));
  }
  std::span<const ControlRecord> records() const override { return {}; }

 private:
  static Status Nobody() {
    return InternalError("a rank on paper talks to nobody");
  }

  int rank_;
  int size_;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_PAPER_RANK_H_
