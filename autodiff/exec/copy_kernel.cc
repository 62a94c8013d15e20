#include "gyre/autodiff/exec/copy_kernel.h"

#include <cstring>

#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

class CopyKernel final : public Kernel {
 public:
  explicit CopyKernel(std::size_t bytes) : bytes_(bytes) {}

  Status Run(const KernelArgs& args) override {
    if (bytes_ > 0 && args.in[0] != args.out[0]) {
      std::memcpy(args.out[0], args.in[0], bytes_);
    }
    return OkStatus();
  }

 private:
  std::size_t bytes_;
};

}  // namespace

std::unique_ptr<Kernel> MakeCopyKernel(const KernelRequest& request) {
  const KernelTensor& out = request.outputs[0];
  return std::make_unique<CopyKernel>(out.shape.elements() * SizeOf(out.dtype));
}

}  // namespace gyre::internal::inline autodiff
