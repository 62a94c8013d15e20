#include "gyre/autodiff/tape.h"

#include <utility>

#include "gyre/autodiff/ops/collective_op.h"

namespace gyre::internal::inline autodiff {

std::string_view Name(Phase phase) {
  return phase == Phase::kForward ? "forward" : "backward";
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

Tape::Call::Call(const Traced& x, const std::string& name)
    : tape_(x.is_number() || !x.var().valid() ? nullptr : x.var().tape()) {
  if (tape_ == nullptr) return;
  loc_ = tape_->call_;
  name_ = tape_->call_name_.size();
  if (loc_.line == 0) tape_->call_ = x.loc();
  if (!name.empty()) tape_->call_name_ += name + ": ";
}

Tape::Call::~Call() {
  if (tape_ == nullptr) return;
  tape_->call_ = loc_;
  tape_->call_name_.resize(name_);
}

SourceLoc Tape::LineOf(const SourceLoc& loc) const {
  if (origin_ >= 0) return nodes_[origin_].loc;
  return call_.line > 0 ? call_ : loc;
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

// Whether all of them are values of this tape; says so if one is not.
bool Tape::CheckOperands(const Op& op,
                         std::span<const Var> inputs,
                         const SourceLoc& loc) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].mark() == mark_.get()) continue;
    const int position = static_cast<int>(i) + 1;
    const auto fault = internal::FaultOf(inputs[i], loc, op.name(), position);
    NoteFault(*fault);
    // Which of two tapes goes on nobody knows: both hear of it.
    const internal::TapeMark* const other = inputs[i].mark();
    if (other != nullptr && other->recording())
      other->tape.load()->NoteFault(*fault);
    return false;
  }
  for (const Var& input : inputs) {
    if (input.id() < 0) return false;  // after an error that is known
  }
  return true;
}

// Where types of floats do not fit: the inputs that brought f64 in.
std::string Tape::WideInputs(std::span<const Var> operands) const {
  bool wide = false;
  bool narrow = false;
  std::vector<char> seen(values_.size(), 0);
  std::vector<ValueId> rest;
  for (const Var& operand : operands) {
    const bool f64 = operand.dtype() == DType::kF64;
    wide |= f64;
    narrow |= !f64 && IsFloat(operand.dtype());
    if (f64) rest.push_back(operand.id());
  }
  if (!wide || !narrow) return "";
  std::string text;
  while (!rest.empty()) {
    const ValueId id = rest.back();
    rest.pop_back();
    if (values_[id].spec.dtype != DType::kF64 || seen[id]++ != 0) continue;
    if (const int input = values_[id].input; input >= 0) {
      constexpr std::string_view kBatch = "batch.";
      const std::string& name = inputs_[input].name;
      const bool batch = name.starts_with(kBatch);
      text += Cat("; ",
                  batch ? "batch tensor \"" : "input \"",
                  batch ? name.substr(kBatch.size()) : name,
                  "\" is f64: make it f32 where it is loaded");
    }
    if (values_[id].node < 0) continue;
    const std::vector<ValueId>& from = nodes_[values_[id].node].inputs;
    rest.insert(rest.end(), from.begin(), from.end());
  }
  return text;
}

std::vector<Var> Tape::Record(std::shared_ptr<const Op> op,
                              std::span<const Var> inputs,
                              const SourceLoc& call) {
  if (!mark_->recording()) {
    return {Var(std::make_shared<internal::TapeMark>(
        internal::VarFault::kOtherTrace, call, op->name(), 1))};
  }
  const SourceLoc loc = LineOf(call);
  if (!CheckOperands(*op, inputs, loc)) return Poisoned(1);
  AxisSet varies = 0;
  std::uint8_t made_of = 0;
  for (const Var& input : inputs) {
    varies |= input.varies();
    made_of |= value(input.id()).made_of;
  }
  std::vector<Var> operands(inputs.begin(), inputs.end());
  if (!op->moves_data()) {
    for (Var& input : operands) input = Varying(input, varies, loc);
  }
  std::vector<TensorSpec> specs;
  for (const Var& input : operands) specs.push_back(value(input.id()).spec);
  auto inferred = op->Infer(specs);
  if (!inferred.ok()) {
    const Status status = inferred.status();
    const std::string wide = WideInputs(operands);
    NoteError(loc,
              op->name(),
              wide.empty() ? status : ConfigError(Message(status), wide));
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
    out.made_of = made_of;
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

Var Tape::Denominate(Var sum, const SourceLoc& loc) {
  if (!sum.valid()) return sum;
  Denominator& made = denominators_.emplace_back(Denominator{sum.id(), loc});
  if (!pools_ || (value(sum.id()).made_of & kOfParameters) != 0) return sum;
  const Var pooled = Input(Cat("denominator.", denominators_.size() - 1),
                           value(sum.id()).spec);
  made.pooled = pooled.id();
  return pooled;
}

void Tape::NoteCounts(const Var& var, const Var& counts) {
  if (var.valid() && counts.valid()) counts_[var.id()] = counts.id();
}

Var Tape::CountsOf(const Var& var) const {
  const auto found = counts_.find(var.id());
  if (found == counts_.end()) return Var();
  return Var(const_cast<Tape*>(this), found->second);
}

void Tape::NoteTerm(const std::string& name, Var value, const SourceLoc& loc) {
  if (value.valid()) terms_.push_back({name, value.id(), LineOf(loc)});
}

void Tape::NoteProbe(const std::string& name,
                     Var value,
                     const SourceLoc& loc,
                     bool prints) {
  if (!value.valid()) return;
  probes_.push_back({name, value.id(), LineOf(loc), prints});
}

void Tape::NoteError(const SourceLoc& call,
                     std::string_view op,
                     const Status& status) {
  const SourceLoc loc = LineOf(call);
  const std::string place = loc.line > 0 ? Cat(loc, ": ") : "";
  errors_.push_back(
      Annotate(status, Cat(place, call_name_, op, op.empty() ? "" : ": ")));
}

void Tape::NoteFault(const internal::TapeMark& fault) {
  errors_.push_back(internal::ErrorOf(fault));
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

void Tape::NoteWarning(const SourceLoc& call, std::string_view text) {
  const SourceLoc loc = LineOf(call);
  for (const SourceLoc& known : warned_) {
    const bool same =
        known.line == loc.line && std::string_view(known.file) == loc.file;
    if (same && loc.line > 0) return;
  }
  warned_.push_back(loc);
  warnings_.push_back(Cat(loc.line > 0 ? Cat(loc, ": ") : "", text));
}

void Tape::MarkAs(const Var& var, std::uint8_t made_of) {
  if (var.mark() != mark_.get() || !var.valid()) return;
  values_[var.id()].made_of |= made_of;
}

}  // namespace gyre::internal::inline autodiff
