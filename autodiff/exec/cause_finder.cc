#include "autodiff/exec/cause_finder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

#include "autodiff/exec/number_view.h"
#include "autodiff/ops/elementwise.h"
#include "autodiff/plan/memory.h"
#include "core/finite.h"

namespace gyre {
namespace {

// More of the way than this says nothing to a person.
constexpr std::size_t kMaxPath = 8;

// As in records: "NaN", "-Infinity".
std::string NameOfBad(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

std::string NodeText(const Node& node) {
  return Cat(node.op->name(), " (", Name(node.phase), ") at ", node.loc);
}

// What is wrong with a value; what is right is not kept.
struct BadValue {
  NumberView::Bad bad;
  int node = -1;  // in the order of the step; -1: an input or a constant
  std::optional<Cause> produced;
};

class Watch final : public StepObserver {
 public:
  explicit Watch(const Graph& graph)
      : graph_(graph), roots_(AliasRoots(graph)) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      order_[&graph.nodes[i]] = static_cast<int>(i);
      for (const ValueId id : graph.nodes[i].outputs) {
        makers_[id] = &graph.nodes[i];
      }
    }
  }

  void LookAtInputs(const std::vector<void*>& bound);
  void After(const Node& node, const KernelArgs& args) override;
  std::optional<Cause> Reached() const;

 private:
  bool IsBad(ValueId id) const { return bad_.count(roots_[id]) > 0; }
  void AddLeaf(ValueId id, const void* data, const std::string& name);
  bool MadeHere(const Node& node,
                const KernelArgs& args,
                const NumberView& out,
                BadValue& found) const;
  Cause Explain(const Node& node,
                const KernelArgs& args,
                int output,
                const BadValue& found) const;
  CauseOperand Operand(ValueId id,
                       const void* data,
                       const Shape& shape,
                       std::int64_t element) const;

  const Graph& graph_;
  const std::vector<ValueId> roots_;
  std::map<const Node*, int> order_;
  std::map<ValueId, const Node*> makers_;
  std::map<ValueId, BadValue> bad_;  // by root
};

void Watch::AddLeaf(ValueId id, const void* data, const std::string& name) {
  const TensorSpec& spec = graph_.values[id].spec;
  const NumberView numbers(data, spec);
  const NumberView::Bad bad = numbers.FindBad();
  if (bad.count == 0) return;
  Cause cause{.name = name, .is_input = true};
  cause.dtype = spec.dtype;
  cause.shape = spec.shape;
  cause.element = bad.first;
  cause.value = numbers[bad.first];
  cause.bad = bad.count;
  bad_[id] = {bad, -1, std::move(cause)};
}

void Watch::LookAtInputs(const std::vector<void*>& bound) {
  for (std::size_t i = 0; i < graph_.values.size(); ++i) {
    const Value& value = graph_.values[i];
    const auto id = static_cast<ValueId>(i);
    if (value.constant.has_value()) {
      AddLeaf(id, value.constant->raw(), "constant");
    } else if (value.input >= 0) {
      AddLeaf(id, bound[value.input], graph_.inputs[value.input].name);
    }
  }
}

// True when the operation itself is to blame; `found.bad.first` then is an
// element of its own making.
bool Watch::MadeHere(const Node& node,
                     const KernelArgs& args,
                     const NumberView& out,
                     BadValue& found) const {
  bool bad_operand = false;
  bool nan_operand = false;
  for (const ValueId id : node.inputs) {
    const auto it = bad_.find(roots_[id]);
    if (it == bad_.end()) continue;
    bad_operand = true;
    nan_operand = nan_operand || it->second.bad.nan;
  }
  if (!bad_operand) return true;
  if (!nan_operand && found.bad.nan) return true;
  // Element by element there may be one that owes nothing to the others.
  if (dynamic_cast<const ElementwiseOp*>(node.op.get()) == nullptr) {
    return false;
  }
  for (std::int64_t i = 0; i < out.size(); ++i) {
    if (IsFinite(out[i])) continue;
    bool healthy = true;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const NumberView in(args.in[k], graph_.values[node.inputs[k]].spec);
      if (in.size() != 1 && in.size() != out.size()) continue;
      healthy = healthy && IsFinite(in[in.size() == 1 ? 0 : i]);
    }
    if (!healthy) continue;
    found.bad.first = i;
    return true;
  }
  return false;
}

CauseOperand Watch::Operand(ValueId id,
                            const void* data,
                            const Shape& shape,
                            std::int64_t element) const {
  const Value& value = graph_.values[id];
  CauseOperand operand;
  const auto maker = makers_.find(roots_[id]);
  if (maker != makers_.end()) {
    operand.maker = maker->second->op->name();
    operand.loc = maker->second->loc;
  } else {
    const Value& leaf = graph_.values[roots_[id]];
    operand.maker =
        leaf.input >= 0 ? graph_.inputs[leaf.input].name : "constant";
  }
  const NumberView numbers(data, value.spec);
  if (numbers.size() == 1) operand.number = numbers[0];
  if (numbers.size() > 1 && value.spec.shape == shape) {
    operand.number = numbers[element];
  }
  const NumberView::Range range = numbers.FiniteRange();
  operand.least = range.least;
  operand.largest = range.largest;
  operand.bad = numbers.FindBad().count;
  return operand;
}

