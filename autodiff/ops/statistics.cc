#include "gyre/autodiff/ops/statistics.h"

#include <limits>

#include "gyre/autodiff/ops/axes.h"
#include "gyre/autodiff/ops/elementwise.h"
#include "gyre/autodiff/ops/located.h"
#include "gyre/autodiff/ops/pmax.h"
#include "gyre/autodiff/ops/reduce.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/mesh/mesh.h"

namespace gyre {

using namespace internal;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// x in the type that sums are made in.
Var Wide(const Located& at, Var x) {
  const bool narrow = x.dtype() == DType::kBF16 || x.dtype() == DType::kF16;
  return narrow ? cast(at(x), DType::kF32) : x;
}

// 1 / (n - ddof), NaN where that is no variance.
double DegreesFactor(double count, double ddof) {
  return count > ddof ? 1 / (count - ddof)
                      : std::numeric_limits<double>::quiet_NaN();
}

// A number to take out of the exponents: the largest, if it is one.
Var ShiftFrom(const Located& at, Var largest) {
  return select(at(is_finite(at(largest))), at(largest), at(0.0));
}

Var LogOfTotal(const Located& at, Var total, Var shift) {
  const Var none = at(total) == at(0.0);
  const Var inner = select(at(none), at(1.0), at(total));
  const Var value = at(log(at(inner))) + at(shift);
  return select(at(none), at(-kInf), at(value));
}

Var Narrow(const Located& at, Var y, Var x, const Shape& shape) {
  return y.valid() ? reshape(at(cast(at(y), x.dtype())), shape) : y;
}

}  // namespace

Var logsumexp(Traced x) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Var wide = Wide(at, x.var());
  const Var local = max(at(stop_gradient(at(wide))), AllAxes(wide.rank()));
  if (!local.valid()) return local;
  const Var shift = ShiftFrom(at, pmax(at(local)));
  const Var total = sum(at(exp(at(at(wide) - at(shift)))));
  return Narrow(at, LogOfTotal(at, total, shift), x.var(), {});
}

Var logsumexp(Traced x, std::vector<int> axes, bool keep_dims) {
  if (!x.var().valid()) return x.var();
  const Located at(x);
  const Shape shape = x.var().shape();  // recording moves the tape's values
  const auto sorted = SortedAxes(shape, axes);
  if (!sorted.ok()) return at.Fail(x.var(), "logsumexp", sorted.status());
  const Var wide = Wide(at, x.var());
  const Var largest = max(at(stop_gradient(at(wide))), *sorted, true);
  if (!largest.valid()) return largest;
  const Var shift = ShiftFrom(at, largest);
  const Var total = sum(at(exp(at(at(wide) - at(shift)))), *sorted, true);
  return Narrow(
      at,
      LogOfTotal(at, total, shift),
      x.var(),
      keep_dims ? KeptShape(shape, *sorted) : ReducedShape(shape, *sorted));
}

Var var(Traced x) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const Mesh* mesh = in.tape()->mesh();
  const int ranks = mesh == nullptr ? 1 : mesh->SizeOf(in.varies());
  const double count = static_cast<double>(in.shape().elements()) * ranks;
  const Var wide = Wide(at, in);
  const Var error = at(wide) - at(mean(at(wide)));
  const Var total = sum(at(square(at(error))));
  if (!total.valid()) return total;
  const Var y = at(total) * at(DegreesFactor(count, 0));
  return Narrow(at, y, in, {});
}

Var var(Traced x, std::vector<int> axes, double ddof, bool keep_dims) {
  const Var in = x.var();
  if (!in.valid()) return in;
  const Located at(x);
  const auto sorted = SortedAxes(in.shape(), axes);
  if (!sorted.ok()) return at.Fail(in, "var", sorted.status());
  const auto count = static_cast<double>(CountOf(in.shape(), *sorted));
  const Var wide = Wide(at, in);
  const Var error = at(wide) - at(mean(at(wide), *sorted, true));
  const Var total = sum(at(square(at(error))), *sorted, true);
  if (!total.valid()) return total;
  const Var y = at(total) * at(DegreesFactor(count, ddof));
  return Narrow(at,
                y,
                in,
                keep_dims ? KeptShape(in.shape(), *sorted)
                          : ReducedShape(in.shape(), *sorted));
}

}  // namespace gyre
