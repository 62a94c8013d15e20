// Plan::Explain and Plan::Listing: the plan as text.

#include <algorithm>
#include <cstdio>

#include "autodiff/plan/plan.h"

namespace gyre {
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

std::string ValueText(const Graph& graph, ValueId id) {
  const Value& value = graph.values[id];
  if (value.input >= 0) return graph.inputs[value.input].name;
  if (value.constant.has_value()) {
    const Tensor& tensor = *value.constant;
    if (tensor.elements() == 1 && tensor.dtype() == DType::kF32) {
      return Cat(tensor.data<float>()[0]);
    }
    if (tensor.elements() == 1 && tensor.dtype() == DType::kF64) {
      return Cat(tensor.data<double>()[0]);
    }
    return Cat("const", tensor.shape());
  }
  return Cat("%", id);
}

std::string Operation(const Graph& graph, const Node& node) {
  std::string text = Cat(node.op->name(), "(");
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    text += Cat(i > 0 ? ", " : "", ValueText(graph, node.inputs[i]));
  }
  text += ")";
  const std::string attributes = node.op->attributes();
  return attributes.empty() ? text : Cat(text, " {", attributes, "}");
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
  std::vector<std::string> lines;
  for (const Node& node : graph_.nodes) {
    std::string line;
    for (const ValueId id : node.outputs) {
      const TensorSpec& spec = graph_.values[id].spec;
      line += Cat("%", id, " ", spec.dtype, spec.shape, " ");
    }
    lines.push_back(Cat(line, "= ", Operation(graph_, node), " at ", node.loc));
  }
  return lines;
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

}  // namespace gyre
