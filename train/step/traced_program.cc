#include "gyre/train/step/traced_program.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "gyre/autodiff/ops/collective_op.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/vjp.h"
#include "gyre/core/log.h"
#include "gyre/train/data/guarded_call.h"
#include "gyre/train/step/result_check.h"

namespace gyre::internal::inline train {
namespace {

bool IsHalf(DType dtype) {
  return dtype == DType::kBF16 || dtype == DType::kF16;
}

Status CheckPrecision(const TrainSpec& spec) {
  if (spec.compute != DType::kF32 && spec.compute != DType::kF64 &&
      !IsHalf(spec.compute)) {
    return ConfigError("compute must be f32, bf16, f16 or f64, got ",
                       spec.compute);
  }
  if (spec.compute == DType::kF16 && !spec.optimizer.guard().loss_scale.on()) {
    return ConfigError(
        "compute = f16 needs a loss scale, or small gradients become 0: "
        "write optim::Guard{.loss_scale = {.initial = 65536}}");
  }
  return OkStatus();
}

// The spec of one of `parts` equal pieces along the first axis.
StatusOr<TensorSpec> PartOf(const std::string& name,
                            const Tensor& tensor,
                            int parts,
                            AxisSet varies) {
  if (parts == 1) return TensorSpec{tensor.shape(), tensor.dtype(), varies};
  std::vector<std::int64_t> dims = tensor.shape().dims();
  if (parts < 1 || dims.empty() || dims[0] % parts != 0) {
    return ConfigError("batch tensor \"",
                       name,
                       "\" ",
                       tensor.shape(),
                       " cannot be cut into ",
                       parts,
                       " equal micro-batches along its first axis");
  }
  dims[0] /= parts;
  return TensorSpec{Shape(std::move(dims)), tensor.dtype(), varies};
}

// As the program sees an f32 tensor of the batch.
Var AsComputed(Var x, DType compute) {
  const bool widen = compute == DType::kF64 && x.dtype() == DType::kF32;
  return widen ? cast(At(x, {}), DType::kF64) : x;
}

// What training keeps of a result is f32.
Var AsKept(Var x) {
  if (x.dtype() != DType::kF64) return x;
  return cast(At(x, LineOf(x)), DType::kF32);
}

Status CheckLoss(const TracedProgram& program, const Mesh& mesh) {
  const Var loss = program.loss;
  GYRE_RETURN_IF_ERROR(CheckIsScalar(loss));
  if (loss.varies() != 0) {
    const SourceLoc loc = LineOf(loss);
    return ConfigError(loc.line > 0 ? Cat(loc, ": ") : "",
                       "the loss still differs from rank to rank over ",
                       mesh.Describe(loss.varies()),
                       "; finish it with mean(), sum() or masked_mean() "
                       "without axes, which run over all ranks, or with "
                       "pmean()");
  }
  return OkStatus();
}

bool IsFrozen(const TrainSpec& spec, const Parameter& parameter) {
  return spec.frozen && spec.frozen(parameter.name);
}

// Zeros for parameters that are frozen, and that the loss does not depend on.
Status CompleteGradients(const TrainSpec& spec, TracedProgram& program) {
  const std::vector<Parameter>& all = program.params.all();
  std::vector<Parameter> trained;
  std::copy_if(all.begin(),
               all.end(),
               std::back_inserter(trained),
               [&](const Parameter& p) { return !IsFrozen(spec, p); });
  GYRE_RETURN_IF_ERROR(CheckReaches(program.loss, program.grads));
  const std::string unreached = DescribeUnreached(trained, program.grads);
  if (!unreached.empty()) program.tape.NoteWarning({}, unreached);
  std::vector<Var> grads;
  auto next = program.grads.begin();
  for (const Parameter& p : all) {
    const Var grad = IsFrozen(spec, p) ? Var() : *next++;
    grads.push_back(grad.given() ? grad : zeros_like(p.used));
  }
  program.grads = std::move(grads);
  return OkStatus();
}

// The batch as training sees it: one micro-batch.
StatusOr<std::vector<BatchTensor>> MicroBatchOf(const TrainSpec& spec,
                                                AxisSet varies) {
  std::vector<BatchTensor> batch;
  for (const auto& [name, tensor] : spec.example.tensors) {
    GYRE_ASSIGN_OR_RETURN(TensorSpec part,
                          PartOf(name, tensor, spec.micro_batches, varies));
    batch.push_back({name, std::move(part)});
  }
  return batch;
}

// The prediction as the loss and the program's caller see it.
Status TraceModel(const TrainSpec& spec,
                  const BatchVars& batch,
                  TracedProgram& program) {
  GYRE_ASSIGN_OR_RETURN(
      program.prediction,
      GuardedCall(ErrorKind::kConfig, "the model, at the trace,", [&] {
        return StatusOr<Var>(spec.model(program.params, batch));
      }));
  GYRE_RETURN_IF_ERROR(
      CheckReturned(program.tape, program.prediction, "model"));
  if (IsHalf(program.prediction.dtype())) {
    const SourceLoc loc = LineOf(program.prediction);
    program.prediction = cast(At(program.prediction, loc), DType::kF32);
  }
  program.prediction = WithActivationFaults(program.prediction, program.faults);
  program.tape.MarkAs(program.prediction, kOfPrediction);
  return OkStatus();
}

// What training and evaluation share: prediction and loss of program.batch.
Status TraceForward(const TrainSpec& spec, TracedProgram& program) {
  std::map<std::string, Var> vars;
  for (const BatchTensor& tensor : program.batch) {
    const Var input = program.tape.Input("batch." + tensor.name, tensor.spec);
    program.tape.MarkAs(input, kOfBatch);
    vars[tensor.name] = AsComputed(input, spec.compute);
  }
  const BatchVars batch(
      program.tape, std::move(vars), spec.compute == DType::kF64);
  GYRE_RETURN_IF_ERROR(TraceModel(spec, batch, program));
  GYRE_ASSIGN_OR_RETURN(
      program.loss,
      GuardedCall(ErrorKind::kConfig, "the loss, at the trace,", [&] {
        return StatusOr<Var>(spec.loss(program.prediction, batch));
      }));
  GYRE_RETURN_IF_ERROR(CheckReturned(program.tape, program.loss, "loss"));
  if (spec.compute == DType::kF64) {
    program.prediction = AsKept(program.prediction);
    program.loss = AsKept(program.loss);
  }
  return CheckLoss(program, spec.mesh);
}

Status Trace(const TrainSpec& spec, TracedProgram& program) {
  GYRE_ASSIGN_OR_RETURN(program.batch, MicroBatchOf(spec, program.batch_axes));
  if (spec.micro_batches > 1) program.tape.PoolDenominators();
  GYRE_RETURN_IF_ERROR(TraceForward(spec, program));
  if (program.params.all().empty()) {
    return ConfigError("the model declares no parameters");
  }
  std::vector<Var> used;
  for (const Parameter& p : program.params.all()) {
    if (!IsFrozen(spec, p)) used.push_back(p.used);
  }
  if (used.empty()) {
    return ConfigError("TrainSpec::frozen holds all parameters of the model");
  }
  Var target = program.loss;
  if (spec.optimizer.guard().loss_scale.on()) {
    program.loss_scale =
        program.tape.Input("loss_scale", {Shape(), DType::kF32, 0});
    const Located at(LineOf(target));
    target = at(target) * at(program.loss_scale);
  }
  const Var seed = program.tape.Scalar(1.0, target.dtype());
  program.grads = SomeGradients({&target, 1}, {&seed, 1}, used);
  GYRE_RETURN_IF_ERROR(program.tape.FirstError());
  return CompleteGradients(spec, program);
}

// The first rank says for all what may be a mistake.
void WarnOf(const TracedProgram& program) {
  if (program.mesh.rank() != 0) return;
  for (const std::string& text : program.tape.warnings()) LogWarning(text);
}

// The sums over ranks at the end of gradients are left to the step, which does
// them in bulk: `grad` is taken from before its sum. A parameter that is used
// over axes that the batch does not vary over has one.
AxisSet TakeOffSum(const Tape& tape, Var& grad) {
  const NodeId made_by = tape.value(grad.id()).node;
  if (made_by < 0) return 0;
  const Node& node = tape.nodes()[made_by];
  const auto* sum = dynamic_cast<const PsumOp*>(node.op.get());
  if (sum == nullptr) return 0;
  grad = Var(grad.tape(), node.inputs[0]);
  return sum->axes();
}

// Says over which axes each gradient is to be added, and puts parameters that
// are added over the same axes side by side.
void ArrangeGradients(TracedProgram& program) {
  const Mesh& mesh = program.mesh;
  const std::vector<Parameter>& all = program.params.all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    TensorMesh tensor{.part = all[i].part};
    const AxisSet axes = TakeOffSum(program.tape, program.grads[i]) |
                         (program.batch_axes & ~tensor.part.axes);
    tensor.reduce = mesh.WithoutUnitAxes(axes);
    program.tensors.push_back(std::move(tensor));
  }
  std::vector<int> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return program.tensors[a].reduce > program.tensors[b].reduce;
  });
  std::vector<Var> grads;
  std::vector<TensorMesh> tensors;
  for (const int i : order) {
    grads.push_back(program.grads[i]);
    tensors.push_back(program.tensors[i]);
  }
  program.params.Reorder(order);
  program.grads = std::move(grads);
  program.tensors = std::move(tensors);
}

