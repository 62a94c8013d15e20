#include "gyre/train/step/ready_op.h"

#include <memory>
#include <utility>
#include <vector>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline train {
namespace {

class ReadyKernel final : public Kernel {
 public:
  explicit ReadyKernel(int event) : event_(event) {}
  Status Run(const KernelArgs& args) override {
    return args.context->listener->Ready(event_, args);
  }

 private:
  const int event_;
};

class ReadyOp final : public Op {
 public:
  ReadyOp(std::string name, int event)
      : name_(std::move(name)), event_(event) {}

  std::string_view name() const override { return "ready"; }
  std::string attributes() const override { return name_; }
  StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec>) const override {
    return OneOutput(Shape(), DType::kU8);
  }
  std::vector<Var> Vjp(const VjpArgs& args) const override {
    return std::vector<Var>(args.inputs.size());
  }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest&) const override {
    return std::make_unique<ReadyKernel>(event_);
  }
  bool has_effect() const override { return true; }
  bool runs_early() const override { return true; }
  bool moves_data() const override { return true; }

 private:
  const std::string name_;
  const int event_;
};

}  // namespace

Var RecordReady(Tape& tape,
                std::string name,
                int event,
                std::span<const Var> operands) {
  return tape.RecordOne(
      std::make_shared<ReadyOp>(std::move(name), event), operands, {});
}

}  // namespace gyre::internal::inline train
