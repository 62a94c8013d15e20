#include "gyre/autodiff/plan/separate.h"

#include <memory>
#include <utility>

#include "gyre/autodiff/exec/copy_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/plan/memory.h"

namespace gyre::internal::inline autodiff {
namespace {

class CopyOp final : public Op {
 public:
  // `serial` keeps two copies of one value apart.
  explicit CopyOp(ValueId serial) : serial_(serial) {}
  std::string_view name() const override { return "copy"; }
  std::string attributes() const override { return Cat("to %", serial_); }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override {
    return std::vector<TensorSpec>{inputs[0]};
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    return {args.grads[0]};
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return MakeCopyKernel(request);
  }

 private:
  ValueId serial_;
};

ValueId AddCopy(Graph& graph, ValueId source) {
  const auto copy = static_cast<ValueId>(graph.values.size());
  Value value;
  value.spec = graph.values[source].spec;
  graph.values.push_back(std::move(value));
  Node node{std::make_shared<CopyOp>(copy),
            {source},
            {copy},
            {},
            Phase::kBackward,
            -1};
  auto at = graph.nodes.begin();
  for (auto it = graph.nodes.begin(); it != graph.nodes.end(); ++it) {
    for (const ValueId output : it->outputs) {
      if (output != source) continue;
      node.loc = it->loc;
      at = it + 1;
    }
  }
  graph.nodes.insert(at, std::move(node));
  return copy;
}

}  // namespace

void SeparatePlacements(Graph& graph, std::size_t first) {
  const std::vector<ValueId> roots = AliasRoots(graph);
  std::vector<char> taken(graph.values.size(), 0);
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& value = graph.values[i];
    taken[i] = value.input >= 0 || value.constant.has_value();
  }
  for (std::size_t i = 0; i < first; ++i) taken[roots[graph.results[i]]] = 1;
  for (std::size_t i = first; i < graph.results.size(); ++i) {
    const ValueId root = roots[graph.results[i]];
    if (taken[root]) {
      graph.results[i] = AddCopy(graph, graph.results[i]);
    } else {
      taken[root] = 1;
    }
  }
}

}  // namespace gyre::internal::inline autodiff
