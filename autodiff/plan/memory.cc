#include "autodiff/plan/memory.h"

#include <algorithm>
#include <map>

#include "core/aligned.h"

namespace gyre {
namespace {

// Free parts of the arena, best fit, neighbours joined.
class FreeList {
 public:
  std::size_t Take(std::size_t bytes) {
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      const bool fits = it->second >= bytes;
      if (fits && (best == free_.end() || it->second < best->second)) {
        best = it;
      }
    }
    if (best == free_.end()) return Grow(bytes);
    const std::size_t offset = best->first;
    const std::size_t rest = best->second - bytes;
    free_.erase(best);
    if (rest > 0) free_[offset + bytes] = rest;
    return offset;
  }

  void Give(std::size_t offset, std::size_t bytes) {
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    free_[offset] = bytes;
  }

  std::size_t peak() const { return peak_; }

 private:
  // Extends the last free part if it touches the end.
  std::size_t Grow(std::size_t bytes) {
    std::size_t offset = peak_;
    if (!free_.empty()) {
      const auto last = std::prev(free_.end());
      if (last->first + last->second == peak_) {
        offset = last->first;
        free_.erase(last);
      }
    }
    peak_ = offset + bytes;
    return offset;
  }

  std::map<std::size_t, std::size_t> free_;
  std::size_t peak_ = 0;
};

constexpr int kForever = 1 << 30;

// The last node that reads each root; kForever for results.
std::vector<int> LastUses(const Graph& graph,
                          const std::vector<ValueId>& roots) {
  std::vector<int> last(graph.values.size(), -1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    for (const ValueId id : node.inputs) last[roots[id]] = static_cast<int>(i);
    for (const ValueId id : node.outputs) {
      last[roots[id]] = std::max(last[roots[id]], static_cast<int>(i));
    }
  }
  for (const ValueId id : graph.results) last[roots[id]] = kForever;
  return last;
}

std::size_t SlotBytes(const Value& value) {
  return AlignUp(std::max<std::size_t>(value.spec.bytes(), 1));
}

}  // namespace

std::vector<ValueId> AliasRoots(const Graph& graph) {
  std::vector<ValueId> roots(graph.values.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    roots[i] = static_cast<ValueId>(i);
  }
  for (const Node& node : graph.nodes) {
    if (node.op->is_alias()) roots[node.outputs[0]] = roots[node.inputs[0]];
  }
  return roots;
}

MemoryPlan PlanMemory(const Graph& graph,
                      const std::vector<Placement>& placements) {
  MemoryPlan plan;
  plan.storage.resize(graph.values.size());
  const std::vector<ValueId> roots = AliasRoots(graph);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& value = graph.values[i];
    if (value.constant.has_value()) {
      plan.storage[i] = {Storage::Kind::kConstant, static_cast<int>(i), 0};
    } else if (value.input >= 0) {
      plan.storage[i] = {Storage::Kind::kInput, value.input, 0};
    }
  }
  for (const Placement& place : placements) {
    Storage& storage = plan.storage[roots[place.value]];
    GYRE_CHECK(storage.kind == Storage::Kind::kNone,
               "a value placed twice, or an input or constant placed");
    storage = {Storage::Kind::kInput, place.input, place.offset};
  }
  const std::vector<int> last = LastUses(graph, roots);
  std::vector<std::vector<ValueId>> dying(graph.nodes.size());
  FreeList free;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId id : graph.nodes[i].outputs) {
      Storage& storage = plan.storage[id];
      if (roots[id] != id || storage.kind != Storage::Kind::kNone) continue;
      const std::size_t bytes = SlotBytes(graph.values[id]);
      storage = {Storage::Kind::kArena, 0, free.Take(bytes)};
      plan.total_bytes += bytes;
      if (last[id] != kForever) dying[last[id]].push_back(id);
    }
    for (const ValueId id : dying[i]) {
      free.Give(plan.storage[id].offset, SlotBytes(graph.values[id]));
    }
  }
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    plan.storage[i] = plan.storage[roots[i]];
  }
  plan.arena_bytes = free.peak();
  return plan;
}

}  // namespace gyre
