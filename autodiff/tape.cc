#include "gyre/autodiff/tape.h"

#include <cstring>
#include <utility>

#include "gyre/autodiff/ops/collective.h"

namespace gyre {
namespace {

const Shape kNoShape;

}  // namespace

std::string_view Name(Phase phase) {
  switch (phase) {
    case Phase::kForward:
      return "forward";
    case Phase::kBackward:
      return "backward";
    case Phase::kGuard:
      return "guard";
    case Phase::kUpdate:
      return "update";
  }
  return "";
}

const Shape& Var::shape() const {
  return valid() ? tape_->value(id_).spec.shape : kNoShape;
}
DType Var::dtype() const {
  return valid() ? tape_->value(id_).spec.dtype : DType::kF32;
}
AxisSet Var::varies() const {
  return valid() ? tape_->value(id_).spec.varies : 0;
}

Tape::Scope::Scope(Tape& tape, Phase phase, NodeId origin)
    : tape_(tape), phase_(tape.phase_), origin_(tape.origin_) {
  tape.phase_ = phase;
  tape.origin_ = origin;
}

Tape::Scope::~Scope() {
  tape_.phase_ = phase_;
  tape_.origin_ = origin_;
}

Var Tape::AddValue(Value value) {
  values_.push_back(std::move(value));
  return Var(this, static_cast<ValueId>(values_.size() - 1));
}

Var Tape::Input(std::string name, TensorSpec spec) {
  if (Status status = spec.shape.Validate(); !status.ok()) {
    NoteError({}, Cat("input ", name), status);
    return Var(this, -1);
  }
  Value value;
  value.spec = std::move(spec);
  value.input = static_cast<int>(inputs_.size());
  const Var var = AddValue(std::move(value));
  inputs_.push_back({std::move(name), var.id()});
  return var;
}

Var Tape::Constant(Tensor tensor) {
  Value value;
  value.spec = {tensor.shape(), tensor.dtype(), 0};
  value.constant = std::move(tensor);
  return AddValue(std::move(value));
}

Var Tape::Scalar(double number, DType dtype) {
  if (dtype == DType::kF64) return Constant(Tensor::Of<double>({}, {number}));
  return Constant(Tensor::Of<float>({}, {static_cast<float>(number)}));
}

std::vector<Var> Tape::Poisoned(std::size_t count) {
  return std::vector<Var>(count, Var(this, -1));
}

std::vector<Var> Tape::Record(std::shared_ptr<const Op> op,
                              std::span<const Var> inputs,
                              const SourceLoc& call) {
  const SourceLoc loc = origin_ >= 0 ? nodes_[origin_].loc : call;
  AxisSet varies = 0;
  for (const Var& input : inputs) {
    if (!input.valid()) return Poisoned(1);
    GYRE_CHECK(input.tape() == this, "a Var of another tape");
    varies |= input.varies();
  }
  std::vector<Var> operands(inputs.begin(), inputs.end());
  if (!op->moves_data()) {
    for (Var& input : operands) input = Varying(input, varies, loc);
  }
  std::vector<TensorSpec> specs;
  for (const Var& input : operands) specs.push_back(value(input.id()).spec);
  auto inferred = op->Infer(specs);
  if (!inferred.ok()) {
    NoteError(loc, op->name(), inferred.status());
    return Poisoned(1);
  }
  const auto id = static_cast<NodeId>(nodes_.size());
  Node node{std::move(op), {}, {}, loc, phase_, origin_};
  for (const Var& input : operands) node.inputs.push_back(input.id());
  std::vector<Var> outputs;
  for (TensorSpec& spec : *inferred) {
    if (Status status = spec.shape.Validate(); !status.ok()) {
      NoteError(loc, node.op->name(), status);
      return Poisoned(1);
    }
    if (!node.op->moves_data()) spec.varies = varies;
    Value out;
    out.spec = std::move(spec);
    out.node = id;
    out.index = static_cast<int>(outputs.size());
    outputs.push_back(AddValue(std::move(out)));
    node.outputs.push_back(outputs.back().id());
  }
  nodes_.push_back(std::move(node));
  return outputs;
}

// One and the same for all uses: their gradients are then added on each rank,
// and summed over the ranks once.
Var Tape::Varying(Var x, AxisSet varies, const SourceLoc& loc) {
  if (x.varies() == varies) return x;
  const std::pair key(x.id(), varies);
  if (const auto known = varying_.find(key); known != varying_.end()) {
    return Var(this, known->second);
  }
  const Var var =
      RecordOne(std::make_shared<VaryOp>(varies & ~x.varies()), {&x, 1}, loc);
  varying_.emplace(key, var.id());
  return var;
}

Var Tape::RecordOne(std::shared_ptr<const Op> op,
                    std::span<const Var> inputs,
                    const SourceLoc& loc) {
  return Record(std::move(op), inputs, loc).front();
}

void Tape::NoteDenominator(Var sum, const SourceLoc& loc) {
  if (sum.valid()) denominators_.push_back({sum.id(), loc});
}

void Tape::NoteError(const SourceLoc& loc,
                     std::string_view op,
                     const Status& status) {
  const std::string place = loc.line > 0 ? Cat(loc, ": ") : "";
  errors_.push_back(Annotate(status, Cat(place, op, ": ")));
}

Var Tape::Fail(const SourceLoc& loc,
               std::string_view op,
               const Status& status) {
  NoteError(loc, op, status);
  return Var(this, -1);
}

Status Tape::FirstError() const {
  return errors_.empty() ? OkStatus() : errors_.front();
}

}  // namespace gyre