// A stage that needs a whole tensor has none where ranks hold parts.
Status CheckStages(const TrainSpec& spec, const TracedProgram& program) {
  if (spec.optimizer.pointwise()) return OkStatus();
  if (spec.shard_states) {
    return ConfigError(
        "shard_states cuts tensors between ranks, and this chain has a stage "
        "that needs a whole tensor: leave one of them out; got ",
        spec.optimizer.Describe());
  }
  for (const Parameter& p : program.params.all()) {
    if (!p.part.is_part()) continue;
    return ConfigError(
        p.name,
        " is cut over ",
        spec.mesh.Describe(p.part.axes),
        ", and this chain has a stage that needs a whole tensor: use stages "
        "that work element by element; got ",
        spec.optimizer.Describe());
  }
  return OkStatus();
}

// Without a rank, the others have no whole model where it held a part.
Status CheckPolicy(const TrainSpec& spec, const TracedProgram& program) {
  if (!spec.optimizer.guard().MayDropRanks()) return OkStatus();
  for (std::size_t i = 0; i < program.tensors.size(); ++i) {
    const int ranks = spec.mesh.SizeOf(program.tensors[i].reduce);
    if (ranks == spec.mesh.size()) continue;
    return ConfigError(
        "the guard's policy drop_rank takes the mean over the healthy ranks, "
        "and needs a batch that is split over all of them; on ",
        spec.mesh.Describe(),
        " the gradient of ",
        program.params.all()[i].name,
        " is added over ",
        ranks,
        ": use skip or zero");
  }
  return OkStatus();
}

