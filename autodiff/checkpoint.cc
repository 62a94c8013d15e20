#include "gyre/autodiff/checkpoint.h"

#include <memory>
#include <set>
#include <vector>

#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/remat_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

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
               std::span<const Var> inputs,
               const char* file,
               int line) {
  GYRE_CHECK(!inputs.empty(), "checkpoint of no inputs");
  const Located at(SourceLoc{file, line});
  for (const Var& input : inputs) {
    if (const auto bad = Unusable("checkpoint", {at(inputs[0]), at(input)})) {
      return *bad;
    }
  }
  Tape& tape = *inputs[0].tape();
  const auto first = static_cast<NodeId>(tape.nodes().size());
  const Var result = f(inputs);
  if (const auto bad = Unusable("checkpoint", {at(inputs[0]), at(result)})) {
    return *bad;
  }
  if (result.tape() != &tape) {
    tape.NoteFault(*internal::FaultOf(result, at.loc(), "checkpoint", 1));
    return Var(&tape, -1);
  }
  const auto last = static_cast<NodeId>(tape.nodes().size());
  // Nothing to compute again: an input or a value from before.
  if (tape.value(result.id()).node < first) return result;
  const TapeSegment segment{
      first, last, result.id(), SourcesOf(tape, first, last)};
  std::vector<Var> operands = {result};
  for (const ValueId id : segment.sources) operands.emplace_back(&tape, id);
  return tape.RecordOne(
      std::make_shared<CheckpointOp>(segment), operands, at.loc());
}

Var checkpoint(const std::function<Var(Var)>& f, Traced input) {
  return checkpoint([&f](std::span<const Var> x) { return f(x[0]); },
                    std::span<const Var>(&input.var(), 1),
                    input.loc().file,
                    input.loc().line);
}

}  // namespace gyre
