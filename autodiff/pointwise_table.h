// The table of the elementwise operations: one row each, from which come the
// codes, their names, their loops, their generated code, the functions of
// Vars and the words of math:: on Vars.
//
//   #define ROW(Code, name, Functor, Weight, Generated) ...
//   GYRE_UNARY_WORDS(ROW)
//
// A new function of one number touches three places: the word in
// core/math_*.h with its slope in core/math_slopes.h, a row here, and the
// declaration in ops/elementwise.h. What is forgotten does not compile.
//
// Functor: its meaning on vectors. Weight: Light for a few instructions, whose
// loops have no time to lose on operands. Generated: Jit where the functor can
// be emitted as code; NoJit where rare lanes go through the C library, or the
// numbers are computed in double.

#ifndef GYRE_AUTODIFF_POINTWISE_TABLE_H_
#define GYRE_AUTODIFF_POINTWISE_TABLE_H_

// Words of one number. Two Vars: `name` and GyreMath(Functor, x).
#define GYRE_UNARY_WORDS(ROW)                                 \
  ROW(Abs, abs, math::AbsFn, Light, Jit)                      \
  ROW(Exp, exp, math::ExpFn, Heavy, Jit)                      \
  ROW(Expm1, expm1, math::Expm1Fn, Heavy, Jit)                \
  ROW(Log, log, math::LogFn, Heavy, Jit)                      \
  ROW(Log1p, log1p, math::Log1pFn, Heavy, Jit)                \
  ROW(Log2, log2, math::Log2Fn, Heavy, Jit)                   \
  ROW(Sqrt, sqrt, math::SqrtFn, Light, Jit)                   \
  ROW(Rsqrt, rsqrt, math::RsqrtFn, Light, Jit)                \
  ROW(Sin, sin, math::SinFn, Heavy, NoJit)                    \
  ROW(Cos, cos, math::CosFn, Heavy, NoJit)                    \
  ROW(Tan, tan, math::TanFn, Heavy, NoJit)                    \
  ROW(Asin, asin, math::AsinFn, Heavy, Jit)                   \
  ROW(Acos, acos, math::AcosFn, Heavy, Jit)                   \
  ROW(Atan, atan, math::AtanFn, Heavy, Jit)                   \
  ROW(Sinh, sinh, math::SinhFn, Heavy, Jit)                   \
  ROW(Cosh, cosh, math::CoshFn, Heavy, Jit)                   \
  ROW(Tanh, tanh, math::TanhFn, Heavy, Jit)                   \
  ROW(Sech2, sech2, math::Sech2Fn, Heavy, Jit)                \
  ROW(Sigmoid, sigmoid, math::SigmoidFn, Heavy, Jit)          \
  ROW(Erf, erf, math::ErfFn, Heavy, Jit)                      \
  ROW(Erfc, erfc, math::ErfcFn, Heavy, Jit)                   \
  ROW(Erfcx, erfcx, math::ErfcxFn, Heavy, Jit)                \
  ROW(Ierfcx, ierfcx, math::IerfcxFn, Heavy, Jit)             \
  ROW(I2erfcx, i2erfcx, math::I2erfcxFn, Heavy, Jit)          \
  ROW(LogErfc, log_erfc, math::LogErfcFn, Heavy, Jit)         \
  ROW(Ndtr, ndtr, math::NdtrFn, Heavy, Jit)                   \
  ROW(LogNdtr, log_ndtr, math::LogNdtrFn, Heavy, Jit)         \
  ROW(Gaussian, gaussian, math::GaussianFn, Heavy, Jit)       \
  ROW(NormalPdf, normal_pdf, math::NormalPdfFn, Heavy, Jit)   \
  ROW(Lgamma, lgamma, math::LgammaFn, Heavy, NoJit)           \
  ROW(Digamma, digamma, math::DigammaFn, Heavy, NoJit)        \
  ROW(Gelu, gelu, math::GeluFn, Heavy, Jit)                   \
  ROW(GeluTanh, gelu_tanh, math::GeluTanhFn, Heavy, Jit)      \
  ROW(Silu, silu, math::SiluFn, Heavy, Jit)                   \
  ROW(Softplus, softplus, math::SoftplusFn, Heavy, Jit)       \
  ROW(Relu, relu, math::ReluFn, Light, Jit)                   \
  ROW(Square, square, math::SquareFn, Light, Jit)             \
  ROW(Reciprocal, reciprocal, math::ReciprocalFn, Light, Jit) \
  ROW(Floor, floor, math::FloorFn, Light, Jit)                \
  ROW(Ceil, ceil, math::CeilFn, Light, Jit)                   \
  ROW(Round, round, math::RoundFn, Light, Jit)                \
  ROW(Sign, sign, math::SignFn, Light, Jit)

// Of one number, with a spelling of their own.
#define GYRE_UNARY_CODES(ROW)                                                \
  GYRE_UNARY_WORDS(ROW)                                                      \
  ROW(Neg, neg, math::NegFn, Light, Jit)                                     \
  ROW(IsFinite, is_finite, IsFiniteCode, Light, Jit) /* 0 for NaN and Inf */ \
  ROW(Not, not, NotCode, Light, Jit)

// Words of two numbers.
#define GYRE_BINARY_WORDS(ROW)                 \
  ROW(Pow, pow, math::PowFn, Heavy, NoJit)     \
  ROW(Atan2, atan2, math::Atan2Fn, Heavy, Jit) \
  ROW(Xlogy, xlogy, math::XlogyFn, Heavy, Jit) \
  ROW(Polygamma, polygamma, math::PolygammaFn, Heavy, NoJit)

#define GYRE_BINARY_CODES(ROW)           \
  ROW(Add, add, AddCode, Light, Jit)     \
  ROW(Sub, sub, SubCode, Light, Jit)     \
  ROW(Mul, mul, MulCode, Light, Jit)     \
  ROW(Div, div, DivCode, Light, Jit)     \
  GYRE_BINARY_WORDS(ROW)                 \
  ROW(Min, min, math::MinFn, Light, Jit) \
  ROW(Max, max, math::MaxFn, Light, Jit) \
  ROW(Lt, lt, LtCode, Light, Jit)        \
  ROW(Le, le, LeCode, Light, Jit)        \
  ROW(Gt, gt, GtCode, Light, Jit)        \
  ROW(Ge, ge, GeCode, Light, Jit)        \
  ROW(Eq, eq, EqCode, Light, Jit)        \
  ROW(Ne, ne, NeCode, Light, Jit)        \
  ROW(And, and, AndCode, Light, Jit)     \
  ROW(Or, or, OrCode, Light, Jit)

#define GYRE_TERNARY_CODES(ROW)                               \
  ROW(Select, select, SelectCode, Light, Jit) /* a ? b : c */ \
  ROW(Fma, fma, FmaCode, Light, Jit)          /* a * b + c, rounded once */

#endif  // GYRE_AUTODIFF_POINTWISE_TABLE_H_
