// oneDNN, kept in one place: its engine, its stream, its exceptions.
//
// WARNING 1: oneDNN throws; every use goes through DnnlCall.
// WARNING 2: each rank computes on one thread; the process pins OpenMP to one
// thread per rank (SingleThreaded), or ranks would fight for cores.

#ifndef GYRE_AUTODIFF_EXEC_DNNL_SUPPORT_H_
#define GYRE_AUTODIFF_EXEC_DNNL_SUPPORT_H_

#include <functional>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>

#include "gyre/core/dtype.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline autodiff {

// The CPU engine and an in-order stream; one pair for each kernel, so that
// ranks that are threads of one process share nothing.
struct DnnlRuntime {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

// Runs `body` and turns an exception of oneDNN into a Status.
Status DnnlCall(std::string_view what, const std::function<void()>& body);

// The element type as oneDNN names it. Error: a type it has no kernels for.
StatusOr<dnnl::memory::data_type> DnnlType(DType dtype);

// Makes oneDNN run on the calling thread alone.
void SingleThreaded();

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_EXEC_DNNL_SUPPORT_H_
