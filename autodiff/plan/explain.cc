// Plan::Explain and Plan::Listing: the plan as text.

#include <algorithm>
#include <cstdio>

#include "gyre/autodiff/plan/listing.h"
#include "gyre/autodiff/plan/plan.h"

namespace gyre::internal::inline autodiff {
namespace {

std::string Bytes(std::size_t bytes) {
  char text[32];
  if (bytes >= std::size_t{1} << 20) {
    std::snprintf(text, sizeof text, "%.1f MiB", bytes / 1048576.0);
  } else if (bytes >= 1024) {
    std::snprintf(text, sizeof text, "%.1f KiB", bytes / 1024.0);
  } else {
    std::snprintf(text, sizeof text, "%zu B", bytes);
  }
  return text;
}

std::size_t CountOperations(const Graph& graph) {
  return std::count_if(graph.nodes.begin(),
                       graph.nodes.end(),
                       [](const Node& node) { return !node.op->is_alias(); });
}

std::string Place(const Graph& graph, const Storage& storage) {
  switch (storage.kind) {
    case Storage::Kind::kNone:
      return "nowhere";
    case Storage::Kind::kArena:
      return Cat("arena+", storage.offset);
    case Storage::Kind::kInput:
      return Cat(graph.inputs[storage.index].name, "+", storage.offset);
    case Storage::Kind::kConstant:
      return "constant";
  }
  return "";
}

}  // namespace

std::vector<std::string> Plan::Listing() const {
  return ListOperations(graph_);
}

std::string Plan::Explain() const {
  std::string text =
      Cat("plan: ",
          CountOperations(graph_),
          " operations, arena ",
          Bytes(memory_.arena_bytes),
          " for ",
          Bytes(memory_.total_bytes),
          " of tensors, ",
          memory_.in_place,
          " in place, elementwise loops ",
          options_.generates_code() ? "generated" : "interpreted",
          ", fingerprint ",
          Fingerprint(),
          "\n");
  Phase phase = Phase::kForward;
  bool first = true;
  const std::vector<std::string> lines = Listing();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Node& node = graph_.nodes[i];
    if (node.op->is_alias()) continue;  // no work, no memory
    if (first || node.phase != phase) text += Cat(Name(node.phase), ":\n");
    first = false;
    phase = node.phase;
    text += Cat("  ", lines[i]);
    for (const ValueId id : node.outputs) {
      text += Cat(" -> ", Place(graph_, memory_.storage[id]));
      if (graph_.values[id].spec.varies != 0 && mesh_ != nullptr) {
        text += Cat(" varies over ",
                    mesh_->Describe(graph_.values[id].spec.varies));
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace gyre::internal::inline autodiff
