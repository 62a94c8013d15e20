#include "gyre/autodiff/vjp.h"

#include <utility>

#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre::internal::inline autodiff {
namespace {

// Which values depend on `wrt`. Those alone carry gradients.
std::vector<char> Dependents(const Tape& tape, std::span<const Var> wrt) {
  std::vector<char> depends(tape.values().size(), 0);
  for (const Var& var : wrt) depends[var.id()] = 1;
  for (const Node& node : tape.nodes()) {
    bool any = false;
    for (const ValueId input : node.inputs) any = any || depends[input];
    if (!any) continue;
    for (const ValueId output : node.outputs) depends[output] = 1;
  }
  return depends;
}

// The gradient that has come back to each value so far.
class Cotangents {
 public:
  Cotangents(Tape& tape, std::size_t values) : tape_(tape), grads_(values) {}

  // A gradient varies where its value does: a contribution that is the same
  // on every rank still counts once per rank.
  void Add(ValueId id, Var grad) {
    if (!grad.valid()) return;
    grad = vary_like(At(grad, {}), Var(&tape_, id));
    Var& sum = grads_[id];
    sum = sum.valid() ? sum + grad : grad;
  }
  Var at(ValueId id) const { return grads_[id]; }
  std::vector<Var> OfOutputs(const Node& node) const {
    std::vector<Var> grads;
    for (const ValueId id : node.outputs) grads.push_back(grads_[id]);
    return grads;
  }
  Tape& tape() { return tape_; }

 private:
  Tape& tape_;
  std::vector<Var> grads_;
};

// Whether all are of one tape that can be recorded on; says so if not. A seed
// may be left out.
bool SameTape(std::span<const Var> outputs,
              std::span<const Var> seeds,
              std::span<const Var> wrt,
              const SourceLoc& loc) {
  const Located at(loc);
  for (const std::span<const Var> vars : {outputs, seeds, wrt}) {
    for (const Var& var : vars) {
      if (vars.data() == seeds.data() && !var.given()) continue;
      if (Unusable("gradient", {at(outputs.front()), at(var)})) return false;
      if (var.mark() == outputs.front().mark()) continue;
      outputs.front().tape()->NoteFault(
          *internal::FaultOf(var, loc, "gradient", 2));
      return false;
    }
  }
  return true;
}

bool AnyValid(const std::vector<Var>& vars) {
  for (const Var& var : vars) {
    if (var.valid()) return true;
  }
  return false;
}

void VisitNode(NodeId id,
               const std::vector<char>& depends,
               Cotangents& cotangents) {
  Tape& tape = cotangents.tape();
  // A copy: recording the product may move the tape's nodes.
  const Node node = tape.nodes()[id];
  const std::vector<Var> grads = cotangents.OfOutputs(node);
  if (!AnyValid(grads)) return;
  std::vector<Var> inputs;
  std::vector<Var> outputs;
  std::vector<char> needed;
  for (const ValueId input : node.inputs) {
    inputs.emplace_back(&tape, input);
    needed.push_back(depends[input]);
  }
  for (const ValueId output : node.outputs) outputs.emplace_back(&tape, output);
  const Tape::Scope scope(tape, Phase::kBackward, id);
  const std::vector<Var> products =
      node.op->Vjp({inputs, outputs, grads, needed});
  GYRE_CHECK(products.size() == inputs.size(),
             node.op->name(),
             " gave ",
             products.size(),
             " gradients");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (needed[i]) cotangents.Add(node.inputs[i], products[i]);
  }
}

}  // namespace

std::vector<Var> SomeGradients(std::span<const Var> outputs,
                               std::span<const Var> seeds,
                               std::span<const Var> wrt,
                               const char* file,
                               int line) {
  if (!SameTape(outputs, seeds, wrt, {file, line})) {
    return std::vector<Var>(wrt.size(), Var(outputs.front().tape(), -1));
  }
  Tape& tape = *outputs.front().tape();
  const std::vector<char> depends = Dependents(tape, wrt);
  const auto last = static_cast<NodeId>(tape.nodes().size()) - 1;
  Cotangents cotangents(tape, depends.size());
  {
    const Tape::Scope scope(tape, Phase::kBackward);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      cotangents.Add(outputs[i].id(), seeds[i]);
    }
  }
  for (NodeId id = last; id >= 0; --id) {
    bool active = false;
    for (const ValueId out : tape.nodes()[id].outputs) {
      active = active || depends[out];
    }
    if (active) VisitNode(id, depends, cotangents);
  }
  std::vector<Var> result;
  for (const Var& var : wrt) result.push_back(cotangents.at(var.id()));
  return result;
}

std::vector<Var> Vjp(std::span<const Var> outputs,
                     std::span<const Var> seeds,
                     std::span<const Var> wrt,
                     const char* file,
                     int line) {
  std::vector<Var> grads = SomeGradients(outputs, seeds, wrt, file, line);
  for (std::size_t i = 0; i < wrt.size(); ++i) {
    if (!grads[i].given()) grads[i] = zeros_like(wrt[i]);
  }
  return grads;
}

std::vector<Var> Gradients(const Traced& loss_at, std::span<const Var> wrt) {
  const Var loss = loss_at.var();
  const SourceLoc& loc = loss_at.loc();
  if (!loss.valid()) return std::vector<Var>(wrt.size(), loss);
  Tape& tape = *loss.tape();
  if (loss.rank() != 0 || !IsFloat(loss.dtype())) {
    tape.NoteError(loc,
                   "gradient",
                   ConfigError("expected a scalar float to differentiate, got ",
                               loss.dtype(),
                               " ",
                               loss.shape(),
                               "; reduce it with mean() or sum()"));
    return std::vector<Var>(wrt.size(), Var(&tape, -1));
  }
  const Var outputs[] = {loss};
  const Var seeds[] = {tape.Scalar(1.0, loss.dtype())};
  return Vjp(outputs, seeds, wrt, loc.file, loc.line);
}

}  // namespace gyre::internal::inline autodiff
