#include "gyre/autodiff/exec/widen.h"

#include <algorithm>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/tile_convert.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {
namespace {

bool IsShort(DType dtype) {
  return dtype == DType::kBF16 || dtype == DType::kF16;
}

// One operand that is converted, and where its f32 copy lies.
struct Copy {
  std::size_t index;  // among the inputs, or the outputs
  std::size_t offset;
  std::size_t count;
  DType dtype;
};

class WidenedKernel final : public Kernel {
 public:
  WidenedKernel(const KernelRequest& request, std::unique_ptr<Kernel> inner)
      : inner_(std::move(inner)),
        in_(request.inputs.size()),
        out_(request.outputs.size()) {
    Plan(request.inputs, in_copies_);
    Plan(request.outputs, out_copies_);
  }

  std::size_t scratch_bytes() const override {
    return bytes_ + inner_->scratch_bytes();
  }

  Status Run(const KernelArgs& args) override {
    std::copy_n(args.in, in_.size(), in_.begin());
    std::copy_n(args.out, out_.size(), out_.begin());
    for (const Copy& copy : in_copies_) {
      std::byte* to = args.scratch + copy.offset;
      FindTileLoad(copy.dtype, DType::kF32)(
          args.input<std::byte>(copy.index), 1, to, copy.count);
      in_[copy.index] = to;
    }
    for (const Copy& copy : out_copies_) {
      if (out_[copy.index] != nullptr) {
        out_[copy.index] = args.scratch + copy.offset;
      }
    }
    GYRE_RETURN_IF_ERROR(inner_->Run(
        {in_.data(), out_.data(), args.scratch + bytes_, args.context}));
    for (const Copy& copy : out_copies_) {
      if (args.out[copy.index] == nullptr) continue;
      FindTileStore(copy.dtype, DType::kF32)(args.scratch + copy.offset,
                                             args.output<std::byte>(copy.index),
                                             copy.count);
    }
    return OkStatus();
  }

 private:
  void Plan(const std::vector<KernelTensor>& operands,
            std::vector<Copy>& copies) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!IsShort(operands[i].dtype)) continue;
      const std::size_t count = operands[i].shape.elements();
      copies.push_back({i, bytes_, count, operands[i].dtype});
      bytes_ += AlignUp(count * sizeof(float));
    }
  }

  std::unique_ptr<Kernel> inner_;
  std::vector<void*> in_, out_;  // operands of the inner kernel
  std::vector<Copy> in_copies_, out_copies_;
  std::size_t bytes_ = 0;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeWidened(const KernelRequest& request,
                                              const KernelMaker& make) {
  KernelRequest wide = request;
  bool any = false;
  for (auto* operands : {&wide.inputs, &wide.outputs}) {
    for (KernelTensor& operand : *operands) {
      if (!IsShort(operand.dtype)) continue;
      operand.dtype = DType::kF32;
      any = true;
    }
  }
  GYRE_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> inner, make(wide));
  if (!any) return inner;
  return std::make_unique<WidenedKernel>(request, std::move(inner));
}

}  // namespace gyre::internal::inline autodiff
