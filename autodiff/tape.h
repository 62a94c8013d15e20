// The recorded operations of one training step.
//
//   Tape tape;
//   Var x = tape.Input("x", {{4, 8}, DType::kF32});
//   Var y = sum(exp(x));
//   std::vector<Var> dx = Gradients(y, {x});
//   GYRE_ASSIGN_OR_RETURN(auto plan, Plan::Compile(tape, {y, dx[0]}));
//
// Every node keeps the user's file and line, and the forward node that it is
// the derivative of. Nothing throws: the first error is kept, results after
// it are poisoned, and Compile returns it. What looks like a mistake but may be
// meant is a warning, once a line.
//
// WARNING 1: a tape is recorded by the thread that made it.

#ifndef GYRE_AUTODIFF_TAPE_H_
#define GYRE_AUTODIFF_TAPE_H_

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gyre/autodiff/op.h"
#include "gyre/autodiff/tape_mark.h"
#include "gyre/autodiff/var.h"
#include "gyre/core/tensor.h"

namespace gyre::internal::inline autodiff {

using NodeId = std::int32_t;

// The part of the step that an operation belongs to.
enum class Phase : std::uint8_t { kForward, kBackward };
std::string_view Name(Phase phase);

struct Node {
  std::shared_ptr<const Op> op;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  SourceLoc loc;
  Phase phase = Phase::kForward;
  NodeId origin = -1;  // the forward node of a backward one
};

// What a value was made of, as bits: numbers of the batch, the prediction.
inline constexpr std::uint8_t kOfBatch = 1;
inline constexpr std::uint8_t kOfPrediction = 2;
inline constexpr std::uint8_t kOfParameters = 4;

struct Value {
  TensorSpec spec;
  NodeId node = -1;  // -1: an input or a constant
  int index = 0;     // which output of the node
  int input = -1;    // which input of the tape
  std::optional<Tensor> constant;
  std::uint8_t made_of = 0;
};

// The sum of weights that a masked mean divides by. Where it is 0 the mean is
// 0 by definition, and the run should say so.
struct Denominator {
  ValueId value;
  SourceLoc loc;
  // The input that stands in for it, bound before each run to the mean of
  // `value` over all micro-batches; -1: the mean divides by `value` itself.
  ValueId pooled = -1;
};

// A scalar that the run records by name (autodiff/ops/report.h).
struct Term {
  std::string name;
  ValueId value;  // f32
  SourceLoc loc;
};

// A value that the run looks at by name (autodiff/ops/probe.h).
struct NamedValue {
  std::string name;
  ValueId value;
  SourceLoc loc;
  bool prints = false;  // its numbers, to the log
};

struct TapeInput {
  std::string name;
  ValueId value;
};

class Tape {
 public:
  // `mesh` may be null: a world of one. It must outlive the tape.
  // `training`: false for a program that evaluates, in which nothing is
  // dropped and running statistics stand in for those of the batch.
  explicit Tape(const Mesh* mesh = nullptr, bool training = true)
      : mark_(std::make_shared<internal::TapeMark>(this)),
        mesh_(mesh),
        training_(training) {}
  ~Tape() { mark_->tape = nullptr; }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // A tensor that is bound before each run.
  Var Input(std::string name, TensorSpec spec);
  // A tensor known now.
  Var Constant(Tensor tensor);
  // A scalar known now.
  Var Scalar(double value, DType dtype);

  // Records `op` on `inputs`; one Var per output, poisoned after an error.
  std::vector<Var> Record(std::shared_ptr<const Op> op,
                          std::span<const Var> inputs,
                          const SourceLoc& loc);
  // The same for an operation of one output.
  Var RecordOne(std::shared_ptr<const Op> op,
                std::span<const Var> inputs,
                const SourceLoc& loc);

  // Keeps an error of the trace; the first is what Compile returns. Within a
  // Call `op` may be empty: it has a name.
  void NoteError(const SourceLoc& loc,
                 std::string_view op,
                 const Status& status);
  // Notes the error, and returns the Var that stands for a failed operation.
  Var Fail(const SourceLoc& loc, std::string_view op, const Status& status);
  const std::vector<Status>& errors() const { return errors_; }
  Status FirstError() const;
  // The same for a Var that cannot be used.
  void NoteFault(const internal::TapeMark& fault);

