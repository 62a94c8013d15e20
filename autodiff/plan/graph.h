// The program that the passes of a plan work on: the tape's nodes that are
// needed, as data that can be changed.

#ifndef GYRE_AUTODIFF_PLAN_GRAPH_H_
#define GYRE_AUTODIFF_PLAN_GRAPH_H_

#include <vector>

#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline autodiff {

struct Graph {
  std::vector<Value> values;  // by ValueId, the tape's and the passes'
  std::vector<TapeInput> inputs;
  std::vector<Node> nodes;       // in the order of execution
  std::vector<ValueId> results;  // what the caller reads

  // How many nodes, and results, read each value.
  std::vector<int> CountUses() const;
};

Graph GraphOf(const Tape& tape, std::vector<ValueId> results);

// Whether one of the node's outputs is among `values`, by ValueId.
bool MakesAnyOf(const Node& node, const std::vector<bool>& values);

// Which of `count` values the nodes, in the order of execution, make `result`
// of; itself among them.
std::vector<bool> ValuesBehind(const std::vector<Node>& nodes,
                               std::size_t count,
                               ValueId result);

// Drops nodes without an effect whose outputs nobody reads.
void RemoveDeadCode(Graph& graph);

// Keeps one of several nodes that compute the same from the same.
void MergeCommonSubexpressions(Graph& graph);

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_PLAN_GRAPH_H_
