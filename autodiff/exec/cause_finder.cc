#include "gyre/autodiff/exec/cause_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/number_view.h"
#include "gyre/autodiff/ops/elementwise_op.h"
#include "gyre/autodiff/plan/memory.h"
#include "gyre/core/finite.h"

namespace gyre::internal::inline autodiff {
namespace {

// More of the way than this says nothing to a person.
constexpr std::size_t kMaxPath = 8;

// The order of a constant: after all that happens in a step.
constexpr int kOfTheProgram = std::numeric_limits<int>::max();

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
  bool of_bad = false;  // produced, but from bad operands
};

// Who is to blame, before others.
enum Guilt { kMadeHere, kReceived, kMadeOfBad, kProgram };

enum class Made { kHandedOn, kOfBad, kOfGood };

class Watch final : public StepObserver {
 public:
  Watch(const Graph& graph, StepObserver* tamper)
      : graph_(graph), tamper_(tamper), roots_(AliasRoots(graph)) {
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
  bool HasGoodOperands(const Node& node,
                       const ElementwiseOp& op,
                       const KernelArgs& args,
                       std::int64_t size,
                       std::int64_t i) const;
  Made MadeHere(const Node& node,
                const KernelArgs& args,
                const NumberView& out,
                BadValue& found) const;
  std::pair<int, int> Blame(ValueId id) const;
  // By value: the next one towards an end, or itself.
  using Ways = std::map<ValueId, ValueId>;
  std::vector<ValueId> ProducersOf(std::vector<ValueId> ends, Ways& next) const;
  std::optional<ValueId> First(const std::vector<ValueId>& producers) const;
  Cause Told(ValueId first, const Ways& next, std::size_t others) const;
  Cause Explain(const Node& node,
                const KernelArgs& args,
                int output,
                const BadValue& found) const;
  CauseOperand Operand(ValueId id,
                       const void* data,
                       const Shape& shape,
                       std::int64_t element) const;

  const Graph& graph_;
  StepObserver* const tamper_;
  const std::vector<ValueId> roots_;
  std::map<const Node*, int> order_;
  std::map<ValueId, const Node*> makers_;
  std::map<ValueId, BadValue> bad_;  // by root
  std::vector<ValueId> sent_;        // roots, that collectives were given
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
  if (graph_.values[id].constant.has_value()) cause.order = kOfTheProgram;
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

// Whether an elementwise operation had only numbers for element i. What
// select() does not choose is none of its operands.
bool Watch::HasGoodOperands(const Node& node,
                            const ElementwiseOp& op,
                            const KernelArgs& args,
                            std::int64_t size,
                            std::int64_t i) const {
  const auto number = [&](std::size_t k) {
    const NumberView in(args.in[k], graph_.values[node.inputs[k]].spec);
    if (in.size() != 1 && in.size() != size) return 0.0;
    return in[in.size() == 1 ? 0 : i];
  };
  if (op.code() == Code::kSelect) {
    const TensorSpec& spec = graph_.values[node.inputs[0]].spec;
    const std::int64_t at = spec.shape.elements() == 1 ? 0 : i;
    const bool first = SizeOf(spec.dtype) == 1
                           ? static_cast<const char*>(args.in[0])[at] != 0
                           : number(0) != 0;
    return IsFinite(number(first ? 1 : 2));
  }
  for (std::size_t k = 0; k < node.inputs.size(); ++k) {
    if (!IsFinite(number(k))) return false;
  }
  return true;
}

// Whether the operation itself is to blame; `found.bad.first` then is an
// element of its own making.
Made Watch::MadeHere(const Node& node,
                     const KernelArgs& args,
                     const NumberView& out,
                     BadValue& found) const {
  bool bad_operand = false;
  bool nan_operand = false;
  for (const ValueId id : node.inputs) {
    const auto it = bad_.find(roots_[id]);
    if (it == bad_.end()) continue;
    bad_operand = true;
    nan_operand = nan_operand || it->second.bad.nan();
  }
  if (!bad_operand) return Made::kOfGood;
  // Element by element there may be one that owes nothing to the others.
  if (const auto* op = dynamic_cast<const ElementwiseOp*>(node.op.get())) {
    for (std::int64_t i = 0; i < out.size(); ++i) {
      if (IsFinite(out[i])) continue;
      if (!HasGoodOperands(node, *op, args, out.size(), i)) continue;
      found.bad.first = i;
      return Made::kOfGood;
    }
  }
  if (nan_operand || !found.bad.nan()) return Made::kHandedOn;
  found.bad.first = found.bad.first_nan;
  return Made::kOfBad;
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
  cause.order = found.node;
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
  if (tamper_ != nullptr) tamper_->After(node, args);
  for (const ValueId id : node.inputs) {
    if (node.op->moves_data() && IsBad(id)) sent_.push_back(roots_[id]);
  }
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    const ValueId id = node.outputs[k];
    const NumberView out(args.out[k], graph_.values[id].spec);
    BadValue found{out.FindBad(), order_.at(&node), {}};
    if (found.bad.count == 0) continue;
    const Made made = MadeHere(node, args, out, found);
    if (made != Made::kHandedOn) {
      found.produced = Explain(node, args, static_cast<int>(k), found);
      found.of_bad = made == Made::kOfBad;
    }
    bad_[roots_[id]] = std::move(found);
  }
}

// Lower is to blame before higher: what was made here; what another rank sent;
// NaN of infinities that are neither, so of those that the program itself
// holds, as masks of attention do; and those, which are the last resort.
std::pair<int, int> Watch::Blame(ValueId id) const {
  const BadValue& value = bad_.at(id);
  if (value.produced->order == kOfTheProgram) return {kProgram, 0};
  if (value.of_bad) return {kMadeOfBad, value.node};
  return {value.produced->received ? kReceived : kMadeHere, value.node};
}

// The producers from which bad values lead to one of `ends`; `next` is the way
// there.
std::vector<ValueId> Watch::ProducersOf(std::vector<ValueId> ends,
                                        Ways& next) const {
  std::vector<ValueId> producers;
  for (const ValueId id : ends) next.emplace(id, id);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const ValueId id = ends[i];
    if (bad_.at(id).produced.has_value()) producers.push_back(id);
    const auto maker = makers_.find(id);
    if (maker == makers_.end()) continue;
    for (const ValueId input : maker->second->inputs) {
      const ValueId root = roots_[input];
      if (!IsBad(root) || !next.emplace(root, id).second) continue;
      ends.push_back(root);
    }
  }
  return producers;
}

std::optional<ValueId> Watch::First(
    const std::vector<ValueId>& producers) const {
  if (producers.empty()) return std::nullopt;
  return *std::min_element(
      producers.begin(), producers.end(), [&](ValueId x, ValueId y) {
        return Blame(x) < Blame(y);
      });
}

Cause Watch::Told(ValueId first, const Ways& next, std::size_t others) const {
  Cause cause = *bad_.at(first).produced;
  cause.others = static_cast<int>(others) - 1;
  ValueId id = first;
  while (next.at(id) != id) {
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
  for (std::size_t r = graph_.results.size(); r-- > 0;) {
    if (roots_[graph_.results[r]] == id) cause.result = static_cast<int>(r);
  }
  return cause;
}

std::optional<Cause> Watch::Reached() const {
  std::vector<ValueId> results;
  for (const ValueId result : graph_.results) {
    const ValueId id = roots_[result];
    if (IsBad(id)) results.push_back(id);
  }
  Ways next;
  const std::vector<ValueId> producers = ProducersOf(results, next);
  const std::optional<ValueId> first = First(producers);
  if (first.has_value() && Blame(*first).first == kMadeHere) {
    return Told(*first, next, producers.size());
  }
  Ways out;
  const std::vector<ValueId> senders = ProducersOf(sent_, out);
  const std::optional<ValueId> sender = First(senders);
  if (sender.has_value() && Blame(*sender).first == kMadeHere) {
    Cause cause = Told(*sender, out, senders.size());
    cause.sent = true;
    cause.result =
        first.has_value() ? Told(*first, next, producers.size()).result : -1;
    return cause;
  }
  if (!first.has_value()) return std::nullopt;
  return Told(*first, next, producers.size());
}

}  // namespace

}  // namespace gyre::internal::inline autodiff

