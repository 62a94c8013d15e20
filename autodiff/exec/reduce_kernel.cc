#include "gyre/autodiff/exec/reduce_kernel.h"

#include <algorithm>
#include <array>
#include <utility>

#include "gyre/autodiff/exec/reduce_loops.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {
namespace {

// Calls f with the operation as a type.
template <class F>
auto WithOp(Reduction op, F f) {
  switch (op) {
    case Reduction::kSum:
      return f(internal::SumOf{});
    case Reduction::kProd:
      return f(internal::ProdOf{});
    case Reduction::kMax:
      return f(internal::MaxOf{});
    case Reduction::kMin:
      break;
  }
  return f(internal::MinOf{});
}

StatusOr<std::vector<bool>> Vanishing(const ReduceProgram& program) {
  const Shape& extents = program.producer.extents;
  std::vector<bool> vanishes(extents.rank());
  for (const int axis : program.axes) {
    if (axis < 0 || axis >= extents.rank() || vanishes[axis]) {
      return InternalError("reduction of ",
                           extents,
                           ": expected distinct axes in [0, ",
                           extents.rank(),
                           "), got axis ",
                           axis);
    }
    vanishes[axis] = true;
  }
  return vanishes;
}

}  // namespace

std::string_view Name(Reduction op) {
  constexpr std::array<std::string_view, 4> kNames = {
      "sum", "prod", "max", "min"};
  return kNames[static_cast<std::size_t>(op)];
}

StatusOr<ReduceKernel> ReduceKernel::Prepare(const ReduceProgram& program,
                                             bool jit) {
  if (program.producer.outputs.size() != 1) {
    return InternalError("reduction: expected a producer of one output, got ",
                         program.producer.outputs.size());
  }
  GYRE_ASSIGN_OR_RETURN(TileKernel producer,
                        TileKernel::Prepare(program.producer));
  GYRE_ASSIGN_OR_RETURN(const std::vector<bool> vanishes, Vanishing(program));

  const Shape& extents = program.producer.extents;
  std::vector<std::int64_t> kept, strides(extents.rank(), 0);
  std::int64_t stride = 1;
  for (int axis = extents.rank() - 1; axis >= 0; --axis) {
    if (vanishes[axis]) continue;
    kept.insert(kept.begin(), extents[axis]);
    strides[axis] = stride;
    stride *= extents[axis];
  }
  ReduceKernel kernel(
      program, std::move(producer), Shape(std::move(kept)), strides);
  if (jit) kernel.UseCode(JitKernel::Prepare(program.producer));
  return kernel;
}

void ReduceKernel::UseCode(std::shared_ptr<const JitKernel> code) {
  code_ = std::move(code);
  if (code_ != nullptr) Layout(code_->scratch_bytes());
}

void ReduceKernel::Layout(std::size_t producer_bytes) {
  tile_at_ = AlignUp(producer_bytes);
  results_at_ = tile_at_ + AlignUp(kTileElements * compute_bytes_);
  scratch_bytes_ = results_at_ + AlignUp(shape_.elements() * sizeof(double));
}

ReduceKernel::ReduceKernel(const ReduceProgram& program,
                           TileKernel producer,
                           Shape shape,
                           const std::vector<std::int64_t>& result_strides)
    : producer_(std::move(producer)),
      shape_(std::move(shape)),
      result_layout_(program.producer.extents, result_strides),
      store_(FindTileStore(program.result, DType::kF64)),
      compute_bytes_(SizeOf(program.producer.compute)) {
  identity_ = WithOp(program.op, [](auto op) { return op.kIdentity; });
  accumulate_ = WithOp(program.op, [&](auto op) -> Accumulate {
    using Op = decltype(op);
    return program.producer.compute == DType::kF64
               ? &internal::AccumulateRun<Op, double>
               : &internal::AccumulateRun<Op, float>;
  });
  Layout(producer_.scratch_bytes());
}

void ReduceKernel::Run(const void* const* in,
                       void* out,
                       std::byte* scratch) const {
  auto* results = reinterpret_cast<double*>(scratch + results_at_);
  std::fill_n(results, shape_.elements(), identity_);
  if (code_ != nullptr) {
    RunGenerated(in, results, scratch);
  } else {
    RunInterpreted(in, results, scratch);
  }
  store_(reinterpret_cast<const std::byte*>(results),
         static_cast<std::byte*>(out),
         shape_.elements());
}

void ReduceKernel::RunGenerated(const void* const* in,
                                double* results,
                                std::byte* scratch) const {
  std::byte* tile = scratch + tile_at_;
  void* const out[] = {tile};
  const std::int64_t end = code_->elements();
  for (std::int64_t begin = 0; begin < end; begin += kTileElements) {
    const std::int64_t n = std::min(kTileElements, end - begin);
    code_->RunRange(in, out, begin, n, 0, scratch);
    AddTile(tile, begin, n, results);
  }
}

void ReduceKernel::RunInterpreted(const void* const* in,
                                  double* results,
                                  std::byte* scratch) const {
  const std::int64_t end = producer_.elements();
  if (end > 0) producer_.Begin(in, scratch);
  for (std::int64_t begin = 0; begin < end; begin += kTileElements) {
    const std::int64_t n = std::min(kTileElements, end - begin);
    const TileOperand tile = producer_.Evaluate(in, begin, n, scratch);
    if (tile.step != 0) {
      AddTile(tile.data, begin, n, results);
      continue;
    }
    // One number for the tile: written out, so that its sum has the same
    // order, and the same bits, as that of any other tile.
    std::byte* copy = scratch + tile_at_;
    for (std::int64_t i = 0; i < n; ++i) {
      std::copy_n(tile.data, compute_bytes_, copy + i * compute_bytes_);
    }
    AddTile(copy, begin, n, results);
  }
}

void ReduceKernel::AddTile(const std::byte* tile,
                           std::int64_t begin,
                           std::int64_t n,
                           double* results) const {
  TileLayout::Cursor cursor(result_layout_, begin);
  const std::int64_t stride = result_layout_.stride(result_layout_.rank() - 1);
  for (std::int64_t done = 0; done < n;) {
    const std::int64_t run = std::min(cursor.run(), n - done);
    accumulate_(
        tile + done * compute_bytes_, run, stride, results + cursor.offset());
    done += run;
    cursor.NextRun();
  }
}

}  // namespace gyre::internal::inline autodiff
