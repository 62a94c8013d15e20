#include "gyre/train/step/step_program.h"

#include <utility>

#include "gyre/autodiff/exec/cause_finder.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/core/hash.h"
#include "gyre/train/step/activations.h"
#include "gyre/train/step/reduce_buckets.h"

namespace gyre::internal::inline train {
namespace {

int InputOf(const Tape& tape, Var var) { return tape.value(var.id()).input; }

std::vector<BatchTensor> WholeBatch(const TrainSpec& spec,
                                    std::vector<BatchTensor> batch) {
  for (BatchTensor& tensor : batch) {
    tensor.spec.shape = spec.example.tensors.at(tensor.name).shape();
  }
  return batch;
}

// Events of probes; those before it are buckets of gradients.
constexpr int kFirstProbe = 1 << 20;

// A fault of the step is in its first micro-batch alone.
void EndOfActivationFaults(StepFaults& faults) {
  std::erase_if(faults.hits, [](const FaultHit& hit) {
    return hit.place == FaultPlace::kActivation;
  });
}

}  // namespace

StepProgram::StepProgram() = default;
StepProgram::~StepProgram() = default;

StatusOr<std::unique_ptr<StepProgram>> StepProgram::Compile(
    const TrainSpec& spec,
    std::unique_ptr<TracedProgram> traced,
    const TrainState& state,
    float* grads,
    BucketReducer* buckets) {
  std::unique_ptr<StepProgram> made(new StepProgram());
  made->traced_ = std::move(traced);
  TracedProgram& program = *made->traced_;
  Tape& tape = program.tape;
  const optim::FlatLayout& layout = state.layout();
  const Var flat =
      tape.Input("gradients", {{layout.elements()}, DType::kF32, 0});
  if (buckets != nullptr) {
    RecordBuckets(tape, buckets->list(), program.loss, program.grads);
  }
  made->probe_every_ = spec.probe_every;
  if (spec.probe_every > 0) made->probes_.Record(tape, kFirstProbe);
  PlanOptions options{.kernels = spec.kernels, .jit = spec.jit};
  for (int i = 0; i < layout.count(); ++i) {
    options.placements.push_back({program.grads[i].id(),
                                  InputOf(tape, flat),
                                  layout[i].offset * sizeof(float)});
  }
  made->PlaceBuffers(state, options);
  std::vector<Var> results;
  made->loss_result_ = AddResult(program.loss, results);
  made->prediction_result_ = AddResult(program.prediction, results);
  made->denominators_.AddTo(tape, results);
  made->terms_.AddTo(tape, results);
  if (spec.watch_activations) {
    for (const LayerProduct& a : FindActivations(tape, program.params)) {
      made->watched_.push_back({a.layer, AddResult(a.value, results)});
    }
  }
  GYRE_ASSIGN_OR_RETURN(auto plan, Plan::Compile(tape, results, options));
  GYRE_ASSIGN_OR_RETURN(made->executor_, Executor::Create(std::move(plan)));
  made->executor_->Bind(InputOf(tape, flat), grads);
  made->denominators_.Bind(*made->executor_);
  made->BindLossScale(*made->executor_);
  for (const Parameter& p : program.params.all()) {
    made->param_inputs_.push_back(InputOf(tape, p.input));
  }
  made->traits_ = {.seed = spec.seed,
                   .compute = spec.compute,
                   .kernels = spec.kernels,
                   .jit = spec.jit,
                   .micro_batches = spec.micro_batches,
                   .checks = spec.checks,
                   .batch_axes = program.batch_axes};
  made->whole_batch_ = WholeBatch(spec, program.batch);
  program.params.DropInitialValues();
  tape.Close();
  return made;
}

void StepProgram::PlaceBuffers(const TrainState& state, PlanOptions& options) {
  const optim::FlatLayout& buffers = state.buffer_layout();
  if (buffers.count() == 0) return;
  Tape& tape = traced_->tape;
  const Var flat =
      tape.Input("next_buffers", {{buffers.elements()}, DType::kF32, 0});
  next_buffers_input_ = InputOf(tape, flat);
  for (int i = 0; i < buffers.count(); ++i) {
    const Buffer& buffer = traced_->params.buffers()[i];
    buffer_inputs_.push_back(InputOf(tape, buffer.input));
    options.placements.push_back({buffer.next.id(),
                                  next_buffers_input_,
                                  buffers[i].offset * sizeof(float)});
  }
}

const Shape& StepProgram::prediction_shape() const {
  return traced_->tape.value(traced_->prediction.id()).spec.shape;
}

Status StepProgram::CheckBatch(const SampleBatch& batch) const {
  for (const BatchTensor& tensor : whole_batch_) {
    GYRE_RETURN_IF_ERROR(CheckTensor(tensor, batch));
  }
  return OkStatus();
}

template <class Runner>
void StepProgram::BindBatch(Runner& runner,
                            const SampleBatch& batch,
                            int part) const {
  for (std::size_t i = 0; i < traced_->batch.size(); ++i) {
    const BatchTensor& tensor = traced_->batch[i];
    const std::size_t offset = tensor.spec.bytes() * part;
    runner.Bind(
        static_cast<int>(i),
        const_cast<std::byte*>(batch.tensors.at(tensor.name).raw()) + offset);
  }
}

template <class Runner>
void StepProgram::BindFront(Runner& runner,
                            const TrainState& state,
                            float* params,
                            float* buffers) const {
  for (std::size_t i = 0; i < param_inputs_.size(); ++i) {
    runner.Bind(param_inputs_[i],
                params + state.layout()[static_cast<int>(i)].offset);
  }
  for (std::size_t i = 0; i < buffer_inputs_.size(); ++i) {
    runner.Bind(buffer_inputs_[i],
                buffers + state.buffer_layout()[static_cast<int>(i)].offset);
  }
}

template <class Runner>
void StepProgram::BindLossScale(Runner& runner) {
  if (!traced_->loss_scale.given()) return;
  runner.Bind(InputOf(traced_->tape, traced_->loss_scale), &loss_scale_);
}

void StepProgram::BindState(const TrainState& state, float* buffers) {
  BindFront(*executor_,
            state,
            state.front().params(),
            buffers != nullptr ? buffers : state.front().buffers().data());
  if (next_buffers_input_ >= 0) {
    executor_->Bind(next_buffers_input_, state.back().buffers().data());
  }
}

// A number of its own for the draws of each micro-batch.
StepContext StepProgram::ContextOf(int part, std::int64_t step) const {
  return {&traced_->mesh, step * traits_.micro_batches + part};
}

Status StepProgram::Begin(const SampleBatch& batch, std::int64_t step) {
  probes_.Begin(step, probe_every_ > 0 && step % probe_every_ == 0);
  return denominators_.Pool(*executor_, traits_.micro_batches, [&](int part) {
    BindBatch(*executor_, batch, part);
    return ContextOf(part, step);
  });
}

Status StepProgram::Ready(int event, const KernelArgs& args) {
  if (event < kFirstProbe) return listener_->Ready(event, args);
  probes_.Look(static_cast<std::size_t>(event - kFirstProbe), args);
  return OkStatus();
}

Status StepProgram::Run(const SampleBatch& batch,
                        int part,
                        std::int64_t step,
                        ReadyListener* listener) {
  BindBatch(*executor_, batch, part);
  listener_ = listener;
  StepContext context = ContextOf(part, step);
  context.listener = this;
  GYRE_RETURN_IF_ERROR(executor_->Run(context));
  EndOfActivationFaults(faults());
  return OkStatus();
}

std::vector<MaskSum> StepProgram::MaskSums() const {
  std::vector<MaskSum> sums;
  for (std::size_t i = 0; i < denominators_.size(); ++i) {
    sums.push_back({denominators_.loc(i), denominators_.Value(*executor_, i)});
  }
  return sums;
}

void StepProgram::AddEmptyMasks(std::vector<SourceLoc>& lines) const {
  for (std::size_t i = 0; i < denominators_.size(); ++i) {
    if (denominators_.Value(*executor_, i) != 0) continue;
    lines.push_back(denominators_.loc(i));
  }
}

NumberView StepProgram::ResultNumbers(int result) const {
  const Graph& graph = plan().graph();
  return NumberView(executor_->Result<std::byte>(result),
                    graph.values[graph.results[result]].spec);
}

StatusOr<CauseReport> StepProgram::FindCause(const TrainState& state,
                                             const StateView& before,
                                             const SampleBatch& batch) {
  if (finder_ == nullptr) {
    GYRE_ASSIGN_OR_RETURN(
        finder_,
        CauseFinder::Create(
            traced_->tape, traced_->MustBeFinite(), plan().options()));
  }
  BindFront(
      *finder_, state, before.arrays.params(), before.arrays.buffers().data());
  denominators_.Bind(*finder_);
  BindLossScale(*finder_);
  CauseReport report;
  for (int part = 0; part < traits_.micro_batches; ++part) {
    BindBatch(*finder_, batch, part);
    // All ranks run all parts: the program may talk.
    GYRE_ASSIGN_OR_RETURN(const std::optional<Cause> cause,
                          finder_->Find(ContextOf(part, before.next_step)));
    EndOfActivationFaults(faults());
    // The loss is the result before the gradients.
    for (int i = 0; i < state.layout().count(); ++i) {
      report.gradient_hash = Hash64(finder_->Result<float>(i + 1),
                                    state.layout()[i].size * sizeof(float),
                                    report.gradient_hash);
    }
    if (!cause.has_value() || report.first.has_value()) continue;
    report.first =
        FirstCause{*cause, traced_->NameOfResult(cause->result), part};
  }
  return report;
}

}  // namespace gyre::internal::inline train
