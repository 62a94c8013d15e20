#include "gyre/autodiff/plan/graph.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "gyre/core/hash.h"

namespace gyre::internal::inline autodiff {
namespace {

// A text that two nodes share when they compute the same numbers.
std::string Identity(const Node& node) {
  std::string text = Cat(node.op->name(), "|", node.op->attributes());
  for (const ValueId input : node.inputs) text += Cat("|", input);
  return text;
}

std::string Identity(const Tensor& constant) {
  return Cat(constant.dtype(),
             constant.shape(),
             Hash64(constant.raw(), constant.bytes()));
}

void Rename(std::vector<ValueId>& ids, const std::vector<ValueId>& names) {
  for (ValueId& id : ids) id = names[id];
}

}  // namespace

std::vector<int> Graph::CountUses() const {
  std::vector<int> uses(values.size(), 0);
  for (const Node& node : nodes) {
    for (const ValueId input : node.inputs) ++uses[input];
  }
  for (const ValueId result : results) ++uses[result];
  return uses;
}

Graph GraphOf(const Tape& tape, std::vector<ValueId> results) {
  return {tape.values(), tape.inputs(), tape.nodes(), std::move(results)};
}

bool MakesAnyOf(const Node& node, const std::vector<bool>& values) {
  return std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
    return values[id];
  });
}

std::vector<bool> ValuesBehind(const std::vector<Node>& nodes,
                               std::size_t count,
                               ValueId result) {
  std::vector<bool> needed(count);
  needed[result] = true;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!MakesAnyOf(*node, needed)) continue;
    for (const ValueId input : node->inputs) needed[input] = true;
  }
  return needed;
}

void RemoveDeadCode(Graph& graph) {
  std::vector<bool> live(graph.values.size());
  for (const ValueId result : graph.results) live[result] = true;
  std::vector<Node> kept;
  for (auto it = graph.nodes.rbegin(); it != graph.nodes.rend(); ++it) {
    if (!it->op->has_effect() && !MakesAnyOf(*it, live)) continue;
    for (const ValueId input : it->inputs) live[input] = true;
    kept.push_back(std::move(*it));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()),
                     std::make_move_iterator(kept.rend()));
}

void MergeCommonSubexpressions(Graph& graph) {
  std::vector<ValueId> names(graph.values.size());
  std::map<std::string, ValueId> constants;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = static_cast<ValueId>(i);
    const auto& constant = graph.values[i].constant;
    if (!constant.has_value() || constant->elements() > 1) continue;
    names[i] = constants.emplace(Identity(*constant), names[i]).first->second;
  }
  std::map<std::string, std::size_t> seen;
  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    Rename(node.inputs, names);
    if (!node.op->has_effect()) {
      const auto [it, is_new] = seen.emplace(Identity(node), kept.size());
      if (!is_new) {
        const Node& first = kept[it->second];
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
          names[node.outputs[i]] = first.outputs[i];
        }
        continue;
      }
    }
    kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  Rename(graph.results, names);
}

}  // namespace gyre::internal::inline autodiff
