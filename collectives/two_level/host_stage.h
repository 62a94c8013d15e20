// Memory that the ranks of a group on one host share: a place for the input
// of each, and one for results.

#ifndef GYRE_COLLECTIVES_TWO_LEVEL_HOST_STAGE_H_
#define GYRE_COLLECTIVES_TWO_LEVEL_HOST_STAGE_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "gyre/collectives/control_area.h"
#include "gyre/collectives/two_level/host_plan.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline collectives {

class HostStage {
 public:
  // `base`: Bytes(...) that all ranks of the host have mapped.
  HostStage(HostPlan plan, std::byte* base, std::size_t bytes)
      : plan_(std::move(plan)), base_(base), bytes_(bytes) {}

  static std::size_t Stride(std::size_t bytes) {
    return AlignUp(bytes) + kSkew;
  }
  static std::size_t Bytes(int local_ranks, std::size_t bytes) {
    return (local_ranks + 1) * Stride(bytes);
  }

  const HostPlan& plan() const { return plan_; }
  // Of one rank's input, and of the result.
  std::size_t bytes() const { return bytes_; }
  std::byte* input(int local_rank) const {
    return base_ + local_rank * Stride(bytes_);
  }
  std::byte* result() const {
    return input(static_cast<int>(plan_.local_ranks().size()));
  }

 private:
  HostPlan plan_;
  std::byte* base_;
  std::size_t bytes_;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_TWO_LEVEL_HOST_STAGE_H_
