#include "gyre/train/faults/inject.h"

#include <cstring>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline train {
namespace {

template <class T>  // float or double
class ActivationKernel final : public Kernel {
 public:
  ActivationKernel(std::shared_ptr<StepFaults> faults, std::int64_t size)
      : faults_(std::move(faults)), size_(size) {}

  Status Run(const KernelArgs& args) override {
    T* out = args.output<T>(0);
    std::memcpy(out, args.in[0], size_ * sizeof(T));
    for (const FaultHit& hit : faults_->hits) {
      if (hit.place != FaultPlace::kActivation || size_ == 0) continue;
      if (hit.rank != faults_->rank) continue;
      out[hit.Element(size_)] = NumberOf(hit.value);
      ++faults_->injected;
    }
    return OkStatus();
  }

 private:
  std::shared_ptr<StepFaults> faults_;
  std::int64_t size_;
};

// The identity, but for the faults.
class ActivationFaultOp final : public Op {
 public:
  explicit ActivationFaultOp(std::shared_ptr<StepFaults> faults)
      : faults_(std::move(faults)) {}
  std::string_view name() const override { return "inject"; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const override {
    return OneOutput(inputs[0].shape, inputs[0].dtype);
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    return {args.grads[0]};
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    const std::int64_t size = request.inputs[0].shape.elements();
    if (request.inputs[0].dtype == DType::kF64) {
      return std::make_unique<ActivationKernel<double>>(faults_, size);
    }
    return std::make_unique<ActivationKernel<float>>(faults_, size);
  }

 private:
  std::shared_ptr<StepFaults> faults_;
};

}  // namespace

void StepFaults::Begin(std::int64_t step, int ranks) {
  injected = 0;
  hits.clear();
  if (!plan.empty()) hits = plan.Hits(step, ranks);
}

SampleBatch WithDataFaults(const SampleBatch& batch, StepFaults& faults) {
  SampleBatch spoiled = batch;
  for (const FaultHit& hit : faults.hits) {
    if (hit.place != FaultPlace::kData || hit.rank != faults.rank) continue;
    std::vector<Tensor*> floats;
    for (auto& [name, tensor] : spoiled.tensors) {
      if (tensor.dtype() != DType::kF32 || tensor.elements() == 0) continue;
      if (hit.tensor.empty() || hit.tensor == name) floats.push_back(&tensor);
    }
    if (floats.empty()) continue;
    Tensor& tensor =
        *floats[hit.Tensor(static_cast<std::int64_t>(floats.size()))];
    tensor = tensor.Clone();
    tensor.data<float>()[hit.Element(tensor.elements())] = NumberOf(hit.value);
    ++faults.injected;
  }
  return spoiled;
}

Var WithActivationFaults(Var prediction,
                         const std::shared_ptr<StepFaults>& faults) {
  if (!prediction.valid() ||
      (prediction.dtype() != DType::kF32 &&
       prediction.dtype() != DType::kF64) ||
      !faults->plan.MayHit(FaultPlace::kActivation)) {
    return prediction;
  }
  return prediction.tape()->RecordOne(
      std::make_shared<ActivationFaultOp>(faults), {&prediction, 1}, {});
}

void WriteGradientFaults(const optim::FlatLayout& layout,
                         StepFaults& faults,
                         float* grads,
                         int begin,
                         int end) {
  for (const FaultHit& hit : faults.hits) {
    if (hit.place != FaultPlace::kGradient || hit.rank != faults.rank) continue;
    const int tensor = TensorOf(hit, layout);
    if (tensor < begin || tensor >= end) continue;
    WriteHit(hit, layout, grads);
    ++faults.injected;
  }
}

void WriteUpdateFaults(const optim::FlatLayout& layout,
                       StepFaults& faults,
                       float* grads) {
  for (const FaultHit& hit : faults.hits) {
    if (hit.place != FaultPlace::kUpdate) continue;
    WriteHit(hit, layout, grads);
    if (hit.rank == faults.rank) ++faults.injected;
  }
}

}  // namespace gyre::internal::inline train
