#include "gyre/autodiff/exec/dnnl_conv.h"

#include <array>
#include <unordered_map>

#include "gyre/autodiff/exec/dnnl_support.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {
namespace {

using dnnl::memory;
using Dims = memory::dims;
using Tag = memory::format_tag;

// One operand: our dense layout, the primitive's, and the reorder between.
class Operand {
 public:
  void Init(const dnnl::engine& engine,
            const memory::desc& ours,
            const memory::desc& wanted,
            bool is_output) {
    user_ = memory(ours, engine, nullptr);
    inner_ = memory(wanted, engine, nullptr);
    direct_ = ours == wanted;
    if (direct_) return;
    reorder_ =
        is_output ? dnnl::reorder(inner_, user_) : dnnl::reorder(user_, inner_);
  }
  std::size_t bytes() const {
    return direct_ ? 0 : AlignUp(inner_.get_desc().get_size());
  }
  void Bind(void* data, std::byte* scratch) {
    user_.set_data_handle(data);
    inner_.set_data_handle(direct_ ? data : scratch);
  }
  void ReorderIn(dnnl::stream& stream) {
    if (!direct_) reorder_.execute(stream, user_, inner_);
  }
  void ReorderOut(dnnl::stream& stream) {
    if (!direct_) reorder_.execute(stream, inner_, user_);
  }
  const memory& inner() const { return inner_; }

 private:
  memory user_;
  memory inner_;
  dnnl::reorder reorder_;
  bool direct_ = true;
};

// The descriptors of a convolution in our layout and in "any".
struct Descriptors {
  memory::desc x, weight, y;
  memory::desc any_x, any_weight, any_y;
  Dims stride, dilation, padding;

  Descriptors(const ConvShape& s, memory::data_type type) {
    const ConvOptions& o = s.options;
    Dims w = s.weight.dims();
    if (o.groups > 1) {
      w = {o.groups, w[0] / o.groups, w[1], w[2], w[3]};
    }
    x = memory::desc(s.x.dims(), type, Tag::nchw);
    y = memory::desc(s.y.dims(), type, Tag::nchw);
    weight = memory::desc(w, type, o.groups > 1 ? Tag::goihw : Tag::oihw);
    any_x = memory::desc(s.x.dims(), type, Tag::any);
    any_y = memory::desc(s.y.dims(), type, Tag::any);
    any_weight = memory::desc(w, type, Tag::any);
    stride = {o.stride[0], o.stride[1]};
    dilation = {o.dilation[0] - 1, o.dilation[1] - 1};
    padding = {o.padding[0], o.padding[1]};
  }

  dnnl::convolution_forward::primitive_desc Forward(
      const dnnl::engine& engine, dnnl::prop_kind kind) const {
    return {{kind,
             dnnl::algorithm::convolution_direct,
             any_x,
             any_weight,
             any_y,
             stride,
             dilation,
             padding,
             padding},
            engine};
  }
  dnnl::convolution_backward_data::primitive_desc InputGrad(
      const dnnl::engine& engine) const {
    return {{dnnl::algorithm::convolution_direct,
             any_x,
             any_weight,
             any_y,
             stride,
             dilation,
             padding,
             padding},
            engine,
            Forward(engine, dnnl::prop_kind::forward_training)};
  }
  dnnl::convolution_backward_weights::primitive_desc WeightGrad(
      const dnnl::engine& engine) const {
    return {{dnnl::algorithm::convolution_direct,
             any_x,
             any_weight,
             any_y,
             stride,
             dilation,
             padding,
             padding},
            engine,
            Forward(engine, dnnl::prop_kind::forward_training)};
  }
};

class ConvKernel final : public Kernel {
 public:
  Status Prepare(ConvPart part, const ConvShape& shape, DType dtype) {
    GYRE_ASSIGN_OR_RETURN(const memory::data_type type, DnnlType(dtype));
    return DnnlCall("conv2d", [&] { Build(part, Descriptors(shape, type)); });
  }

  std::size_t scratch_bytes() const override {
    std::size_t total = 0;
    for (const Operand& operand : operands_) total += operand.bytes();
    return total;
  }

  Status Run(const KernelArgs& args) override {
    void* const data[] = {args.in[0], args.in[1], args.out[0]};
    std::byte* scratch = args.scratch;
    for (int i = 0; i < 3; ++i) {
      operands_[i].Bind(data[i], scratch);
      scratch += operands_[i].bytes();
    }
    return DnnlCall("conv2d", [&] {
      operands_[0].ReorderIn(runtime_.stream);
      operands_[1].ReorderIn(runtime_.stream);
      primitive_.execute(runtime_.stream, arguments_);
      operands_[2].ReorderOut(runtime_.stream);
    });
  }

 private:
  void Build(ConvPart part, const Descriptors& d) {
    const dnnl::engine& engine = runtime_.engine;
    switch (part) {
      case ConvPart::kForward: {
        const auto pd = d.Forward(engine, dnnl::prop_kind::forward_training);
        primitive_ = dnnl::convolution_forward(pd);
        Set(0, d.x, pd.src_desc(), DNNL_ARG_SRC);
        Set(1, d.weight, pd.weights_desc(), DNNL_ARG_WEIGHTS);
        Set(2, d.y, pd.dst_desc(), DNNL_ARG_DST);
        break;
      }
      case ConvPart::kInputGrad: {
        const auto pd = d.InputGrad(engine);
        primitive_ = dnnl::convolution_backward_data(pd);
        Set(0, d.y, pd.diff_dst_desc(), DNNL_ARG_DIFF_DST);
        Set(1, d.weight, pd.weights_desc(), DNNL_ARG_WEIGHTS);
        Set(2, d.x, pd.diff_src_desc(), DNNL_ARG_DIFF_SRC);
        break;
      }
      case ConvPart::kWeightGrad: {
        const auto pd = d.WeightGrad(engine);
        primitive_ = dnnl::convolution_backward_weights(pd);
        Set(0, d.x, pd.src_desc(), DNNL_ARG_SRC);
        Set(1, d.y, pd.diff_dst_desc(), DNNL_ARG_DIFF_DST);
        Set(2, d.weight, pd.diff_weights_desc(), DNNL_ARG_DIFF_WEIGHTS);
        break;
      }
    }
  }

  void Set(int i,
           const memory::desc& ours,
           const memory::desc& wanted,
           int argument) {
    operands_[i].Init(runtime_.engine, ours, wanted, i == 2);
    arguments_[argument] = operands_[i].inner();
  }

  DnnlRuntime runtime_;
  dnnl::primitive primitive_;
  std::array<Operand, 3> operands_;
  std::unordered_map<int, memory> arguments_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDnnlConv(ConvPart part,
                                               const ConvShape& shape,
                                               DType dtype) {
  auto kernel = std::make_unique<ConvKernel>();
  GYRE_RETURN_IF_ERROR(kernel->Prepare(part, shape, dtype));
  return kernel;
}

}  // namespace gyre::internal::inline autodiff