namespace gyre {

using namespace internal;

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
  if (sent) out << "; it left for other ranks";
  return out.str();
}

}  // namespace gyre

namespace gyre::internal::inline autodiff {

namespace {

// Of those that sent it, or of the others.
std::optional<int> Earliest(std::span<const CauseMark> ranks, bool sent) {
  const auto place = [&](int r) {
    const CauseMark& mark = ranks[r];
    return std::tuple(mark.micro_batch, mark.order, mark.received, r);
  };
  std::optional<int> first;
  for (int r = 0; r < static_cast<int>(ranks.size()); ++r) {
    if (!ranks[r].found || ranks[r].sent != sent) continue;
    if (!first.has_value() || place(r) < place(*first)) first = r;
  }
  return first;
}

}  // namespace

std::optional<int> FirstRank(std::span<const CauseMark> ranks) {
  const std::optional<int> reached = Earliest(ranks, false);
  const std::optional<int> sender = Earliest(ranks, true);
  if (!reached.has_value()) {
    const bool harmed =
        std::any_of(ranks.begin(), ranks.end(), [](const CauseMark& r) {
          return r.harmed;
        });
    return harmed ? sender : std::nullopt;
  }
  if (!ranks[*reached].received) return reached;
  if (!sender.has_value()) return reached;
  const auto when = [&](int r) {
    return std::pair(ranks[r].micro_batch, ranks[r].order);
  };
  return when(*sender) < when(*reached) ? sender : reached;
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

StatusOr<std::optional<Cause>> CauseFinder::Find(const StepContext& context,
                                                 StepObserver* tamper) {
  Watch watch(executor_->plan().graph(), tamper);
  watch.LookAtInputs(bound_);
  GYRE_RETURN_IF_ERROR(executor_->RunObserved(context, watch));
  return watch.Reached();
}

}  // namespace gyre::internal::inline autodiff
