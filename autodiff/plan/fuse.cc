#include "gyre/autodiff/plan/fuse.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "gyre/autodiff/exec/elementwise_kernel.h"
#include "gyre/autodiff/ops/elementwise_op.h"
#include "gyre/autodiff/ops/layout_ops.h"
#include "gyre/autodiff/plan/fused_op.h"

namespace gyre::internal::inline autodiff {
namespace {

// More would not keep the tiles of a program in the first-level cache.
constexpr std::size_t kMaxMembers = 40;

const ElementwiseOp* Elementwise(const Node& node) {
  return dynamic_cast<const ElementwiseOp*>(node.op.get());
}

// A 16-bit result is rounded when it is stored; inside a program it would not
// be, so such an operation stays alone.
bool RoundsResult(const Graph& graph, const Node& node) {
  const DType dtype = graph.values[node.outputs[0]].spec.dtype;
  return dtype == DType::kBF16 || dtype == DType::kF16;
}

DType ComputeType(const Graph& graph, const Node& node) {
  for (const ValueId input : node.inputs) {
    if (graph.values[input].spec.dtype == DType::kF64) return DType::kF64;
  }
  return DType::kF32;
}

// Sets of nodes, by their positions in the graph.
class Groups {
 public:
  explicit Groups(const Graph& graph)
      : graph_(graph),
        group_of_(graph.nodes.size(), -1),
        consumers_(graph.values.size()),
        producer_(graph.values.size(), -1) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const ValueId id : graph.nodes[i].inputs) {
        consumers_[id].push_back(static_cast<int>(i));
      }
      for (const ValueId id : graph.nodes[i].outputs) {
        producer_[id] = static_cast<int>(i);
      }
    }
  }

  // Puts the node into a group of its own, then joins it with the groups of
  // its producers where that is allowed.
  void Add(int position) {
    const int mine = static_cast<int>(members_.size());
    members_.push_back({position});
    group_of_[position] = mine;
    for (const ValueId input : graph_.nodes[position].inputs) {
      const int from = producer_[input];
      if (from < 0 || group_of_[from] < 0) continue;
      const int other = group_of_[from];
      if (other != mine && CanJoin(other, position)) Join(other, mine);
    }
  }

  const std::vector<std::vector<int>>& members() const { return members_; }
  const std::vector<int>& consumers(ValueId id) const { return consumers_[id]; }
  int group_of(int position) const { return group_of_[position]; }
  int producer(ValueId id) const { return producer_[id]; }

 private:
  // The joined program runs where its last member stands, so nobody outside
  // may want a value of `other` before that.
  bool CanJoin(int other, int position) const {
    const int mine = group_of_[position];
    const Node& node = graph_.nodes[position];
    const Node& first = graph_.nodes[members_[other].front()];
    const auto& shape = graph_.values[node.outputs[0]].spec.shape;
    if (members_[other].size() + members_[mine].size() > kMaxMembers ||
        first.phase != node.phase ||
        !(graph_.values[first.outputs[0]].spec.shape == shape) ||
        ComputeType(graph_, first) != ComputeType(graph_, node) ||
        RoundsResult(graph_, first) || RoundsResult(graph_, node)) {
      return false;
    }
    for (const int member : members_[other]) {
      for (const int reader : consumers_[graph_.nodes[member].outputs[0]]) {
        const bool inside =
            group_of_[reader] == other || group_of_[reader] == mine;
        if (reader < position && !inside) return false;
      }
    }
    return true;
  }

  void Join(int from, int to) {
    for (const int member : members_[from]) group_of_[member] = to;
    members_[to].insert(
        members_[to].end(), members_[from].begin(), members_[from].end());
    std::sort(members_[to].begin(), members_[to].end());
    members_[from].clear();
  }

  const Graph& graph_;
  std::vector<int> group_of_;
  std::vector<std::vector<int>> members_;
  std::vector<std::vector<int>> consumers_;
  std::vector<int> producer_;
};

// Turns one group into a program.
class ProgramBuilder {
 public:
  ProgramBuilder(const Graph& graph,
                 const Groups& groups,
                 const std::vector<char>& is_result)
      : graph_(graph), groups_(groups), is_result_(is_result) {}

