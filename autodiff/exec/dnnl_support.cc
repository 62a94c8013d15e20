#include "gyre/autodiff/exec/dnnl_support.h"

// oneDNN brings its OpenMP runtime along. Looked up at load time instead of
// linked: a second runtime (clang has its own) would be another pool of
// threads, and would not be the one that oneDNN asks.
extern "C" __attribute__((weak)) void omp_set_num_threads(int);

namespace gyre::internal::inline autodiff {

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

void SingleThreaded() {
  if (omp_set_num_threads != nullptr) omp_set_num_threads(1);
}

}  // namespace gyre::internal::inline autodiff
