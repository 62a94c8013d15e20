#include "gyre/autodiff/exec/jit_kernel.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {
namespace {

// A vector of any operand.
constexpr std::size_t kBufferBytes = JitCode::kLanes * sizeof(float);
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::unique_ptr<const JitKernel> JitKernel::Prepare(
    const TileProgram& program) {
  if (program.instructions.empty() || !program.Validate().ok()) return nullptr;
  if (program.extents.elements() == 0) return nullptr;
  std::vector<Input> inputs;
  std::int64_t run = kNoLimit;
  for (const TileInput& input : program.inputs) {
    const TileLayout layout(program.extents, input.strides);
    const int last = layout.rank() - 1;
    const std::int64_t stride = layout.stride(last);
    if (stride != 0 && stride != 1) return nullptr;
    inputs.push_back({layout,
                      static_cast<std::int64_t>(SizeOf(input.dtype)),
                      stride == 0,
                      layout.dense(),
                      layout.uniform()});
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

JitKernel::JitKernel(const TileProgram& program,
                     std::vector<Input> inputs,
                     std::int64_t run)
    : elements_(program.extents.elements()),
      run_(run),
      inputs_(std::move(inputs)) {
  for (const TileOutput& output : program.outputs) {
    output_bytes_.push_back(static_cast<std::int64_t>(SizeOf(output.dtype)));
  }
  std::vector<char> scalar;
  for (const Input& input : inputs_) scalar.push_back(input.scalar);
  code_ = CompileJit(program, scalar);
  const std::size_t operands = inputs_.size() + output_bytes_.size();
  buffers_at_ = AlignUp(2 * operands * sizeof(void*));
  scratch_bytes_ = buffers_at_ + AlignUp(operands * kBufferBytes);
}

JitKernel::Call JitKernel::CallIn(std::byte* scratch) const {
  Call call;
  call.in = reinterpret_cast<const std::byte**>(scratch);
  call.tail_in = call.in + inputs_.size();
  call.out = reinterpret_cast<std::byte**>(scratch) + 2 * inputs_.size();
  call.tail_out = call.out + output_bytes_.size();
  call.buffers = scratch + buffers_at_;
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
      call.in[i] = static_cast<const std::byte*>(in[i]) + offset * input.bytes;
    }
    for (std::size_t k = 0; k < output_bytes_.size(); ++k) {
      call.out[k] = static_cast<std::byte*>(out[k]) +
                    (out_begin + done) * output_bytes_[k];
    }
    RunOnce(call, count);
    done += count;
  }
}

void JitKernel::RunOnce(const Call& call, std::int64_t n) const {
  constexpr std::int64_t kLanes = JitCode::kLanes;
  const auto run =
      [&](const std::byte** in, std::byte** out, std::int64_t vectors) {
        code_->function()(reinterpret_cast<const void* const*>(in),
                          reinterpret_cast<void* const*>(out),
                          vectors);
      };
  if (n >= kLanes) run(call.in, call.out, n / kLanes);
  const std::int64_t rest = n % kLanes;
  if (rest == 0) return;
  const std::int64_t whole = n - rest;
  std::byte* buffer = call.buffers;
  for (std::size_t i = 0; i < inputs_.size(); ++i, buffer += kBufferBytes) {
    const Input& input = inputs_[i];
    call.tail_in[i] = call.in[i];
    if (input.scalar) continue;
    std::memset(buffer, 0, kBufferBytes);
    std::memcpy(buffer, call.in[i] + whole * input.bytes, rest * input.bytes);
    call.tail_in[i] = buffer;
  }
  for (std::size_t k = 0; k < output_bytes_.size(); ++k) {
    call.tail_out[k] = buffer + k * kBufferBytes;
  }
  run(call.tail_in, call.tail_out, 1);
  for (std::size_t k = 0; k < output_bytes_.size(); ++k) {
    std::memcpy(call.out[k] + whole * output_bytes_[k],
                call.tail_out[k],
                rest * output_bytes_[k]);
  }
}

}  // namespace gyre::internal::inline autodiff
