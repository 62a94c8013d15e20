#include "gyre/autodiff/ops/einsum.h"

#include <string>
#include <vector>

#include "gyre/autodiff/ops/axis_order.h"
#include "gyre/autodiff/ops/einsum_spec.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/matmul.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/autodiff/tape.h"

namespace gyre {

using namespace internal;

namespace {

// A value whose axes are named.
struct Named {
  Var var;
  std::string letters;
};

// Every step keeps the line of the call.
class Contraction {
 public:
  Contraction(const EinsumSpec& spec, const SourceLoc& loc)
      : spec_(spec), loc_(loc) {}

  // Sums over the axes that are not in `kept`.
  Named Reduce(const Named& x, const std::string& kept) const {
    std::vector<int> axes;
    for (std::size_t i = 0; i < x.letters.size(); ++i) {
      if (kept.find(x.letters[i]) == std::string::npos) {
        axes.push_back(static_cast<int>(i));
      }
    }
    if (axes.empty()) return x;
    return {sum(At(x.var), axes), LettersIn(x.letters, kept)};
  }

  // The axes in the order of `letters`.
  Var Order(const Named& x, const std::string& letters) const {
    std::vector<int> order;
    for (const char c : letters) {
      order.push_back(static_cast<int>(x.letters.find(c)));
    }
    return Permuted(At(x.var), order);
  }

  Named Multiply(const Named& a, const Named& b) const {
    const std::string shared = LettersIn(a.letters, b.letters);
    const std::string batch = LettersIn(shared, spec_.result);
    const std::string summed = LettersNotIn(shared, spec_.result);
    const std::string rows = LettersNotIn(a.letters, shared);
    const std::string columns = LettersNotIn(b.letters, shared);
    const std::string letters = batch + rows + columns;
    if (summed.empty()) {
      const Var product = At(Spread(a, batch, rows, columns)) *
                          At(Spread(b, batch, rows, columns));
      return {product, letters};
    }
    const Side left = SideOf(a, batch, rows, summed);
    const Side right = SideOf(b, batch, summed, columns);
    const Var product = matmul(
        At(left.matrix), At(right.matrix), left.transposed, right.transposed);
    return {reshape(At(product), ShapeOf(letters)), letters};
  }

 private:
  struct Side {
    Var matrix;
    bool transposed = false;
  };

  Traced At(Var var) const { return Traced(var, loc_.file, loc_.line); }

  Shape ShapeOf(const std::string& letters) const {
    std::vector<std::int64_t> dims;
    for (const char c : letters) dims.push_back(spec_.extents.at(c));
    return Shape(std::move(dims));
  }

  // x as matrices (first, second), a batch of them if there are batch axes.
  // Where the axes stand the other way round, matmul transposes.
  Side SideOf(const Named& x,
              const std::string& batch,
              const std::string& first,
              const std::string& second) const {
    const bool swapped = x.letters == batch + second + first &&
                         x.letters != batch + first + second;
    const std::string& rows = swapped ? second : first;
    const std::string& columns = swapped ? first : second;
    std::vector<std::int64_t> dims;
    if (!batch.empty()) dims.push_back(spec_.Size(batch));
    dims.push_back(spec_.Size(rows));
    dims.push_back(spec_.Size(columns));
    const Var ordered = Order(x, batch + rows + columns);
    return {reshape(At(ordered), Shape(std::move(dims))), swapped};
  }

  // x with an extent of 1 along the axes that it does not have.
  Var Spread(const Named& x,
             const std::string& batch,
             const std::string& rows,
             const std::string& columns) const {
    const std::string all = batch + rows + columns;
    std::vector<std::int64_t> dims;
    for (const char c : all) {
      const bool has = x.letters.find(c) != std::string::npos;
      dims.push_back(has ? spec_.extents.at(c) : 1);
    }
    const Var ordered = Order(x, LettersIn(all, x.letters));
    return reshape(At(ordered), Shape(std::move(dims)));
  }

  const EinsumSpec& spec_;
  const SourceLoc& loc_;
};

Var Fail(const Traced& x, const Status& status) {
  x.var().tape()->NoteError(x.loc(), "einsum", status);
  return Var(x.var().tape(), -1);
}

}  // namespace

Var einsum(std::string_view text, Traced a) {
  if (!a.var().valid()) return a.var();
  const Shape shapes[] = {a.var().shape()};
  const auto spec = EinsumSpec::Parse(text, shapes);
  if (!spec.ok()) return Fail(a, spec.status());
  const Contraction contraction(*spec, a.loc());
  return contraction.Order(
      contraction.Reduce({a.var(), spec->operands[0]}, spec->result),
      spec->result);
}

Var einsum(std::string_view text, Traced a, Traced b) {
  if (const auto bad = Unusable("einsum", {a, b})) return *bad;
  const Shape shapes[] = {a.var().shape(), b.var().shape()};
  const auto spec = EinsumSpec::Parse(text, shapes);
  if (!spec.ok()) return Fail(a, spec.status());
  if (a.var().dtype() != b.var().dtype() || !IsFloat(a.var().dtype())) {
    return Fail(a,
                ConfigError("expected two float tensors of one type, got ",
                            a.var().dtype(),
                            " and ",
                            b.var().dtype(),
                            "; use cast()"));
  }
  const Contraction contraction(*spec, a.loc());
  // What only one operand has and the result has not is summed first.
  const Named left = contraction.Reduce({a.var(), spec->operands[0]},
                                        spec->operands[1] + spec->result);
  const Named right = contraction.Reduce({b.var(), spec->operands[1]},
                                         spec->operands[0] + spec->result);
  return contraction.Order(contraction.Multiply(left, right), spec->result);
}

}  // namespace gyre