Cause Watch::Explain(const Node& node,
                     const KernelArgs& args,
                     int output,
                     const BadValue& found) const {
  const TensorSpec& spec = graph_.values[node.outputs[output]].spec;
  Cause cause{.name = std::string(node.op->name()), .phase = node.phase};
  cause.received = node.op->moves_data();
  cause.loc = node.loc;
  cause.dtype = spec.dtype;
  cause.shape = spec.shape;
  cause.element = found.bad.first;
  cause.value = NumberView(args.out[output], spec)[found.bad.first];
  cause.bad = found.bad.count;
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    cause.operands.push_back(
        Operand(node.inputs[k], args.in[k], spec.shape, found.bad.first));
  }
  return cause;
}

void Watch::After(const Node& node, const KernelArgs& args) {
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    const ValueId id = node.outputs[k];
    const NumberView out(args.out[k], graph_.values[id].spec);
    BadValue found{out.FindBad(), order_.at(&node), {}};
    if (found.bad.count == 0) continue;
    if (MadeHere(node, args, out, found)) {
      found.produced = Explain(node, args, static_cast<int>(k), found);
    }
    bad_[roots_[id]] = std::move(found);
  }
}

std::optional<Cause> Watch::Reached() const {
  // Back from the bad results, along bad values only.
  std::map<ValueId, ValueId> next;  // towards the result
  std::map<ValueId, int> result_of;
  std::vector<ValueId> open;
  for (std::size_t r = 0; r < graph_.results.size(); ++r) {
    const ValueId id = roots_[graph_.results[r]];
    if (!IsBad(id) || result_of.count(id) > 0) continue;
    result_of[id] = static_cast<int>(r);
    open.push_back(id);
  }
  std::vector<ValueId> producers;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const ValueId id = open[i];
    if (bad_.at(id).produced.has_value()) producers.push_back(id);
    const auto maker = makers_.find(id);
    if (maker == makers_.end()) continue;
    for (const ValueId input : maker->second->inputs) {
      const ValueId root = roots_[input];
      if (!IsBad(root) || result_of.count(root) > 0) continue;
      result_of[root] = result_of[id];
      next[root] = id;
      open.push_back(root);
    }
  }
  if (producers.empty()) return std::nullopt;

  // What another rank sent is a cause only where none is found here; and an
  // infinity that the program itself holds, as masks of attention do, is one
  // of last resort.
  const auto rank = [&](ValueId id) {
    const BadValue& value = bad_.at(id);
    if (value.produced->received) return 1 << 29;
    const bool constant = value.node < 0 && value.produced->name == "constant";
    return constant ? 1 << 30 : value.node;
  };
  const ValueId first = *std::min_element(
      producers.begin(), producers.end(), [&](ValueId a, ValueId b) {
        return rank(a) < rank(b);
      });
  Cause cause = *bad_.at(first).produced;
  cause.result = result_of.at(first);
  cause.others = static_cast<int>(producers.size()) - 1;
  for (ValueId id = first; next.count(id) > 0;) {
    id = next.at(id);
    std::string text = NodeText(*makers_.at(id));
    if (cause.path.empty() || cause.path.back() != text) {
      cause.path.push_back(std::move(text));
    }
  }
  if (cause.path.size() > kMaxPath) {
    const std::size_t left_out = cause.path.size() - kMaxPath;
    cause.path.resize(kMaxPath);
    cause.path.push_back(Cat("and ", left_out, " more"));
  }
  return cause;
}

}  // namespace

std::string Cause::Describe() const {
  std::ostringstream out;
  out.precision(6);
  if (is_input) {
    out << name << " came with " << NameOfBad(value);
  } else if (received) {
    out << name << " (" << Name(phase) << ") at " << loc << " brought "
        << NameOfBad(value) << " from another rank";
  } else {
    out << name << " (" << Name(phase) << ") at " << loc << " made "
        << NameOfBad(value);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const CauseOperand& operand = operands[i];
      out << (i == 0 ? " from " : " and ");
      if (operand.number.has_value()) {
        out << *operand.number;
      } else {
        out << "numbers from " << operand.least << " to " << operand.largest;
      }
    }
  }
  out << " at element " << element << " of " << dtype << " " << shape;
  if (is_input && !path.empty()) out << "; handed on by " << path[0];
  return out.str();
}

StatusOr<std::unique_ptr<CauseFinder>> CauseFinder::Create(
    const Tape& tape,
    std::span<const Var> results,
    const PlanOptions& options) {
  GYRE_ASSIGN_OR_RETURN(auto plan,
                        Plan::Compile(tape,
                                      results,
                                      {.kernels = options.kernels,
                                       .fuse = false,
                                       .jit = options.jit,
                                       .in_place = false,
                                       .effects = false}));
  GYRE_ASSIGN_OR_RETURN(auto executor, Executor::Create(std::move(plan)));
  std::unique_ptr<CauseFinder> finder(new CauseFinder(std::move(executor)));
  finder->bound_.resize(tape.inputs().size(), nullptr);
  return finder;
}

void CauseFinder::Bind(int input, void* data) {
  bound_[input] = data;
  executor_->Bind(input, data);
}

StatusOr<std::optional<Cause>> CauseFinder::Find(const StepContext& context) {
  Watch watch(executor_->plan().graph());
  watch.LookAtInputs(bound_);
  GYRE_RETURN_IF_ERROR(executor_->RunObserved(context, watch));
  return watch.Reached();
}

}  // namespace gyre
