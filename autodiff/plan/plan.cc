#include "gyre/autodiff/plan/plan.h"

#include <algorithm>
#include <vector>

#include "gyre/autodiff/plan/combine_sums.h"
#include "gyre/autodiff/plan/fuse.h"
#include "gyre/autodiff/plan/fuse_reduce.h"
#include "gyre/autodiff/plan/hoist.h"
#include "gyre/autodiff/plan/jit_switch.h"
#include "gyre/autodiff/plan/recompute.h"
#include "gyre/autodiff/plan/separate.h"
#include "gyre/autodiff/plan/simplify.h"
#include "gyre/core/hash.h"

namespace gyre::internal::inline autodiff {

namespace {

// Drops operations with an effect that no result is made of.
void RemoveUnreadEffects(Graph& graph) {
  std::vector<char> live(graph.values.size(), 0);
  for (const ValueId result : graph.results) live[result] = 1;
  for (auto it = graph.nodes.rbegin(); it != graph.nodes.rend(); ++it) {
    bool read = false;
    for (const ValueId output : it->outputs) read = read || live[output];
    if (!read) continue;
    for (const ValueId input : it->inputs) live[input] = 1;
  }
  std::erase_if(graph.nodes, [&](const Node& node) {
    return node.op->has_effect() &&
           std::none_of(node.outputs.begin(),
                        node.outputs.end(),
                        [&](ValueId id) { return live[id] != 0; });
  });
}

}  // namespace

StatusOr<std::shared_ptr<const Plan>> Plan::Compile(
    const Tape& tape,
    std::span<const Var> results,
    const PlanOptions& options) {
  GYRE_RETURN_IF_ERROR(tape.FirstError());
  GYRE_ASSIGN_OR_RETURN(const bool may_generate, JitSwitch());
  std::vector<ValueId> ids;
  for (const Var& result : results) {
    if (result.mark() != tape.mark().get() || !result.valid()) {
      return internal::ErrorOf(*internal::FaultOf(
          result, {}, "the results", static_cast<int>(ids.size()) + 1));
    }
    ids.push_back(result.id());
  }
  PlanOptions renamed = options;
  renamed.jit = options.jit && may_generate;
  // Placed values are results too: they must be computed, and stay.
  const std::size_t asked = ids.size();
  for (const Placement& place : options.placements) ids.push_back(place.value);
  Graph graph = GraphOf(tape, std::move(ids));
  if (!options.effects) RemoveUnreadEffects(graph);
  RemoveAliases(graph);
  if (options.fuse) BypassBroadcasts(graph);
  FoldConstants(graph, options.kernels);
  RemoveDeadCode(graph);
  MergeCommonSubexpressions(graph);
  SeparatePlacements(graph, asked);
  for (std::size_t i = 0; i < renamed.placements.size(); ++i) {
    renamed.placements[i].value = graph.results[asked + i];
  }
  if (options.fuse) {
    FuseFunctorSums(graph);
    RecomputeCheapValues(graph);
    RemoveDeadCode(graph);
    FuseElementwise(graph);
    FuseReductions(graph);
    CombineSums(graph);
  }
  RemoveDeadCode(graph);
  HoistEarlyNodes(graph);
  MemoryPlan memory = PlanMemory(graph, renamed.placements, options.in_place);
  graph.results.resize(asked);
  return std::shared_ptr<const Plan>(new Plan(
      std::move(graph), std::move(memory), std::move(renamed), tape.mesh()));
}

StatusOr<int> Plan::InputIndex(std::string_view name) const {
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
    if (graph_.inputs[i].name == name) return static_cast<int>(i);
  }
  return ConfigError("the plan has no input \"", name, "\"");
}

std::uint64_t Plan::Fingerprint() const {
  std::string text;
  for (const std::string& line : Listing()) text += line + "\n";
  return Hash64(text);
}

}  // namespace gyre::internal::inline autodiff
