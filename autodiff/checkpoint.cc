#include "gyre/autodiff/checkpoint.h"

#include <memory>
#include <set>
#include <vector>

#include "gyre/autodiff/ops/remat_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {
namespace {

// What the nodes [first, last) read from outside, each once.
std::vector<ValueId> SourcesOf(const Tape& tape, NodeId first, NodeId last) {
  std::vector<ValueId> sources;
  std::set<ValueId> seen;
  for (NodeId id = first; id < last; ++id) {
    for (const ValueId input : tape.nodes()[id].inputs) {
      const Value& value = tape.value(input);
      const bool outside = value.node < first && !value.constant.has_value();
      if (outside && seen.insert(input).second) sources.push_back(input);
    }
  }
  return sources;
}

}  // namespace

Var checkpoint(const std::function<Var(std::span<const Var>)>& f,
               std::span<const Var> inputs) {
  GYRE_CHECK(!inputs.empty(), "checkpoint of no inputs");
  for (const Var& input : inputs) {
    if (!input.valid()) return input;
  }
  Tape& tape = *inputs[0].tape();
  const auto first = static_cast<NodeId>(tape.nodes().size());
  const Var result = f(inputs);
  const auto last = static_cast<NodeId>(tape.nodes().size());
  // Nothing to compute again: an input or a value from before.
  if (!result.valid() || tape.value(result.id()).node < first) return result;
  const TapeSegment segment{
      first, last, result.id(), SourcesOf(tape, first, last)};
  std::vector<Var> operands = {result};
  for (const ValueId id : segment.sources) operands.emplace_back(&tape, id);
  const SourceLoc loc = tape.nodes()[last - 1].loc;
  return tape.RecordOne(std::make_shared<CheckpointOp>(segment), operands, loc);
}

Var checkpoint(const std::function<Var(Var)>& f, Var input) {
  return checkpoint([&f](std::span<const Var> x) { return f(x[0]); },
                    std::span<const Var>(&input, 1));
}

}  // namespace gyre