  Node Build(const std::vector<int>& members) {
    const Node& last = graph_.nodes[members.back()];
    program_.compute = ComputeType(graph_, last);
    program_.extents = graph_.values[last.outputs[0]].spec.shape;
    const int group = groups_.group_of(members.back());
    CollectInputs(members, group);
    for (const int member : members) AddInstruction(graph_.nodes[member]);
    Node node{nullptr, inputs_, {}, last.loc, last.phase, last.origin};
    for (const int member : members) {
      const ValueId id = graph_.nodes[member].outputs[0];
      if (!NeededOutside(id, group)) continue;
      program_.AddOutput(registers_.at(id), graph_.values[id].spec.dtype);
      node.outputs.push_back(id);
    }
    node.op = std::make_shared<FusedOp>(std::move(program_), std::move(parts_));
    return node;
  }

 private:
  // The value that an operand is read from, past a broadcast.
  ValueId Source(ValueId id) const {
    const int from = groups_.producer(id);
    if (from < 0) return id;
    const Node& node = graph_.nodes[from];
    const bool broadcast =
        dynamic_cast<const BroadcastOp*>(node.op.get()) != nullptr;
    return broadcast ? Source(node.inputs[0]) : id;
  }

  bool IsNumber(ValueId id) const {
    const auto& constant = graph_.values[id].constant;
    return constant.has_value() && constant->elements() == 1 &&
           (constant->dtype() == DType::kF32 ||
            constant->dtype() == DType::kF64);
  }

  // An input of the program: a memory operand and the axes it is read along.
  // The key has both, since one tensor can be broadcast in two ways.
  using Key = std::pair<ValueId, std::vector<std::int64_t>>;
  Key KeyOf(ValueId id) const {
    const ValueId source = Source(id);
    return {
        source,
        BroadcastStrides(graph_.values[source].spec.shape, program_.extents)};
  }

  void CollectInputs(const std::vector<int>& members, int group) {
    for (const int member : members) {
      for (const ValueId id : graph_.nodes[member].inputs) {
        const int from = groups_.producer(id);
        const bool inside = from >= 0 && groups_.group_of(from) == group;
        if (inside || IsNumber(Source(id))) continue;
        const Key key = KeyOf(id);
        if (memory_.count(key) > 0) continue;
        memory_[key] =
            program_.AddInput(graph_.values[key.first].spec.dtype, key.second);
        inputs_.push_back(key.first);
      }
    }
  }

  double Number(ValueId id) const {
    const Tensor& tensor = *graph_.values[id].constant;
    return tensor.dtype() == DType::kF64
               ? tensor.data<double>()[0]
               : static_cast<double>(tensor.data<float>()[0]);
  }

  TileRegister RegisterOf(ValueId id) {
    if (const auto it = registers_.find(id); it != registers_.end()) {
      return it->second;
    }
    const ValueId source = Source(id);
    if (!IsNumber(source)) return memory_.at(KeyOf(id));
    const auto [it, is_new] = numbers_.emplace(source, 0);
    if (is_new) it->second = program_.Constant(Number(source));
    return it->second;
  }

  void AddInstruction(const Node& node) {
    TileRegister operands[3] = {};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      operands[i] = RegisterOf(node.inputs[i]);
    }
    registers_[node.outputs[0]] = program_.Emit(
        Elementwise(node)->code(), operands[0], operands[1], operands[2]);
    parts_.push_back({node.loc, node.origin});
  }

  bool NeededOutside(ValueId id, int group) const {
    if (is_result_[id]) return true;
    for (const int reader : groups_.consumers(id)) {
      if (groups_.group_of(reader) != group) return true;
    }
    return false;
  }

  const Graph& graph_;
  const Groups& groups_;
  const std::vector<char>& is_result_;
  TileProgram program_;
  std::vector<ValueId> inputs_;
  std::vector<FusedPart> parts_;
  std::map<Key, TileRegister> memory_;
  std::map<ValueId, TileRegister> numbers_;
  std::map<ValueId, TileRegister> registers_;
};

}  // namespace

void FuseElementwise(Graph& graph) {
  Groups groups(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (Elementwise(graph.nodes[i]) != nullptr) {
      groups.Add(static_cast<int>(i));
    }
  }
  std::vector<char> is_result(graph.values.size(), 0);
  for (const ValueId id : graph.results) is_result[id] = 1;
  std::vector<Node> fused;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const int group = groups.group_of(static_cast<int>(i));
    if (group < 0) {
      fused.push_back(graph.nodes[i]);
      continue;
    }
    const std::vector<int>& members = groups.members()[group];
    if (members.back() != static_cast<int>(i)) continue;
    fused.push_back(ProgramBuilder(graph, groups, is_result).Build(members));
  }
  graph.nodes = std::move(fused);
}

}  // namespace gyre::internal::inline autodiff