// Buffers that the model does not set keep their values.
void CompleteBuffers(TracedProgram& program) {
  for (const Buffer& buffer : program.params.buffers()) {
    if (!buffer.next.valid()) {
      program.params.SetBuffer(buffer.name, buffer.input);
    }
  }
}

StatusOr<AxisSet> BatchAxes(const TrainSpec& spec) {
  if (spec.batch_axes.empty()) return spec.mesh.all_axes();
  return spec.mesh.Axes(spec.batch_axes);
}

}  // namespace

std::vector<Var> TracedProgram::MustBeFinite() const {
  std::vector<Var> results = {loss};
  results.insert(results.end(), grads.begin(), grads.end());
  for (const Buffer& buffer : params.buffers()) results.push_back(buffer.next);
  return results;
}

std::string TracedProgram::NameOfResult(int i) const {
  if (i < 0) return "other ranks";
  if (i == 0) return "the loss";
  const auto& all = params.all();
  const auto tensors = static_cast<int>(all.size());
  if (i <= tensors) return Cat("the gradient of ", all[i - 1].name);
  return Cat("the new value of ", params.buffers()[i - 1 - tensors].name);
}

StatusOr<std::unique_ptr<TracedProgram>> TraceEvaluation(
    const TrainSpec& spec, std::span<const BatchTensor> batch) {
  GYRE_ASSIGN_OR_RETURN(const AxisSet axes, BatchAxes(spec));
  auto program =
      std::make_unique<TracedProgram>(spec, axes, FaultPlan{}, false);
  program->batch.assign(batch.begin(), batch.end());
  GYRE_RETURN_IF_ERROR(TraceForward(spec, *program));
  GYRE_RETURN_IF_ERROR(program->tape.FirstError());
  return program;
}

StatusOr<std::unique_ptr<TracedProgram>> TraceProgram(const TrainSpec& spec,
                                                      const FaultPlan& faults) {
  GYRE_RETURN_IF_ERROR(CheckPrecision(spec));
  GYRE_ASSIGN_OR_RETURN(const AxisSet axes, BatchAxes(spec));
  auto program = std::make_unique<TracedProgram>(spec, axes, faults, true);
  const Status traced = Trace(spec, *program);
  WarnOf(*program);
  GYRE_RETURN_IF_ERROR(traced);
  ArrangeGradients(*program);
  GYRE_RETURN_IF_ERROR(CheckPolicy(spec, *program));
  GYRE_RETURN_IF_ERROR(CheckStages(spec, *program));
  CompleteBuffers(*program);
  return program;
}

}  // namespace gyre::internal::inline train
