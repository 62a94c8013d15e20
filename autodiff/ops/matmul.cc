#include "gyre/autodiff/ops/matmul.h"

#include <numeric>
#include <tuple>
#include <utility>

#include "gyre/autodiff/exec/dnnl_matmul.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reference_matmul.h"
#include "gyre/autodiff/exec/widen.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/matmul_op.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

// The last two axes of an operand as the product sees them.
std::pair<std::int64_t, std::int64_t> Extents(const Shape& shape,
                                              bool transposed) {
  const std::int64_t rows = shape[shape.rank() - 2];
  const std::int64_t columns = shape[shape.rank() - 1];
  if (transposed) return {columns, rows};
  return {rows, columns};
}

std::vector<std::int64_t> BatchDims(const Shape& shape) {
  return {shape.dims().begin(), shape.dims().end() - 2};
}

std::int64_t Product(const std::vector<std::int64_t>& dims) {
  return Shape(dims).elements();
}

Var SwapLastAxes(Var x) {
  std::vector<int> order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[x.rank() - 1], order[x.rank() - 2]);
  return transpose(x, std::move(order));
}

std::string_view Flag(bool value) { return value ? "1" : "0"; }

}  // namespace

Var matmul(Traced a, Traced b, bool transpose_a, bool transpose_b) {
  if (const auto bad = Unusable("matmul", {a, b})) return *bad;
  const Var inputs[] = {a.var(), b.var()};
  return inputs[0].tape()->RecordOne(
      std::make_shared<MatmulOp>(transpose_a, transpose_b), inputs, a.loc());
}

std::string MatmulOp::attributes() const {
  return Cat("ta=", Flag(transpose_a_), " tb=", Flag(transpose_b_));
}

StatusOr<std::vector<TensorSpec>> MatmulOp::Infer(
    std::span<const TensorSpec> inputs) const {
  const Shape& a = inputs[0].shape;
  const Shape& b = inputs[1].shape;
  if (inputs[0].dtype != inputs[1].dtype || !IsFloat(inputs[0].dtype)) {
    return ConfigError("expected two float tensors of one type, got ",
                       inputs[0].dtype,
                       " and ",
                       inputs[1].dtype,
                       "; use cast()");
  }
  if (a.rank() < 2 || b.rank() < 2) {
    return ConfigError("expected at least 2 axes each, got ", a, " and ", b);
  }
  const auto [m, ka] = Extents(a, transpose_a_);
  const auto [kb, n] = Extents(b, transpose_b_);
  const bool batch_fits = b.rank() == 2 || BatchDims(a) == BatchDims(b);
  if (ka != kb || !batch_fits) {
    return ConfigError(
        "shapes ",
        a,
        transpose_a_ ? "^T" : "",
        " and ",
        b,
        transpose_b_ ? "^T" : "",
        " do not multiply: ",
        batch_fits ? "the inner extents differ" : "the leading axes differ");
  }
  std::vector<std::int64_t> dims = BatchDims(a);
  dims.push_back(m);
  dims.push_back(n);
  return OneOutput(Shape(std::move(dims)), inputs[0].dtype);
}

std::vector<Var> MatmulOp::Vjp(const VjpArgs& args) const {
  const Var a = args.inputs[0];
  const Var b = args.inputs[1];
  const Var g = args.grads[0];
  std::vector<Var> grads(2);
  if (args.needed[0]) {
    // y = A B: dA = g B^T; and A = op(a).
    if (transpose_a_ && b.rank() == a.rank()) {
      grads[0] = matmul(b, g, transpose_b_, true);
    } else {
      grads[0] = matmul(g, b, false, !transpose_b_);
      if (transpose_a_) grads[0] = SwapLastAxes(grads[0]);
    }
  }
  if (args.needed[1]) {
    if (b.rank() == 2 && a.rank() > 2) {
      // One b for the whole batch: its gradient is one tall product.
      const auto tall = [](Var x) {
        return reshape(x, Shape({-1, x.shape()[x.rank() - 1]}));
      };
      if (transpose_a_) {
        const Var rows = tall(SwapLastAxes(a));
        grads[1] = transpose_b_ ? matmul(tall(g), rows, true, false)
                                : matmul(rows, tall(g), true, false);
      } else {
        grads[1] = transpose_b_ ? matmul(tall(g), tall(a), true, false)
                                : matmul(tall(a), tall(g), true, false);
      }
    } else {
      grads[1] = transpose_b_ ? matmul(g, a, true, transpose_a_)
                              : matmul(a, g, !transpose_a_, false);
    }
  }
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> MatmulOp::MakeKernel(
    const KernelRequest& request) const {
  const Shape& a = request.inputs[0].shape;
  const Shape& b = request.inputs[1].shape;
  MatmulShape shape;
  std::tie(shape.m, shape.k) = Extents(a, transpose_a_);
  shape.n = Extents(b, transpose_b_).second;
  shape.batch = Product(BatchDims(a));
  shape.transpose_a = transpose_a_;
  shape.transpose_b = transpose_b_;
  shape.shared_b = b.rank() == 2;
  shape.dtype = request.inputs[0].dtype;
  if (shape.shared_b && !transpose_a_) {
    // A batch of products with one b is one product of more rows.
    shape.m *= shape.batch;
    shape.batch = 1;
  }
  const bool plain = request.set == KernelSet::kReference ||
                     request.outputs[0].shape.elements() == 0 || shape.k == 0;
  if (!plain && shape.dtype == DType::kBF16) {
    // Only some processors multiply bf16; it sums in f32 there as well.
    auto native = MakeDnnlMatmul(shape);
    if (native.ok()) return native;
  }
  return MakeWidened(request, [&](const KernelRequest& wide) {
    shape.dtype = wide.inputs[0].dtype;
    return plain || shape.dtype == DType::kF64 ? MakeReferenceMatmul(shape)
                                               : MakeDnnlMatmul(shape);
  });
}

}  // namespace gyre
