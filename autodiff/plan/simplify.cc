#include "gyre/autodiff/plan/simplify.h"

#include <cstring>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/elementwise_op.h"
#include "gyre/autodiff/ops/layout_ops.h"
#include "gyre/autodiff/ops/reduce_op.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {
namespace {

// Larger results are left to the step: a constant takes memory for good.
constexpr std::int64_t kMaxFolded = 4096;

template <class T>
bool Is(const Node& node) {
  return dynamic_cast<const T*>(node.op.get()) != nullptr;
}

bool CanFold(const Graph& graph, const Node& node) {
  if (!Is<ElementwiseOp>(node) && !Is<ReduceAxesOp>(node) &&
      !Is<ReshapeOp>(node)) {
    return false;
  }
  for (const ValueId id : node.inputs) {
    const auto& constant = graph.values[id].constant;
    if (!constant.has_value() || constant->elements() > kMaxFolded) {
      return false;
    }
  }
  return graph.values[node.outputs[0]].spec.shape.elements() <= kMaxFolded;
}

StatusOr<Tensor> RunOnce(const Graph& graph,
                         const Node& node,
                         KernelSet kernels) {
  KernelRequest request;
  request.set = kernels;
  request.loc = node.loc;
  std::vector<void*> in;
  for (const ValueId id : node.inputs) {
    const Tensor& tensor = *graph.values[id].constant;
    request.inputs.push_back({tensor.shape(), tensor.dtype()});
    in.push_back(const_cast<std::byte*>(tensor.raw()));
  }
  const TensorSpec& spec = graph.values[node.outputs[0]].spec;
  request.outputs.push_back({spec.shape, spec.dtype});
  request.output_used.push_back(1);
  GYRE_ASSIGN_OR_RETURN(const auto kernel, node.op->MakeKernel(request));
  const AlignedBuffer scratch = AllocateAligned(kernel->scratch_bytes());
  Tensor result(spec.dtype, spec.shape);
  void* const out[] = {result.raw()};
  const StepContext context;
  GYRE_RETURN_IF_ERROR(kernel->Run({in.data(), out, scratch.get(), &context}));
  return result;
}

}  // namespace

void RemoveAliases(Graph& graph) {
  std::vector<ValueId> names(graph.values.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = static_cast<ValueId>(i);
  }
  std::vector<Node> kept;
  kept.reserve(graph.nodes.size());
  for (Node& node : graph.nodes) {
    for (ValueId& id : node.inputs) id = names[id];
    // An alias with further inputs waits for them: it is there on purpose.
    const bool same_shape = node.op->is_alias() && node.inputs.size() == 1 &&
                            graph.values[node.inputs[0]].spec.shape ==
                                graph.values[node.outputs[0]].spec.shape;
    if (same_shape) {
      names[node.outputs[0]] = node.inputs[0];
    } else {
      kept.push_back(std::move(node));
    }
  }
  graph.nodes = std::move(kept);
  for (ValueId& id : graph.results) id = names[id];
}

void BypassBroadcasts(Graph& graph) {
  // By value, the single element that all of its elements are copies of.
  std::vector<ValueId> scalar(graph.values.size(), -1);
  for (std::size_t i = 0; i < scalar.size(); ++i) {
    if (graph.values[i].spec.shape.elements() == 1) {
      scalar[i] = static_cast<ValueId>(i);
    }
  }
  for (Node& node : graph.nodes) {
    if (Is<BroadcastOp>(node) || Is<ReshapeOp>(node)) {
      ValueId& out = scalar[node.outputs[0]];
      if (out < 0) out = scalar[node.inputs[0]];
    }
    if (!node.op->takes_scalars()) continue;
    for (ValueId& id : node.inputs) {
      if (scalar[id] >= 0) id = scalar[id];
    }
  }
}

void FoldConstants(Graph& graph, KernelSet kernels) {
  std::vector<Node> kept;
  kept.reserve(graph.nodes.size());
  for (Node& node : graph.nodes) {
    if (CanFold(graph, node)) {
      auto result = RunOnce(graph, node, kernels);
      if (result.ok()) {
        graph.values[node.outputs[0]].constant = *std::move(result);
        continue;
      }
    }
    kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
}

}  // namespace gyre::internal::inline autodiff
