#include "gyre/autodiff/plan/hoist.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gyre/autodiff/plan/memory.h"

namespace gyre::internal::inline autodiff {
namespace {

// By value: the position of the last node that touches its memory, early ones
// left out; -1 for none.
std::vector<int> LastTouch(const Graph& graph,
                           const std::vector<ValueId>& roots) {
  std::vector<int> last(graph.values.size(), -1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.op->runs_early()) continue;
    for (const ValueId id : node.inputs) last[roots[id]] = static_cast<int>(i);
    for (const ValueId id : node.outputs) last[roots[id]] = static_cast<int>(i);
  }
  return last;
}

}  // namespace

void HoistEarlyNodes(Graph& graph) {
  const std::vector<ValueId> roots = AliasRoots(graph);
  const std::vector<int> last = LastTouch(graph, roots);
  // The early nodes that follow each position; those behind -1 come first.
  std::vector<std::vector<Node>> behind(graph.nodes.size() + 1);
  int before = -1;
  for (Node& node : graph.nodes) {
    if (!node.op->runs_early()) continue;
    for (const ValueId id : node.inputs) {
      before = std::max(before, last[roots[id]]);
    }
    behind[before + 1].push_back(node);
  }
  std::vector<Node> nodes = std::move(behind[0]);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    if (!node.op->runs_early()) nodes.push_back(std::move(node));
    for (Node& early : behind[i + 1]) nodes.push_back(std::move(early));
  }
  graph.nodes = std::move(nodes);
}

}  // namespace gyre::internal::inline autodiff
