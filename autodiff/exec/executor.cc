#include "gyre/autodiff/exec/executor.h"

#include <algorithm>
#include <cstring>

#include "gyre/autodiff/exec/dnnl_support.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {

StatusOr<std::unique_ptr<Executor>> Executor::Create(
    std::shared_ptr<const Plan> plan) {
  SingleThreaded();
  std::unique_ptr<Executor> executor(new Executor(std::move(plan)));
  const Graph& graph = executor->plan_->graph();
  const std::size_t arena = executor->plan_->memory().arena_bytes;
  executor->arena_ = AllocateAligned(arena);
  if (executor->arena_ == nullptr) {
    return ConfigError("no memory for the plan's arena of ",
                       arena,
                       " bytes; use a smaller batch or model");
  }
  executor->uses_.resize(graph.inputs.size());
  executor->bound_.resize(graph.inputs.size(), nullptr);
  const std::vector<int> uses = graph.CountUses();
  std::size_t scratch = 0;
  for (const Node& node : graph.nodes) {
    if (node.op->is_alias()) continue;
    GYRE_RETURN_IF_ERROR(executor->AddStep(node, uses));
    scratch =
        std::max(scratch, executor->steps_.back().kernel->scratch_bytes());
  }
  executor->scratch_ = AllocateAligned(scratch);
  if (executor->scratch_ == nullptr) {
    return ConfigError("no memory for ", scratch, " bytes of scratch space");
  }
  return executor;
}

Status Executor::AddStep(const Node& node, const std::vector<int>& uses) {
  const Graph& graph = plan_->graph();
  KernelRequest request;
  request.set = plan_->options().kernels;
  request.jit = plan_->options().generates_code();
  request.loc = node.loc;
  Step step;
  step.node = &node;  // the plan's, which the executor keeps
  step.in = pointers_.size();
  for (const ValueId id : node.inputs) {
    const TensorSpec& spec = graph.values[id].spec;
    request.inputs.push_back({spec.shape, spec.dtype});
    AddPointer(id, true);
  }
  step.out = pointers_.size();
  for (const ValueId id : node.outputs) {
    const TensorSpec& spec = graph.values[id].spec;
    const bool placed =
        plan_->memory().storage[id].kind == Storage::Kind::kInput;
    const bool used = uses[id] > 0 || placed || node.outputs.size() == 1;
    request.outputs.push_back({spec.shape, spec.dtype});
    request.output_used.push_back(used);
    AddPointer(id, used);
  }
  auto kernel = node.op->MakeKernel(request);
  if (!kernel.ok()) {
    return Annotate(kernel.status(),
                    Cat(node.loc, ": ", node.op->name(), ": "));
  }
  step.kernel = *std::move(kernel);
  steps_.push_back(std::move(step));
  return OkStatus();
}

std::size_t Executor::AddPointer(ValueId id, bool used) {
  const std::size_t position = pointers_.size();
  const Storage& storage = plan_->memory().storage[id];
  if (used && storage.kind == Storage::Kind::kInput) {
    uses_[storage.index].push_back({position, storage.offset});
  }
  pointers_.push_back(used ? Address(id) : nullptr);
  return position;
}

void* Executor::Address(ValueId id) const {
  const Storage& storage = plan_->memory().storage[id];
  switch (storage.kind) {
    case Storage::Kind::kArena:
      return arena_.get() + storage.offset;
    case Storage::Kind::kConstant:
      // Constants are never outputs, so nothing writes through this.
      return const_cast<std::byte*>(
          plan_->graph().values[storage.index].constant->raw());
    case Storage::Kind::kInput: {
      auto* base = static_cast<std::byte*>(bound_[storage.index]);
      return base == nullptr ? nullptr : base + storage.offset;
    }
    case Storage::Kind::kNone:
      break;
  }
  return nullptr;
}

void Executor::Bind(int index, void* data) {
  if (bound_[index] == data) return;
  bound_[index] = data;
  for (const Use& use : uses_[index]) {
    pointers_[use.position] = static_cast<std::byte*>(data) + use.offset;
  }
}

Status Executor::Run(const StepContext& context) {
  return RunSteps(context, nullptr);
}

Status Executor::RunObserved(const StepContext& context,
                             StepObserver& observer) {
  return RunSteps(context, &observer);
}

Status Executor::RunSteps(const StepContext& context, StepObserver* observer) {
  const StepContext here = OnMesh(context);
  for (const Step& step : steps_) {
    GYRE_RETURN_IF_ERROR(RunStep(step, here, observer));
  }
  return OkStatus();
}

Status Executor::RunStep(const Step& step,
                         const StepContext& context,
                         StepObserver* observer) {
  const KernelArgs args{pointers_.data() + step.in,
                        pointers_.data() + step.out,
                        scratch_.get(),
                        &context};
  GYRE_RETURN_IF_ERROR(step.kernel->Run(args));
  if (observer != nullptr) observer->After(*step.node, args);
  return OkStatus();
}

StepContext Executor::OnMesh(StepContext context) const {
  if (context.mesh == nullptr) context.mesh = plan_->mesh();
  return context;
}

std::vector<std::size_t> Executor::StepsFor(int i) const {
  const Graph& graph = plan_->graph();
  const std::vector<bool> needed =
      ValuesBehind(graph.nodes, graph.values.size(), graph.results[i]);
  std::vector<std::size_t> steps;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (MakesAnyOf(*steps_[k].node, needed)) steps.push_back(k);
  }
  return steps;
}

Status Executor::RunFor(int i, const StepContext& context) {
  const auto [steps, added] = for_result_.try_emplace(i);
  if (added) steps->second = StepsFor(i);
  const StepContext here = OnMesh(context);
  for (const std::size_t k : steps->second) {
    GYRE_RETURN_IF_ERROR(RunStep(steps_[k], here, nullptr));
  }
  return OkStatus();
}

Tensor Executor::ResultTensor(int i) const {
  const ValueId id = plan_->graph().results[i];
  const TensorSpec& spec = plan_->graph().values[id].spec;
  Tensor tensor(spec.dtype, spec.shape);
  std::memcpy(tensor.raw(), Address(id), tensor.bytes());
  return tensor;
}

}  // namespace gyre::internal::inline autodiff
