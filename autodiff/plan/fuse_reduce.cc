#include "gyre/autodiff/plan/fuse_reduce.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "gyre/autodiff/exec/elementwise_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/pointwise_forms.h"
#include "gyre/autodiff/ops/reduce_op.h"
#include "gyre/autodiff/plan/fused_op.h"

namespace gyre::internal::inline autodiff {
namespace {

class FusedReduceOp final : public internal::PlanOp {
 public:
  explicit FusedReduceOp(ReduceProgram program)
      : program_(std::move(program)) {}

  std::string_view name() const override {
    switch (program_.op) {
      case Reduction::kSum:
        return "fused_sum";
      case Reduction::kProd:
        return "fused_prod";
      case Reduction::kMax:
        return "fused_max";
      case Reduction::kMin:
        break;
    }
    return "fused_min";
  }
  std::string attributes() const override {
    std::string text = "axes=";
    for (std::size_t i = 0; i < program_.axes.size(); ++i) {
      text += Cat(i > 0 ? "," : "", program_.axes[i]);
    }
    return Cat(text, " of ", ProgramText(program_.producer));
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return MakeReduceKernel(program_, request.jit);
  }

 private:
  ReduceProgram program_;
};

// By value, the position of the node that makes it, or -1.
std::vector<int> Producers(const Graph& graph) {
  std::vector<int> producer(graph.values.size(), -1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId id : graph.nodes[i].outputs) {
      producer[id] = static_cast<int>(i);
    }
  }
  return producer;
}

const ReduceAxesOp* AsReduction(const Node& node) {
  return dynamic_cast<const ReduceAxesOp*>(node.op.get());
}

void Drop(Graph& graph, const std::vector<char>& dropped) {
  std::vector<Node> kept;
  kept.reserve(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!dropped[i]) kept.push_back(std::move(graph.nodes[i]));
  }
  graph.nodes = std::move(kept);
}

// Sums of functors, and the derivatives that can join them.
class FunctorSums {
 public:
  explicit FunctorSums(Graph& graph)
      : graph_(graph),
        producer_(Producers(graph)),
        uses_(graph.CountUses()),
        dropped_(graph.nodes.size(), 0) {}

  void Run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      Visit(static_cast<int>(i));
    }
    Drop(graph_, dropped_);
  }

 private:
  void Visit(int position) {
    Node& sum = graph_.nodes[position];
    const ReduceAxesOp* reduction = AsReduction(sum);
    if (reduction == nullptr || reduction->reduction() != Reduction::kSum) {
      return;
    }
    const ValueId value = sum.inputs[0];
    const int from = producer_[value];
    const int rank = graph_.values[value].spec.shape.rank();
    if (from < 0 || uses_[value] != 1 ||
        static_cast<int>(reduction->axes().size()) != rank) {
      return;
    }
    const Node& source = graph_.nodes[from];
    const auto* op = dynamic_cast<const internal::Sums*>(source.op.get());
    if (op == nullptr) return;
    const int grad = FindGrad(source, position);
    sum.inputs = source.inputs;
    sum.op = op->Summed();
    sum.loc = source.loc;
    dropped_[from] = 1;
    if (grad >= 0) TakeIn(graph_.nodes[grad], grad, sum);
  }

  // The derivatives of `source` whose incoming gradient is there at
  // `position`, or -1.
  int FindGrad(const Node& source, int position) const {
    for (std::size_t i = position + 1; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      const auto* op =
          dynamic_cast<const internal::SumsWithGrad*>(node.op.get());
      if (op == nullptr || dropped_[i] ||
          op->functor_text() != source.op->attributes() ||
          !std::equal(source.inputs.begin(),
                      source.inputs.end(),
                      node.inputs.begin(),
                      node.inputs.end() - 1)) {
        continue;
      }
      if (producer_[node.inputs.back()] < position) {
        return static_cast<int>(i);
      }
    }
    return -1;
  }

  void TakeIn(const Node& grad, int position, Node& sum) {
    sum.op = static_cast<const internal::SumsWithGrad&>(*grad.op).WithSum();
    sum.inputs = grad.inputs;
    sum.outputs.insert(
        sum.outputs.end(), grad.outputs.begin(), grad.outputs.end());
    dropped_[position] = 1;
  }

  Graph& graph_;
  std::vector<int> producer_;
  std::vector<int> uses_;
  std::vector<char> dropped_;
};

}  // namespace

void FuseReductions(Graph& graph) {
  const std::vector<int> producer = Producers(graph);
  const std::vector<int> uses = graph.CountUses();
  std::vector<char> dropped(graph.nodes.size(), 0);
  for (Node& node : graph.nodes) {
    const ReduceAxesOp* reduction = AsReduction(node);
    if (reduction == nullptr) continue;
    const int from = producer[node.inputs[0]];
    if (from < 0 || uses[node.inputs[0]] != 1) continue;
    const Node& source = graph.nodes[from];
    const auto* fused = dynamic_cast<const FusedOp*>(source.op.get());
    if (fused == nullptr || source.outputs.size() != 1 ||
        fused->program().outputs[0].dtype != fused->program().compute) {
      continue;
    }
    ReduceProgram program;
    program.producer = fused->program();
    program.axes = reduction->axes();
    program.op = reduction->reduction();
    program.result = graph.values[node.outputs[0]].spec.dtype;
    node.op = std::make_shared<FusedReduceOp>(std::move(program));
    node.inputs = source.inputs;
    dropped[from] = 1;
  }
  Drop(graph, dropped);
}

void FuseFunctorSums(Graph& graph) { FunctorSums(graph).Run(); }

}  // namespace gyre::internal::inline autodiff
