#include "gyre/autodiff/plan/memory.h"

#include <algorithm>
#include <map>

#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {
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

// The values that die at a node, and which of them its outputs take over.
class Heirs {
 public:
  Heirs(const Graph& graph, const std::vector<ValueId>& roots)
      : graph_(graph), roots_(roots) {}

  // The dying value whose memory the output may be written into; -1: none.
  // It is taken off the list.
  ValueId Take(const Node& node,
               int output,
               std::vector<ValueId>& dying) const {
    const std::size_t bytes = graph_.values[node.outputs[output]].spec.bytes();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId root = roots_[node.inputs[i]];
      const auto found = std::find(dying.begin(), dying.end(), root);
      if (found == dying.end() || ReadsOften(node, root) ||
          graph_.values[root].spec.bytes() != bytes ||
          !node.op->CanOverwrite(output, static_cast<int>(i))) {
        continue;
      }
      dying.erase(found);
      return root;
    }
    return -1;
  }

 private:
  // Through another input, perhaps in another order.
  bool ReadsOften(const Node& node, ValueId root) const {
    return std::count_if(node.inputs.begin(),
                         node.inputs.end(),
                         [&](ValueId id) { return roots_[id] == root; }) > 1;
  }

  const Graph& graph_;
  const std::vector<ValueId>& roots_;
};

// Gives every value that has no place yet one in the arena. An output is
// written over an input that dies there where the operation allows it.
void PlaceInArena(const Graph& graph,
                  const std::vector<ValueId>& roots,
                  bool in_place,
                  MemoryPlan& plan) {
  const std::vector<int> last = LastUses(graph, roots);
  std::vector<std::vector<ValueId>> dying(graph.nodes.size());
  const Heirs heirs(graph, roots);
  std::vector<ValueId> unread;  // outputs of this node that nobody reads
  FreeList free;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      const ValueId id = node.outputs[k];
      Storage& storage = plan.storage[id];
      if (roots[id] != id || storage.kind != Storage::Kind::kNone) continue;
      const std::size_t bytes = SlotBytes(graph.values[id]);
      const ValueId from =
          in_place ? heirs.Take(node, static_cast<int>(k), dying[i]) : -1;
      storage = {Storage::Kind::kArena,
                 0,
                 from < 0 ? free.Take(bytes) : plan.storage[from].offset};
      plan.total_bytes += bytes;
      plan.in_place += from >= 0 ? 1 : 0;
      if (last[id] == static_cast<int>(i)) {
        unread.push_back(id);
      } else if (last[id] != kForever) {
        dying[last[id]].push_back(id);
      }
    }
    for (const ValueId id : unread) dying[i].push_back(id);
    unread.clear();
    for (const ValueId id : dying[i]) {
      free.Give(plan.storage[id].offset, SlotBytes(graph.values[id]));
    }
  }
  plan.arena_bytes = free.peak();
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
                      const std::vector<Placement>& placements,
                      bool in_place) {
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
  PlaceInArena(graph, roots, in_place, plan);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    plan.storage[i] = plan.storage[roots[i]];
  }
  return plan;
}

}  // namespace gyre::internal::inline autodiff
