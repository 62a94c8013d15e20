#include "autodiff/exec/dnnl_support.h"

#include <omp.h>

namespace gyre {

Status DnnlCall(std::string_view what, const std::function<void()>& body) {
  try {
    body();
    return OkStatus();
  } catch (const dnnl::error& error) {
    return InternalError(what, ": oneDNN: ", error.what());
  }
}

StatusOr<dnnl::memory::data_type> DnnlType(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return dnnl::memory::data_type::f32;
    case DType::kBF16:
      return dnnl::memory::data_type::bf16;
    case DType::kF16:
      return dnnl::memory::data_type::f16;
    default:
      return ConfigError("no fast kernel for ", dtype);
  }
}

void SingleThreaded() { omp_set_num_threads(1); }

}  // namespace gyre
