#include "gyre/autodiff/ops/composed.h"

#include "gyre/autodiff/ops/layout_ops.h"
#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/vjp.h"

namespace gyre::internal::inline autodiff {
namespace {

// The same value under a new name: it does not depend on what the other
// inputs depend on.
Var Renamed(const Var& x) {
  return x.tape()->RecordOne(
      std::make_shared<ReshapeOp>(x.shape()), {&x, 1}, {});
}

}  // namespace

std::vector<Var> ComposedVjp(const VjpArgs& args, const Formula& formula) {
  std::vector<Var> inputs;
  for (const Var& input : args.inputs) inputs.push_back(Renamed(input));
  const std::vector<Var> all = formula(inputs);
  std::vector<Var> outputs, seeds, wrt;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!args.grads[i].valid()) continue;
    outputs.push_back(all[i]);
    seeds.push_back(args.grads[i]);
  }
  const auto wanted = [&](std::size_t i) {
    return args.needed[i] && IsFloat(inputs[i].dtype());
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (wanted(i)) wrt.push_back(inputs[i]);
  }
  const std::vector<Var> found = Vjp(outputs, seeds, wrt);
  std::vector<Var> grads(inputs.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (wanted(i)) grads[i] = found[next++];
  }
  return grads;
}

}  // namespace gyre::internal::inline autodiff
