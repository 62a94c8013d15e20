#include "gyre/autodiff/plan/listing.h"

namespace gyre::internal::inline autodiff {
namespace {

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

}  // namespace

std::vector<std::string> ListOperations(const Graph& graph) {
  std::vector<std::string> lines;
  for (const Node& node : graph.nodes) {
    std::string line;
    for (const ValueId id : node.outputs) {
      const TensorSpec& spec = graph.values[id].spec;
      line += Cat("%", id, " ", spec.dtype, spec.shape, " ");
    }
    lines.push_back(Cat(line, "= ", Operation(graph, node), " at ", node.loc));
  }
  return lines;
}

}  // namespace gyre::internal::inline autodiff