  // Keeps a line for a person; the first of each line of the program.
  void NoteWarning(const SourceLoc& loc, std::string_view text);
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Says what a value is, for all that is made of it from here on.
  void MarkAs(const Var& var, std::uint8_t made_of);

  // Ends the recording: a Var that is used after it is one of another trace.
  void Close() { mark_->open = false; }
  const std::shared_ptr<internal::TapeMark>& mark() const { return mark_; }

  // Remembers a denominator, for the event that an empty mask is, and returns
  // what to divide by: `sum`, or what is pooled over micro-batches.
  Var Denominate(Var sum, const SourceLoc& loc);
  // Makes inputs of the denominators to come, so that a mean over several
  // micro-batches is that over all of them, whatever each one counts. Not of
  // those that are made of parameters, whose gradient would be lost.
  void PoolDenominators() { pools_ = true; }
  const std::vector<Denominator>& denominators() const { return denominators_; }

  // Says which elements of `var` count in its mean: those where `counts`, of
  // its shape, is not 0. The others are padding.
  void NoteCounts(const Var& var, const Var& counts);
  // What was said; not given() where all count.
  Var CountsOf(const Var& var) const;

  void NoteTerm(const std::string& name, Var value, const SourceLoc& loc);
  const std::vector<Term>& terms() const { return terms_; }

  void NoteProbe(const std::string& name,
                 Var value,
                 const SourceLoc& loc,
                 bool prints);
  const std::vector<NamedValue>& probes() const { return probes_; }

  const Mesh* mesh() const { return mesh_; }
  bool training() const { return training_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Value>& values() const { return values_; }
  const std::vector<TapeInput>& inputs() const { return inputs_; }
  const Value& value(ValueId id) const { return values_[id]; }

  // While one lives, what is recorded and what fails stands at the line of
  // `x`: a layer's operations are those of the line that asked for the layer.
  // The outermost counts. `name` is put before messages.
  class Call {
   public:
    explicit Call(const Traced& x, const std::string& name = "");
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Tape* const tape_;  // null: x cannot be used
    SourceLoc loc_;
    std::size_t name_ = 0;
  };
  // The line that an operation called at `loc` is recorded with.
  SourceLoc LineOf(const SourceLoc& loc) const;
  // Operations that the user asks for, not those of gradients.
  bool in_forward() const { return phase_ == Phase::kForward && origin_ < 0; }

  // While one lives, what is recorded belongs to this phase, and (with an
  // origin) to the line of the node that it is the derivative of.
  class Scope {
   public:
    Scope(Tape& tape, Phase phase, NodeId origin = -1);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Tape& tape_;
    Phase phase_;
    NodeId origin_;
  };

 private:
  Var AddValue(Value value);
  Var Varying(Var x, AxisSet varies, const SourceLoc& loc);
  std::vector<Var> Poisoned(std::size_t count);
  bool CheckOperands(const Op& op,
                     std::span<const Var> inputs,
                     const SourceLoc& loc);
  std::string WideInputs(std::span<const Var> operands) const;

  const std::shared_ptr<internal::TapeMark> mark_;
  const Mesh* mesh_;
  const bool training_;
  bool pools_ = false;
  std::vector<Term> terms_;
  std::vector<NamedValue> probes_;
  std::map<ValueId, ValueId> counts_;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::vector<TapeInput> inputs_;
  std::vector<Status> errors_;
  std::vector<std::string> warnings_;
  std::vector<SourceLoc> warned_;  // lines
  std::vector<Denominator> denominators_;
  SourceLoc call_;         // of a Call; no line: none
  std::string call_name_;  // "block0: q: "
  std::map<std::pair<ValueId, AxisSet>, ValueId> varying_;
  Phase phase_ = Phase::kForward;
  NodeId origin_ = -1;
};

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_TAPE_H_
