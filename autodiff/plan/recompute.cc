#include "gyre/autodiff/plan/recompute.h"

#include <algorithm>
#include <utility>

#include "gyre/autodiff/ops/elementwise_op.h"
#include "gyre/autodiff/ops/layout_ops.h"
#include "gyre/autodiff/ops/reduce_op.h"

namespace gyre::internal::inline autodiff {
namespace {

constexpr std::size_t kMaxCone = 8;    // operations that make one value
constexpr std::size_t kMaxLeaves = 2;  // tensors of its size they read

template <class T>
const T* As(const Node& node) {
  return dynamic_cast<const T*>(node.op.get());
}

bool IsCheap(Code code) {
  switch (code) {
    case Code::kNeg:
    case Code::kAbs:
    case Code::kRelu:
    case Code::kSquare:
    case Code::kSign:
    case Code::kNot:
    case Code::kAdd:
    case Code::kSub:
    case Code::kMul:
    case Code::kMin:
    case Code::kMax:
    case Code::kSelect:
    case Code::kFma:
      return true;
    default:
      return code >= Code::kLt && code <= Code::kOr;
  }
}

class Recomputer {
 public:
  explicit Recomputer(Graph& graph)
      : graph_(graph),
        producer_(graph.values.size(), -1),
        stored_(graph.values.size(), 0),
        copy_(graph.values.size(), -1) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      for (const ValueId id : node.outputs) producer_[id] = static_cast<int>(i);
      // Elementwise operations and reductions take their producers in.
      const bool fuses = As<ElementwiseOp>(node) || As<ReduceAxesOp>(node);
      for (const ValueId id : node.inputs) stored_[id] |= !fuses;
    }
    for (const ValueId id : graph.results) stored_[id] = 1;
  }

  void Run() {
    const std::vector<Node> nodes = graph_.nodes;
    result_.reserve(nodes.size());
    for (const Node& node : nodes) {
      Node here = node;
      if (node.phase == Phase::kBackward && As<ElementwiseOp>(node)) {
        for (ValueId& id : here.inputs) {
          if (PaysToCopy(id)) id = CopyOf(id, node);
        }
      }
      result_.push_back(std::move(here));
    }
    graph_.nodes = std::move(result_);
  }

 private:
  // What a value is made from by cheap operations.
  struct Cone {
    std::size_t operations = 0;
    std::vector<ValueId> leaves = {};  // of its size
  };

  std::int64_t Elements(ValueId id) const {
    return graph_.values[id].spec.shape.elements();
  }

  bool IsInside(ValueId id, const Shape& shape) const {
    const int from = producer_[id];
    if (from < 0 || stored_[id]) return false;
    const Node& node = graph_.nodes[from];
    const auto* op = As<ElementwiseOp>(node);
    const TensorSpec& spec = graph_.values[id].spec;
    return op != nullptr && node.phase == Phase::kForward &&
           IsCheap(op->code()) && spec.shape == shape &&
           spec.dtype != DType::kBF16 && spec.dtype != DType::kF16;
  }

  // Past broadcasts, which fusion reads at their source.
  ValueId Source(ValueId id) const {
    const int from = producer_[id];
    if (from < 0 || As<BroadcastOp>(graph_.nodes[from]) == nullptr) return id;
    return Source(graph_.nodes[from].inputs[0]);
  }

  // False as soon as the cone is too large.
  bool Collect(ValueId id, const Shape& shape, Cone& cone) const {
    if (!IsInside(id, shape)) {
      const ValueId leaf = Source(id);
      const bool known =
          std::find(cone.leaves.begin(), cone.leaves.end(), leaf) !=
          cone.leaves.end();
      if (Elements(leaf) == shape.elements() && !known) {
        cone.leaves.push_back(leaf);
      }
      return cone.leaves.size() <= kMaxLeaves;
    }
    if (++cone.operations > kMaxCone) return false;
    for (const ValueId input : graph_.nodes[producer_[id]].inputs) {
      if (!Collect(input, shape, cone)) return false;
    }
    return true;
  }

  bool PaysToCopy(ValueId id) const {
    if (copy_[id] >= 0) return true;
    const Shape& shape = graph_.values[id].spec.shape;
    Cone cone;
    if (!IsInside(id, shape) || !Collect(id, shape, cone)) return false;
    return std::count_if(
               cone.leaves.begin(), cone.leaves.end(), [&](ValueId leaf) {
                 return producer_[leaf] >= 0;
               }) <= 1;
  }

  // Puts copies of the operations of a cone before their reader.
  ValueId CopyOf(ValueId id, const Node& reader) {
    if (copy_[id] >= 0) return copy_[id];
    Node node = graph_.nodes[producer_[id]];
    const Shape shape = graph_.values[id].spec.shape;
    for (ValueId& input : node.inputs) {
      if (IsInside(input, shape)) input = CopyOf(input, reader);
    }
    const auto copy = static_cast<ValueId>(graph_.values.size());
    Value value;
    value.spec = graph_.values[id].spec;
    graph_.values.push_back(std::move(value));
    node.outputs = {copy};
    node.phase = reader.phase;
    node.origin = reader.origin;
    result_.push_back(std::move(node));
    copy_[id] = copy;
    return copy;
  }

  Graph& graph_;
  std::vector<int> producer_;
  std::vector<char> stored_;
  std::vector<ValueId> copy_;  // by value, -1: none
  std::vector<Node> result_;
};

}  // namespace

void RecomputeCheapValues(Graph& graph) { Recomputer(graph).Run(); }

}  // namespace gyre::internal::inline autodiff
