#include "gyre/autodiff/plan/combine_sums.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/collective_op.h"
#include "gyre/autodiff/ops/pointwise_forms.h"
#include "gyre/core/aligned.h"

namespace gyre::internal::inline autodiff {
namespace {

// Larger sums are worth a message of their own, without the copies.
constexpr std::int64_t kMaxElements = 1024;

class CombinedKernel final : public Kernel {
 public:
  CombinedKernel(const KernelRequest& request, AxisSet axes)
      : dtype_(request.inputs[0].dtype), axes_(axes), loc_(request.loc) {
    for (const KernelTensor& input : request.inputs) {
      bytes_.push_back(input.shape.elements() * SizeOf(dtype_));
      total_ += bytes_.back();
    }
  }

  std::size_t scratch_bytes() const override { return AlignUp(total_); }

  Status Run(const KernelArgs& args) override {
    std::byte* packed = args.scratch;
    for (std::size_t i = 0; i < bytes_.size(); packed += bytes_[i++]) {
      std::memcpy(packed, args.in[i], bytes_[i]);
    }
    const Mesh* mesh = args.context->mesh;
    Communicator* group = mesh == nullptr ? nullptr : mesh->Group(axes_);
    if (group != nullptr) {
      GYRE_RETURN_IF_ERROR(group->AllReduce(
          args.scratch,
          args.scratch,
          total_ / SizeOf(dtype_),
          dtype_,
          ReduceOp::kSum,
          {.label = "psum", .loc = loc_, .step = args.context->step}));
    }
    packed = args.scratch;
    for (std::size_t i = 0; i < bytes_.size(); packed += bytes_[i++]) {
      if (args.out[i] != nullptr) {
        std::memcpy(args.out[i], packed, bytes_[i]);
      }
    }
    return OkStatus();
  }

 private:
  DType dtype_;
  AxisSet axes_;
  SourceLoc loc_;
  std::vector<std::size_t> bytes_;
  std::size_t total_ = 0;
};

class CombinedSumOp final : public internal::PlanOp {
 public:
  explicit CombinedSumOp(AxisSet axes) : axes_(axes) {}
  std::string_view name() const override { return "psum"; }
  std::string attributes() const override { return Cat("axes=", axes_); }
  StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const override {
    return std::make_unique<CombinedKernel>(request, axes_);
  }
  bool moves_data() const override { return true; }

 private:
  AxisSet axes_;
};

// The sums that wait, in order.
class Waiting {
 public:
  explicit Waiting(const Graph& graph) : graph_(graph) {}

  bool Takes(const Node& node, AxisSet axes) const {
    return sums_.empty() || (axes_ == axes && DTypeOf(node) == dtype_ &&
                             sums_.front().phase == node.phase);
  }
  void Add(const Node& node, AxisSet axes) {
    axes_ = axes;
    dtype_ = DTypeOf(node);
    sums_.push_back(node);
  }
  bool IsReadBy(const Node& node) const {
    return std::any_of(sums_.begin(), sums_.end(), [&](const Node& sum) {
      return std::find(node.inputs.begin(),
                       node.inputs.end(),
                       sum.outputs[0]) != node.inputs.end();
    });
  }
  // Whether the node must not run before the waiting sums.
  bool EndsBefore(const Node& node) const {
    return !sums_.empty() &&
           (IsReadBy(node) || node.op->moves_data() || node.op->has_effect() ||
            node.phase != sums_.front().phase);
  }
  void Release(std::vector<Node>& to) {
    if (sums_.size() > 1) {
      Node all = sums_.front();
      all.op = std::make_shared<CombinedSumOp>(axes_);
      for (std::size_t i = 1; i < sums_.size(); ++i) {
        all.inputs.push_back(sums_[i].inputs[0]);
        all.outputs.push_back(sums_[i].outputs[0]);
      }
      to.push_back(std::move(all));
    } else {
      to.insert(to.end(), sums_.begin(), sums_.end());
    }
    sums_.clear();
  }

 private:
  DType DTypeOf(const Node& node) const {
    return graph_.values[node.outputs[0]].spec.dtype;
  }

  const Graph& graph_;
  std::vector<Node> sums_;
  AxisSet axes_ = 0;
  DType dtype_ = DType::kF32;
};

}  // namespace

void CombineSums(Graph& graph) {
  Waiting waiting(graph);
  std::vector<Node> result;
  result.reserve(graph.nodes.size());
  for (Node& node : graph.nodes) {
    const auto* sum = dynamic_cast<const PsumOp*>(node.op.get());
    const bool small =
        sum != nullptr &&
        graph.values[node.outputs[0]].spec.shape.elements() <= kMaxElements;
    if (small) {
      if (!waiting.Takes(node, sum->axes()) || waiting.IsReadBy(node)) {
        waiting.Release(result);
      }
      waiting.Add(node, sum->axes());
      continue;
    }
    if (waiting.EndsBefore(node)) waiting.Release(result);
    result.push_back(std::move(node));
  }
  waiting.Release(result);
  graph.nodes = std::move(result);
}

}  // namespace gyre::internal::inline autodiff
