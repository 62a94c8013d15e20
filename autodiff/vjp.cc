#include "gyre/autodiff/vjp.h"

#include <utility>

#include "gyre/autodiff/ops/collective.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/shape_ops.h"

namespace gyre {
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
    grad = vary_like(grad, Var(&tape_, id));
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

std::vector<Var> Vjp(std::span<const Var> outputs,
                     std::span<const Var> seeds,
                     std::span<const Var> wrt) {
  for (const Var& var : outputs) {
    if (!var.valid()) return std::vector<Var>(wrt.size(), var);
  }
  for (const Var& var : wrt) {
    if (!var.valid()) return std::vector<Var>(wrt.size(), var);
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
  const Tape::Scope scope(tape, Phase::kBackward);
  std::vector<Var> result;
  for (const Var& var : wrt) {
    const Var grad = cotangents.at(var.id());
    result.push_back(grad.valid() ? grad : zeros_like(var));
  }
  return result;
}

std::vector<Var> Gradients(Var loss, std::span<const Var> wrt) {
  if (!loss.valid()) return std::vector<Var>(wrt.size(), loss);
  Tape& tape = *loss.tape();
  if (loss.rank() != 0 || !IsFloat(loss.dtype())) {
    tape.NoteError({},
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
  return Vjp(outputs, seeds, wrt);
}

}  // namespace gyre
