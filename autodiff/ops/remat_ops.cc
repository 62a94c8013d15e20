#include "gyre/autodiff/ops/remat_ops.h"

#include <map>
#include <memory>

#include "gyre/autodiff/exec/copy_kernel.h"
#include "gyre/autodiff/exec/kernel.h"
#include "gyre/autodiff/ops/random_op.h"
#include "gyre/autodiff/vjp.h"

namespace gyre::internal::inline autodiff {
namespace {

// Records the segment's nodes again, on other sources; gives the result. Random
// numbers have no source: they are fenced off by `after`, which they ignore.
Var RecordAgain(Tape& tape,
                const TapeSegment& segment,
                std::span<const Var> sources,
                Var after) {
  std::map<ValueId, Var> now;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    now[segment.sources[i]] = sources[i];
  }
  for (NodeId id = segment.first; id < segment.last; ++id) {
    // A copy: recording may move the tape's nodes.
    const Node node = tape.nodes()[id];
    std::vector<Var> inputs;
    for (const ValueId input : node.inputs) {
      const auto it = now.find(input);
      inputs.push_back(it == now.end() ? Var(&tape, input) : it->second);
    }
    if (dynamic_cast<const RandomOp*>(node.op.get()) != nullptr) {
      inputs = {after};
    }
    const Tape::Scope scope(tape, Phase::kBackward, id);
    const std::vector<Var> outputs = tape.Record(node.op, inputs, node.loc);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      now[node.outputs[i]] = outputs[i];
    }
  }
  return now.at(segment.result);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> BarrierOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeCopyKernel(request);
}

std::vector<Var> CheckpointOp::Vjp(const VjpArgs& args) const {
  Tape& tape = *args.grads[0].tape();
  std::vector<Var> sources;
  std::vector<Var> wrt;
  for (std::size_t i = 1; i < args.inputs.size(); ++i) {
    const Var pair[] = {args.inputs[i], args.grads[0]};
    sources.push_back(tape.RecordOne(std::make_shared<BarrierOp>(), pair, {}));
    if (args.needed[i]) wrt.push_back(sources.back());
  }
  const Var result[] = {RecordAgain(tape, segment_, sources, args.grads[0])};
  const std::vector<Var> grads =
      gyre::internal::Vjp(result, args.grads.subspan(0, 1), wrt);
  std::vector<Var> all(args.inputs.size());
  std::size_t next = 0;
  for (std::size_t i = 1; i < args.inputs.size(); ++i) {
    if (args.needed[i]) all[i] = grads[next++];
  }
  return all;
}

StatusOr<std::unique_ptr<Kernel>> CheckpointOp::MakeKernel(
    const KernelRequest& request) const {
  return MakeCopyKernel(request);
}

}  // namespace gyre::internal::inline autodiff
