// How gradients go back through elementwise operations.

#include "gyre/autodiff/ops/elementwise_op.h"
#include "gyre/autodiff/ops/math_vars.h"
#include "gyre/autodiff/ops/shape_ops.h"
#include "gyre/core/math_slopes.h"

namespace gyre::internal::inline autodiff {
namespace {

Var Valid(Var slope) { return slope; }
Var Valid(Flat) { return Var(); }

// dy/dx of y = f(x), or a default Var for a slope of zero everywhere.
#define GYRE_SLOPE(Code_, name, Functor, Weight, Generated) \
  case Code::k##Code_:                                      \
    return Valid(SlopeOf(Functor{}, x, y));
Var Slope(Code code, Var x, Var y) {
  switch (code) {
    GYRE_UNARY_WORDS(GYRE_SLOPE)
    default:
      return Var();
  }
}
#undef GYRE_SLOPE

std::vector<Var> UnaryVjp(Code code, const VjpArgs& args) {
  const Var x = args.inputs[0];
  const Var g = args.grads[0];
  switch (code) {
    case Code::kNeg:
      return {-g};
    case Code::kRelu:
      // By selection; of NaN the gradient goes on, as it does in dual numbers.
      return {select(x <= 0.0, 0.0, g)};
    default:
      break;
  }
  const Var slope = Slope(code, x, args.outputs[0]);
  return {slope.valid() ? g * slope : Var()};
}

// The gradient by the first and by the second operand, before broadcasting
// is undone.
struct Pair {
  Var a;
  Var b;
};

// g b / (a^2 + b^2) and -g a / (a^2 + b^2), in units of the larger of both, so
// that no square overflows or vanishes. In calm air, at (0, 0), there is no
// direction, and the gradient is chosen to be 0.
Pair Atan2Vjp(Var a, Var b, Var g, bool need_a, bool need_b) {
  const Var larger = maximum(abs(a), abs(b));
  const Var calm = larger == 0.0;
  const Var unit = select(calm, 1.0, larger);
  const Var across = a / unit;
  const Var along = b / unit;
  const Var square = select(calm, 1.0, across * across + along * along);
  return {need_a ? g * (along / square) / unit : Var(),
          need_b ? -(g * (across / square) / unit) : Var()};
}

Pair BinaryVjp(Code code, const VjpArgs& args) {
  const Var a = args.inputs[0];
  const Var b = args.inputs[1];
  const Var y = args.outputs[0];
  const Var g = args.grads[0];
  const bool need_a = args.needed[0];
  const bool need_b = args.needed[1];
  switch (code) {
    case Code::kAdd:
      return {g, g};
    case Code::kSub:
      return {g, need_b ? -g : Var()};
    case Code::kMul:
      return {need_a ? g * b : Var(), need_b ? g * a : Var()};
    case Code::kDiv:
      return {need_a ? g / b : Var(), need_b ? -(g * y / b) : Var()};
    case Code::kPow:
      // x^0 has slope 0 and 0^p no slope by p: both by selection.
      return {need_a ? select(b == 0.0, 0.0, g * b * pow(a, b - 1.0)) : Var(),
              need_b ? g * select(y == 0.0, 0.0, y * log(a)) : Var()};
    case Code::kAtan2:
      return Atan2Vjp(a, b, g, need_a, need_b);
    case Code::kXlogy:
      return {need_a ? xlogy(g, b) : Var(),
              need_b ? select(a == 0.0, 0.0, g * a / b) : Var()};
    case Code::kPolygamma:
      return {Var(), need_b ? g * polygamma(a + 1.0, b) : Var()};
    case Code::kMax:
      return {need_a ? select(a >= b, g, 0.0) : Var(),
              need_b ? select(a >= b, 0.0, g) : Var()};
    case Code::kMin:
      return {need_a ? select(a <= b, g, 0.0) : Var(),
              need_b ? select(a <= b, 0.0, g) : Var()};
    default:
      return {};
  }
}

// The gradient in the shape and type of the operand that it belongs to.
Var Fit(Var grad, Var operand) {
  if (!grad.valid() || !IsFloat(operand.dtype())) return Var();
  return cast(sum_to(grad, operand.shape()), operand.dtype());
}

}  // namespace

std::vector<Var> ElementwiseOp::Vjp(const VjpArgs& args) const {
  if (IsPredicate(code_)) return std::vector<Var>(args.inputs.size());
  const Var g = args.grads[0];
  if (code_ == Code::kSelect) {
    const Var condition = args.inputs[0];
    return {
        Var(),
        args.needed[1] ? Fit(select(condition, g, 0.0), args.inputs[1]) : Var(),
        args.needed[2] ? Fit(select(condition, 0.0, g), args.inputs[2])
                       : Var()};
  }
  if (args.inputs.size() == 1) {
    return {Fit(UnaryVjp(code_, args)[0], args.inputs[0])};
  }
  const Pair pair = BinaryVjp(code_, args);
  return {args.needed[0] ? Fit(pair.a, args.inputs[0]) : Var(),
          args.needed[1] ? Fit(pair.b, args.inputs[1]) : Var()};
}

}  // namespace gyre::internal::inline autodiff
