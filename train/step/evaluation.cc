#include "gyre/train/step/evaluation.h"

#include <algorithm>

#include "gyre/autodiff/exec/executor.h"
#include "gyre/autodiff/plan/graph.h"
#include "gyre/autodiff/plan/plan.h"
#include "gyre/train/step/batch_check.h"
#include "gyre/train/step/denominators.h"
#include "gyre/train/step/reported_terms.h"
#include "gyre/train/step/traced_program.h"
#include "gyre/train/step/train_spec.h"

namespace gyre::internal::inline train {
namespace {

// Where the tensor `name` lies in the array of the layout.
StatusOr<std::int64_t> OffsetOf(const optim::FlatLayout& layout,
                                const std::string& name,
                                const Shape& shape,
                                std::string_view what) {
  const int i = layout.Find(name);
  if (i >= 0 && layout[i].shape == shape) return layout[i].offset;
  return ConfigError("the model that evaluates has a ",
                     what,
                     " \"",
                     name,
                     "\" ",
                     shape,
                     ", and the one that trains has ",
                     i < 0 ? std::string("none") : Cat(layout[i].shape),
                     ": declare the same, whatever params.training() says");
}

}  // namespace

Evaluation::Evaluation()
    : denominators_(std::make_unique<Denominators>()),
      terms_(std::make_unique<ReportedTerms>()) {}
Evaluation::~Evaluation() = default;

StatusOr<std::unique_ptr<Evaluation>> Evaluation::Compile(
    const TrainSpec& spec,
    std::vector<BatchTensor> batch,
    const optim::FlatLayout& layout,
    const optim::FlatLayout& buffers) {
  std::unique_ptr<Evaluation> made(new Evaluation());
  GYRE_ASSIGN_OR_RETURN(made->program_, TraceEvaluation(spec, batch));
  TracedProgram& program = *made->program_;
  const Tape& tape = program.tape;
  const auto input_of = [&](Var var) { return tape.value(var.id()).input; };
  for (const Parameter& p : program.params.all()) {
    GYRE_ASSIGN_OR_RETURN(
        const std::int64_t offset,
        OffsetOf(layout, p.name, p.input.shape(), "parameter"));
    made->params_.push_back({input_of(p.input), offset});
  }
  for (const Buffer& b : program.params.buffers()) {
    GYRE_ASSIGN_OR_RETURN(const std::int64_t offset,
                          OffsetOf(buffers, b.name, b.input.shape(), "buffer"));
    made->buffers_.push_back({input_of(b.input), offset});
  }
  const std::vector<bool> needed =
      ValuesBehind(tape.nodes(), tape.values().size(), program.prediction.id());
  std::size_t largest = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i].read = needed[tape.inputs()[i].value];
    largest = std::max(largest, batch[i].spec.bytes());
  }
  made->batch_ = std::move(batch);
  made->zeros_ = AllocateAligned(largest);
  std::vector<Var> results;
  made->loss_result_ = AddResult(program.loss, results);
  made->prediction_result_ = AddResult(program.prediction, results);
  made->denominators_->AddTo(program.tape, results);
  made->terms_->AddTo(program.tape, results);
  GYRE_ASSIGN_OR_RETURN(
      auto plan,
      Plan::Compile(tape, results, {.kernels = spec.kernels, .jit = spec.jit}));
  GYRE_ASSIGN_OR_RETURN(made->executor_, Executor::Create(std::move(plan)));
  program.tape.Close();
  return made;
}

// Inputs of the plan begin with the batch's tensors.
Status Evaluation::BindBatch(const SampleBatch& batch, bool wants_loss) {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const auto it = batch.tensors.find(batch_[i].name);
    const bool there = it != batch.tensors.end();
    if (there || wants_loss || batch_[i].read) {
      GYRE_RETURN_IF_ERROR(CheckTensor(batch_[i], batch));
    }
    const std::byte* const data =
        there ? it->second.raw()
              : reinterpret_cast<const std::byte*>(zeros_.get());
    executor_->Bind(static_cast<int>(i), const_cast<std::byte*>(data));
  }
  return OkStatus();
}

StatusOr<EvalReport> Evaluation::Run(const SampleBatch& batch,
                                     bool wants_loss,
                                     const float* params,
                                     const float* buffers,
                                     std::int64_t step) {
  GYRE_RETURN_IF_ERROR(BindBatch(batch, wants_loss));
  for (const Place& place : params_) {
    executor_->Bind(place.input, const_cast<float*>(params + place.offset));
  }
  for (const Place& place : buffers_) {
    executor_->Bind(place.input, const_cast<float*>(buffers + place.offset));
  }
  GYRE_RETURN_IF_ERROR(executor_->Run({&program_->mesh, step}));
  EvalReport report{.loss = *executor_->Result<float>(loss_result_),
                    .terms = terms_->Values(*executor_)};
  if (denominators_->size() == 1) {
    report.weight = denominators_->Value(*executor_, 0);
  }
  return report;
}

Tensor Evaluation::prediction() const {
  return executor_->ResultTensor(prediction_result_);
}

}  // namespace gyre::internal::inline train
