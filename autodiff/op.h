// One kind of operation: what it is called, what comes out, how gradients go
// back through it, and which kernel computes it.
//
// Each operation is a small immutable class in autodiff/ops. Two operations
// with the same name and attributes are the same operation: common
// subexpressions, plan texts and fingerprints rely on it.

#ifndef GYRE_AUTODIFF_OP_H_
#define GYRE_AUTODIFF_OP_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gyre/autodiff/var.h"

namespace gyre::internal::inline autodiff {

class Kernel;
struct KernelRequest;

struct TensorSpec {
  Shape shape;
  DType dtype = DType::kF32;
  AxisSet varies = 0;

  std::size_t bytes() const { return shape.elements() * SizeOf(dtype); }
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// What a vector-Jacobian product is made from.
struct VjpArgs {
  std::span<const Var> inputs;
  std::span<const Var> outputs;
  // One per output; not valid() where nothing came back.
  std::span<const Var> grads;
  // Whether input i needs a gradient; the others may be left out.
  std::span<const char> needed;
};

class Op {
 public:
  virtual ~Op() = default;

  virtual std::string_view name() const = 0;
  // All that tells this operation from others of its name, as text.
  virtual std::string attributes() const { return ""; }

  // The outputs' shapes and types. `varies` is filled in by the tape, by the
  // rule "where any input varies", unless the operation moves data over the
  // mesh. Errors say what was expected; the tape adds the user's line.
  virtual StatusOr<std::vector<TensorSpec>> Infer(
      std::span<const TensorSpec> inputs) const = 0;

  // The gradients of the inputs, one each, not valid() for none. Called only
  // when at least one output has a gradient.
  virtual std::vector<Var> Vjp(const VjpArgs& args) const = 0;

  virtual StatusOr<std::unique_ptr<Kernel>> MakeKernel(
      const KernelRequest& request) const = 0;

  // The output is the first input's memory under another shape.
  virtual bool is_alias() const { return false; }
  // Runs even if nobody reads its outputs, in the recorded order.
  virtual bool has_effect() const { return false; }
  // One with an effect that goes on beside the operations after it: it is run
  // as soon as its inputs are there (autodiff/plan/hoist.h).
  virtual bool runs_early() const { return false; }
  // Takes an input of one element for a number that all elements meet, so a
  // plan need not write its broadcast out.
  virtual bool takes_scalars() const { return false; }
  // The kernel may write output `output` into the memory of input `input`,
  // which nothing reads later.
  virtual bool CanOverwrite(int /*output*/, int /*input*/) const {
    return false;
  }
  // Sets `varies` of the outputs itself (collectives).
  virtual bool moves_data() const { return false; }
};

// The common case of Infer: one output.
inline std::vector<TensorSpec> OneOutput(Shape shape, DType dtype) {
  return {TensorSpec{std::move(shape), dtype, 0}};
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OP_H_
