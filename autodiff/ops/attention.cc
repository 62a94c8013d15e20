#include "gyre/autodiff/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "gyre/autodiff/exec/attention_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/exec/reference_attention.h"
#include "gyre/autodiff/exec/widen.h"
#include "gyre/autodiff/ops/attention_op.h"
#include "gyre/autodiff/ops/composed.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/norm_layers.h"
#include "gyre/autodiff/ops/softmax.h"
#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/vjp.h"

namespace gyre {

using namespace internal;

namespace {

std::vector<KernelTensor> Operands(std::span<const TensorSpec> specs) {
  std::vector<KernelTensor> operands;
  for (const TensorSpec& spec : specs) {
    operands.push_back({spec.shape, spec.dtype});
  }
  return operands;
}

// The forward operands among those of the gradient.
template <class T>
std::vector<T> ForwardOperands(std::span<const T> of_gradient) {
  std::vector<T> operands(of_gradient.begin(), of_gradient.begin() + 3);
  operands.insert(operands.end(), of_gradient.begin() + 6, of_gradient.end());
  return operands;
}

// True where query i may see key j.
Tensor CausalMask(std::int64_t queries, std::int64_t keys) {
  Tensor mask(DType::kBool, {queries, keys});
  auto data = mask.data<bool>();
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = 0; j < keys; ++j) {
      data[i * keys + j] = j <= i + keys - queries;
    }
  }
  return mask;
}

}  // namespace

Var attention(Traced q, Traced k, Traced v, const AttentionOptions& options) {
  if (const auto bad = Unusable("attention", {q, k, v})) return *bad;
  const Tape::Call call(q);
  std::vector<Var> inputs = {q.var(), k.var(), v.var()};
  AttentionOptionsKey key;
  const Shape& shape = inputs[0].shape();
  const std::int64_t d = shape.rank() > 0 ? shape[shape.rank() - 1] : 1;
  key.scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(d)));
  key.causal = options.causal;
  key.has_mask = options.mask.given();
  key.has_bias = options.bias.given();
  if (options.qk_norm) {
    const NormOptions norm{.eps = options.qk_norm_eps};
    inputs[0] = rms_norm(q, norm);
    inputs[1] = rms_norm(k, norm);
  }
  if (key.has_mask) inputs.push_back(options.mask);
  if (key.has_bias) inputs.push_back(options.bias);
  return q.var().tape()->Record(
      std::make_shared<AttentionOp>(key), inputs, q.loc())[0];
}

Var composed_attention(
    Var q, Var k, Var v, Var mask, Var bias, bool causal, double scale) {
  Var scores = matmul(q, k, false, true) * scale;
  if (bias.valid()) scores = scores + bias;
  Tape& tape = *q.tape();
  if (causal) {
    const Var seen = tape.Constant(CausalMask(q.shape()[2], k.shape()[2]));
    mask = mask.valid() ? logical_and(mask, seen) : seen;
  }
  if (mask.valid()) scores = select(mask, scores, -HUGE_VAL);
  return matmul(softmax(scores), v);
}

StatusOr<std::vector<TensorSpec>> AttentionOp::Infer(
    std::span<const TensorSpec> inputs) const {
  GYRE_ASSIGN_OR_RETURN(const AttentionShape s,
                        AttentionShape::Make(Operands(inputs), key_));
  const DType dtype = inputs[0].dtype;
  const DType wide = dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  return std::vector<TensorSpec>{{{s.batch, s.heads, s.queries, s.e}, dtype, 0},
                                 {{s.batch, s.heads, s.queries}, wide, 0}};
}

std::vector<Var> AttentionOp::Vjp(const VjpArgs& args) const {
  std::vector<Var> operands(args.inputs.begin(), args.inputs.begin() + 3);
  operands.push_back(args.outputs[0]);
  operands.push_back(args.outputs[1]);
  operands.push_back(args.grads[0]);
  operands.insert(operands.end(), args.inputs.begin() + 3, args.inputs.end());
  std::vector<Var> found = operands[0].tape()->Record(
      std::make_shared<AttentionGradOp>(key_), operands, {});
  std::vector<Var> grads(args.inputs.size());
  if (!found[0].valid()) return grads;
  std::copy_n(found.begin(), 3, grads.begin());
  if (key_.has_bias) grads.back() = found[3];
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> AttentionOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeWidened(
      request,
      [&](const KernelRequest& wide) -> StatusOr<std::unique_ptr<Kernel>> {
        GYRE_ASSIGN_OR_RETURN(const AttentionShape shape,
                              AttentionShape::Make(wide.inputs, key_));
        const DType dtype = wide.inputs[0].dtype;
        if (wide.set == KernelSet::kReference || dtype == DType::kF64) {
          return MakeReferenceAttention(shape, dtype);
        }
        return MakeTiledAttention(shape);
      });
}

StatusOr<std::vector<TensorSpec>> AttentionGradOp::Infer(
    std::span<const TensorSpec> inputs) const {
  std::vector<TensorSpec> outputs;
  for (int i = 0; i < 3; ++i) {
    outputs.push_back({inputs[i].shape, inputs[i].dtype, 0});
  }
  if (key_.has_bias) {
    outputs.push_back({inputs.back().shape, inputs.back().dtype, 0});
  }
  return outputs;
}

// From the formula: y and the log-sums follow from q, k and v there.
std::vector<Var> AttentionGradOp::Vjp(const VjpArgs& args) const {
  std::vector<Var> grads = ComposedVjp(args, [&](std::span<const Var> in) {
    const std::vector<Var> of = ForwardOperands(in);
    const Var mask = key_.has_mask ? of[3] : Var();
    const Var bias = key_.has_bias ? of.back() : Var();
    const Var y = composed_attention(
        of[0], of[1], of[2], mask, bias, key_.causal, key_.scale);
    std::vector<Var> wrt(of.begin(), of.begin() + 3);
    if (key_.has_bias) wrt.push_back(bias);
    const Var outputs[] = {y};
    const Var seeds[] = {in[5]};
    return gyre::Vjp(outputs, seeds, wrt);
  });
  grads[3] = grads[4] = Var();
  return grads;
}

StatusOr<std::unique_ptr<Kernel>> AttentionGradOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeWidened(
      request,
      [&](const KernelRequest& wide) -> StatusOr<std::unique_ptr<Kernel>> {
        const std::span<const KernelTensor> inputs = wide.inputs;
        GYRE_ASSIGN_OR_RETURN(
            const AttentionShape shape,
            AttentionShape::Make(ForwardOperands(inputs), key_));
        const DType dtype = wide.inputs[0].dtype;
        if (wide.set == KernelSet::kReference || dtype == DType::kF64) {
          return MakeReferenceAttentionGrad(shape, dtype);
        }
        return MakeTiledAttentionGrad(shape);
      });
}

}  // namespace gyre
