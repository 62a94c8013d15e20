#include "gyre/train/step/activations.h"

#include <algorithm>
#include <string_view>

#include "gyre/autodiff/tape.h"

namespace gyre::internal::inline train {
namespace {

// What a weight goes through on its way to the product.
bool HandsOn(const Op& op) {
  const std::string_view name = op.name();
  return op.is_alias() || name == "cast" || name == "vary" ||
         name == "transpose" || name == "broadcast";
}

bool IsProduct(const Op& op) {
  return op.name() == "matmul" || op.name() == "conv2d" ||
         op.name() == "conv2d_input_grad";  // of a transposed convolution
}

// The result of the first product that reads the value; -1: none does.
ValueId ProductOf(const Tape& tape, ValueId weight) {
  std::vector<ValueId> same = {weight};
  for (const Node& node : tape.nodes()) {
    if (node.phase != Phase::kForward) continue;
    const bool reads =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
          return std::find(same.begin(), same.end(), id) != same.end();
        });
    if (!reads) continue;
    if (IsProduct(*node.op)) return node.outputs[0];
    if (HandsOn(*node.op)) same.push_back(node.outputs[0]);
  }
  return -1;
}

}  // namespace

std::vector<LayerProduct> FindActivations(const Tape& tape,
                                          const Params& params) {
  std::vector<LayerProduct> found;
  for (const Parameter& p : params.all()) {
    const std::string layer = p.name.substr(0, p.name.rfind('.'));
    if (!found.empty() && found.back().layer == layer) continue;
    const ValueId product = ProductOf(tape, p.used.id());
    if (product < 0) continue;
    found.push_back({layer, Var(p.used.tape(), product)});
  }
  return found;
}

}  // namespace gyre::internal::inline train
