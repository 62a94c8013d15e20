#include "gyre/autodiff/exec/jit/jit_table.h"

#include <array>

#include "gyre/autodiff/exec/tile_codes.h"
#include "gyre/core/math.h"

namespace gyre::internal::inline autodiff::jit {
namespace {

template <class Fn>
JitVector Emit1(const JitVector& a, const JitVector&, const JitVector&) {
  return Fn{}(a);
}
template <class Fn>
JitVector Emit2(const JitVector& a, const JitVector& b, const JitVector&) {
  return Fn{}(a, b);
}
template <class Fn>
JitVector Emit3(const JitVector& a, const JitVector& b, const JitVector& c) {
  return Fn{}(a, b, c);
}

// In the order of Code. Angles and powers have rare lanes that go through the
// C library, or compute in double: the interpreter's work.
constexpr std::array<JitFunction, kCodes> kFunctions = {
    nullptr,
    &Emit1<math::NegFn>,
    &Emit1<math::AbsFn>,
    &Emit1<math::ExpFn>,
    &Emit1<math::Expm1Fn>,
    &Emit1<math::LogFn>,
    &Emit1<math::Log1pFn>,
    &Emit1<math::Log2Fn>,
    &Emit1<math::SqrtFn>,
    &Emit1<math::RsqrtFn>,
    nullptr,
    nullptr,
    nullptr,
    &Emit1<math::AsinFn>,
    &Emit1<math::AcosFn>,
    &Emit1<math::AtanFn>,
    &Emit1<math::SinhFn>,
    &Emit1<math::CoshFn>,
    &Emit1<math::TanhFn>,
    &Emit1<math::SigmoidFn>,
    &Emit1<math::ErfFn>,
    &Emit1<math::GeluFn>,
    &Emit1<math::GeluTanhFn>,
    &Emit1<math::SiluFn>,
    &Emit1<math::SoftplusFn>,
    &Emit1<math::ReluFn>,
    &Emit1<math::SquareFn>,
    &Emit1<math::ReciprocalFn>,
    &Emit1<math::FloorFn>,
    &Emit1<math::CeilFn>,
    &Emit1<math::RoundFn>,
    &Emit1<math::SignFn>,
    &Emit1<internal::IsFiniteCode>,
    &Emit1<internal::NotCode>,
    &Emit2<internal::AddCode>,
    &Emit2<internal::SubCode>,
    &Emit2<internal::MulCode>,
    &Emit2<internal::DivCode>,
    nullptr,
    &Emit2<math::MinFn>,
    &Emit2<math::MaxFn>,
    &Emit2<math::Atan2Fn>,
    &Emit2<math::XlogyFn>,
    &Emit2<internal::LtCode>,
    &Emit2<internal::LeCode>,
    &Emit2<internal::GtCode>,
    &Emit2<internal::GeCode>,
    &Emit2<internal::EqCode>,
    &Emit2<internal::NeCode>,
    &Emit2<internal::AndCode>,
    &Emit2<internal::OrCode>,
    &Emit3<internal::SelectCode>,
    &Emit3<internal::FmaCode>};

}  // namespace

JitFunction FindJitFunction(Code code) {
  return kFunctions[static_cast<std::size_t>(code)];
}

}  // namespace gyre::internal::inline autodiff::jit
