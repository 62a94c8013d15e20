// Where every value of a plan lies: one arena, reused by lifetime.

#ifndef GYRE_AUTODIFF_PLAN_MEMORY_H_
#define GYRE_AUTODIFF_PLAN_MEMORY_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gyre/autodiff/plan/graph.h"

namespace gyre::internal::inline autodiff {

// A value that must be written at a given place of a bound slot: gradients,
// which lie in memory that the communicator reduces without a copy.
struct Placement {
  ValueId value = -1;
  int input = -1;          // the tape's input that is the slot
  std::size_t offset = 0;  // bytes
};

struct Storage {
  enum class Kind { kNone, kArena, kInput, kConstant };
  Kind kind = Kind::kNone;
  int index = 0;           // which input, or the value that is the constant
  std::size_t offset = 0;  // bytes
};

struct MemoryPlan {
  std::vector<Storage> storage;  // by value
  std::size_t arena_bytes = 0;   // the peak
  std::size_t total_bytes = 0;   // if nothing were reused
  int in_place = 0;              // outputs written over a dying input
};

// Values that are aliases share their source's place. Errors: a placed value
// that is an input, a constant, or placed twice (the caller copies it first).
// Without `in_place`, an operation's operands are still there when it is done.
MemoryPlan PlanMemory(const Graph& graph,
                      const std::vector<Placement>& placements,
                      bool in_place = true);

// The value whose memory `id` shares, following aliases to their source.
std::vector<ValueId> AliasRoots(const Graph& graph);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_MEMORY_H_
