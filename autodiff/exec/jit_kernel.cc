#include "autodiff/exec/jit_kernel.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/aligned.h"

namespace gyre {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::unique_ptr<const JitKernel> JitKernel::Prepare(
    const TileProgram& program) {
  if (program.instructions.empty() || !program.Validate().ok()) return nullptr;
  std::vector<Input> inputs;
  std::int64_t run = kNoLimit;
  for (const TileInput& input : program.inputs) {
    const TileLayout layout(program.extents, input.strides);
    const int last = layout.rank() - 1;
    const std::int64_t stride = layout.stride(last);
    if (stride != 0 && stride != 1) return nullptr;
    inputs.push_back({layout, stride == 0, layout.dense(), layout.uniform()});
    if (!layout.dense() && !layout.uniform()) {
      run = std::min(run, layout.extent(last));
    }
  }
  // A shorter run of one input must end where those of the others do.
  for (const Input& input : inputs) {
    const std::int64_t extent = input.layout.extent(input.layout.rank() - 1);
    if (!input.dense && !input.uniform && extent % run != 0) return nullptr;
  }
  if (run < kMinRun) return nullptr;
  std::unique_ptr<JitKernel> kernel(
      new JitKernel(program, std::move(inputs), run));
  if (kernel->code_ == nullptr) return nullptr;
  return kernel;
}

JitKernel::JitKernel(const TileProgram& program, std::vector<Input> inputs,
                     std::int64_t run)
    : elements_(program.extents.elements()),
      run_(run),
      inputs_(std::move(inputs)),
      outputs_(program.outputs.size()) {
  std::vector<char> scalar;
  for (const Input& input : inputs_) scalar.push_back(input.scalar);
  code_ = CompileJit(program, scalar);
  const std::size_t operands = inputs_.size() + outputs_;
  buffers_at_ = AlignUp(2 * operands * sizeof(void*));
  scratch_bytes_ =
      buffers_at_ + AlignUp(operands * JitCode::kLanes * sizeof(float));
}

JitKernel::Call JitKernel::CallIn(std::byte* scratch) const {
  Call call;
  call.in = reinterpret_cast<const float**>(scratch);
  call.tail_in = call.in + inputs_.size();
  call.out = reinterpret_cast<float**>(scratch) + 2 * inputs_.size();
  call.tail_out = call.out + outputs_;
  call.buffers = reinterpret_cast<float*>(scratch + buffers_at_);
  return call;
}

void JitKernel::RunRange(const void* const* in,
                         void* const* out,
                         std::int64_t begin,
                         std::int64_t n,
                         std::int64_t out_begin,
                         std::byte* scratch) const {
  const Call call = CallIn(scratch);
  for (std::int64_t done = 0; done < n;) {
    const std::int64_t at = begin + done;
    std::int64_t count = n - done;
    if (run_ != kNoLimit) count = std::min(count, run_ - at % run_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      std::int64_t offset = 0;
      if (input.dense) {
        offset = at;
      } else if (!input.uniform) {
        offset = TileLayout::Cursor(input.layout, at).offset();
      }
      call.in[i] = static_cast<const float*>(in[i]) + offset;
    }
    for (std::size_t k = 0; k < outputs_; ++k) {
      call.out[k] = static_cast<float*>(out[k]) + out_begin + done;
    }
    RunOnce(call, count);
    done += count;
  }
}

void JitKernel::RunOnce(const Call& call, std::int64_t n) const {
  constexpr std::int64_t kLanes = JitCode::kLanes;
  const auto run = [&](const float** in, float** out, std::int64_t vectors) {
    code_->function()(reinterpret_cast<const void* const*>(in),
                      reinterpret_cast<void* const*>(out), vectors);
  };
  if (n >= kLanes) run(call.in, call.out, n / kLanes);
  const std::int64_t rest = n % kLanes;
  if (rest == 0) return;
  const std::int64_t whole = n - rest;
  float* buffer = call.buffers;
  for (std::size_t i = 0; i < inputs_.size(); ++i, buffer += kLanes) {
    call.tail_in[i] = call.in[i];
    if (inputs_[i].scalar) continue;
    std::memcpy(buffer, call.in[i] + whole, rest * sizeof(float));
    std::fill(buffer + rest, buffer + kLanes, 0.0f);
    call.tail_in[i] = buffer;
  }
  for (std::size_t k = 0; k < outputs_; ++k) {
    call.tail_out[k] = buffer + k * kLanes;
  }
  run(call.tail_in, call.tail_out, 1);
  for (std::size_t k = 0; k < outputs_; ++k) {
    std::memcpy(call.out[k] + whole, call.tail_out[k], rest * sizeof(float));
  }
}

}  // namespace gyre
