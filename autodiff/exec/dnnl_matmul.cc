#include "gyre/autodiff/exec/dnnl_matmul.h"

#include <unordered_map>

#include "gyre/autodiff/exec/dnnl_support.h"
#include "gyre/autodiff/exec/kernel.h"

namespace gyre::internal::inline autodiff {
namespace {

using dnnl::memory;

// One f32 product of two matrices is a plain GEMM call: no descriptors, no
// look-ups, which is what counts for small layers.
class GemmKernel final : public Kernel {
 public:
  explicit GemmKernel(const MatmulShape& shape) : s_(shape) {}

  Status Run(const KernelArgs& args) override {
    for (std::int64_t i = 0; i < s_.batch; ++i) {
      const float* a = args.input<float>(0) + i * s_.m * s_.k;
      const float* b =
          args.input<float>(1) + (s_.shared_b ? 0 : i * s_.k * s_.n);
      float* y = args.output<float>(0) + i * s_.m * s_.n;
      const dnnl_status_t status = dnnl_sgemm(s_.transpose_a ? 'T' : 'N',
                                              s_.transpose_b ? 'T' : 'N',
                                              s_.m,
                                              s_.n,
                                              s_.k,
                                              1.0f,
                                              a,
                                              s_.transpose_a ? s_.m : s_.k,
                                              b,
                                              s_.transpose_b ? s_.k : s_.n,
                                              0.0f,
                                              y,
                                              s_.n);
      if (status != dnnl_success) {
        return InternalError("oneDNN sgemm failed with code ",
                             static_cast<int>(status));
      }
    }
    return OkStatus();
  }

 private:
  MatmulShape s_;
};

// Other types, through a matmul primitive.
class MatmulKernel final : public Kernel {
 public:
  Status Prepare(const MatmulShape& s) {
    GYRE_ASSIGN_OR_RETURN(const memory::data_type type, DnnlType(s.dtype));
    return DnnlCall("matmul", [&] {
      const memory::desc a({s.batch, s.m, s.k},
                           type,
                           s.transpose_a ? memory::dims{s.m * s.k, 1, s.m}
                                         : memory::dims{s.m * s.k, s.k, 1});
      const memory::desc b({s.shared_b ? 1 : s.batch, s.k, s.n},
                           type,
                           s.transpose_b ? memory::dims{s.k * s.n, 1, s.k}
                                         : memory::dims{s.k * s.n, s.n, 1});
      const memory::desc y(
          {s.batch, s.m, s.n}, type, memory::dims{s.m * s.n, s.n, 1});
      primitive_ = dnnl::matmul(dnnl::matmul::primitive_desc(
          dnnl::matmul::desc(a, b, y), runtime_.engine));
      a_ = memory(a, runtime_.engine, nullptr);
      b_ = memory(b, runtime_.engine, nullptr);
      y_ = memory(y, runtime_.engine, nullptr);
      operands_ = {
          {DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, y_}};
    });
  }

  Status Run(const KernelArgs& args) override {
    a_.set_data_handle(args.in[0]);
    b_.set_data_handle(args.in[1]);
    y_.set_data_handle(args.out[0]);
    return DnnlCall("matmul",
                    [&] { primitive_.execute(runtime_.stream, operands_); });
  }

 private:
  DnnlRuntime runtime_;
  dnnl::matmul primitive_;
  memory a_, b_, y_;
  std::unordered_map<int, memory> operands_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDnnlMatmul(const MatmulShape& shape) {
  if (shape.dtype == DType::kF32) return std::make_unique<GemmKernel>(shape);
  auto kernel = std::make_unique<MatmulKernel>();
  GYRE_RETURN_IF_ERROR(kernel->Prepare(shape));
  return kernel;
}

}  // namespace gyre::internal::inline autodiff
