#include "gyre/autodiff/exec/jit/jit_vector.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace gyre::internal::inline autodiff {
namespace jit {

using asmjit::Imm;
using asmjit::x86::Compiler;
namespace Inst = asmjit::x86::Inst;
using asmjit::x86::Mem;
using asmjit::x86::VCmpImm;
using asmjit::x86::Ymm;
using Scalars = Lanes<float>;

namespace {

// Eight copies in the pool of constants behind the code.
Mem Pooled(Compiler& cc, std::uint32_t bits) {
  std::uint32_t lanes[8];
  for (std::uint32_t& lane : lanes) lane = bits;
  return cc.newConst(asmjit::ConstPoolScope::kLocal, lanes, sizeof lanes);
}
Mem Pooled(Compiler& cc, float number) {
  return Pooled(cc, std::bit_cast<std::uint32_t>(number));
}

constexpr std::uint32_t kSign = 0x80000000u;
constexpr std::uint32_t kExponent = 0x7f800000u;

Compiler* CompilerOf(const JitVector& a, const JitVector& b) {
  return a.known() ? b.compiler() : a.compiler();
}

JitVector Emit(Inst::Id id, const JitVector& a, const JitVector& b) {
  Compiler* cc = CompilerOf(a, b);
  const Ymm dst = cc->newYmmPs();
  cc->emit(id, dst, a.Register(*cc), b.Operand(*cc));
  return {cc, dst};
}

JitVector EmitBits(Inst::Id id, const JitVector& a, std::uint32_t bits) {
  Compiler* cc = a.compiler();
  const Ymm dst = cc->newYmmPs();
  cc->emit(id, dst, a.Register(*cc), Pooled(*cc, bits));
  return {cc, dst};
}

JitMask Compare(VCmpImm how, const JitVector& a, const JitVector& b) {
  Compiler* cc = CompilerOf(a, b);
  const Ymm dst = cc->newYmmPs();
  cc->emit(Inst::kIdVcmpps,
           dst,
           a.Register(*cc),
           b.Operand(*cc),
           Imm(static_cast<int>(how)));
  return {cc, dst};
}

bool BothKnown(const JitVector& a, const JitVector& b) {
  return a.known() && b.known();
}

}  // namespace

Ymm JitVector::Register(Compiler& cc) const {
  return known() ? Copy(cc) : reg_;
}

asmjit::Operand JitVector::Operand(Compiler& cc) const {
  if (known()) return Pooled(cc, number_);
  return reg_;
}

Ymm JitVector::Copy(Compiler& cc) const {
  const Ymm copy = cc.newYmmPs();
  if (known()) {
    cc.vmovaps(copy, Pooled(cc, number_));
  } else {
    cc.vmovaps(copy, reg_);
  }
  return copy;
}

JitVector operator+(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitVector(a.number() + b.number());
  return Emit(Inst::kIdVaddps, a, b);
}
JitVector operator-(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitVector(a.number() - b.number());
  return Emit(Inst::kIdVsubps, a, b);
}
JitVector operator*(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitVector(a.number() * b.number());
  // Known numbers go second, where they may be in memory.
  return a.known() ? Emit(Inst::kIdVmulps, b, a) : Emit(Inst::kIdVmulps, a, b);
}
JitVector operator/(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitVector(a.number() / b.number());
  return Emit(Inst::kIdVdivps, a, b);
}
JitVector operator-(const JitVector& a) {
  if (a.known()) return JitVector(-a.number());
  return EmitBits(Inst::kIdVxorps, a, kSign);
}

JitMask operator<(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitMask(a.number() < b.number());
  return Compare(VCmpImm::kLT_OQ, a, b);
}
JitMask operator<=(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitMask(a.number() <= b.number());
  return Compare(VCmpImm::kLE_OQ, a, b);
}
JitMask operator>(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitMask(a.number() > b.number());
  return Compare(VCmpImm::kGT_OQ, a, b);
}
JitMask operator>=(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitMask(a.number() >= b.number());
  return Compare(VCmpImm::kGE_OQ, a, b);
}
JitMask operator==(const JitVector& a, const JitVector& b) {
  if (BothKnown(a, b)) return JitMask(a.number() == b.number());
  return Compare(VCmpImm::kEQ_OQ, a, b);
}

JitMask operator!(const JitMask& a) {
  if (a.known()) return JitMask(!a.value());
  Compiler* cc = a.compiler();
  const Ymm dst = cc->newYmmPs();
  cc->vxorps(dst, a.reg(), Pooled(*cc, 0xffffffffu));
  return {cc, dst};
}
JitMask operator&(const JitMask& a, const JitMask& b) {
  if (a.known()) return a.value() ? b : a;
  if (b.known()) return b.value() ? a : b;
  const Ymm dst = a.compiler()->newYmmPs();
  a.compiler()->vandps(dst, a.reg(), b.reg());
  return {a.compiler(), dst};
}
JitMask operator|(const JitMask& a, const JitMask& b) {
  if (a.known()) return a.value() ? a : b;
  if (b.known()) return b.value() ? b : a;
  const Ymm dst = a.compiler()->newYmmPs();
  a.compiler()->vorps(dst, a.reg(), b.reg());
  return {a.compiler(), dst};
}

// An exponent of all ones is that of NaN and the infinities.
JitMask IsFinite(const JitVector& a) {
  if (a.known()) {
    const auto bits = std::bit_cast<std::uint32_t>(a.number());
    return JitMask((bits & kExponent) != kExponent);
  }
  Compiler* cc = a.compiler();
  const JitVector exponent = EmitBits(Inst::kIdVandps, a, kExponent);
  const Ymm odd = cc->newYmmPs();
  cc->vpcmpeqd(odd, exponent.Register(*cc), Pooled(*cc, kExponent));
  return !JitMask(cc, odd);
}

}  // namespace jit
}  // namespace gyre::internal::inline autodiff

namespace gyre::internal::inline core {
namespace {

using jit::JitVector;
namespace Inst = asmjit::x86::Inst;
using asmjit::x86::Ymm;

// Rounding modes of vroundps.
constexpr int kToEven = 8, kDown = 9, kUp = 10;

JitVector Round(const JitVector& x, int mode) {
  asmjit::x86::Compiler* cc = x.compiler();
  const Ymm dst = cc->newYmmPs();
  cc->vroundps(dst, x.Register(*cc), asmjit::Imm(mode));
  return {cc, dst};
}

}  // namespace

using JitLanes = Lanes<jit::JitVector>;
using Scalars = Lanes<float>;

// Fused instructions overwrite their first operand, and may read the last
// from memory.
JitVector JitLanes::Fma(const V& a, const V& b, const V& c) {
  if (a.known() && b.known() && c.known()) {
    return V(Scalars::Fma(a.number(), b.number(), c.number()));
  }
  if (a.known() && !b.known()) return Fma(b, a, c);
  asmjit::x86::Compiler& cc = a.known() ? *c.compiler() : *a.compiler();
  if (b.known() && !c.known()) {
    const Ymm dst = c.Copy(cc);
    cc.emit(Inst::kIdVfmadd231ps, dst, a.Register(cc), b.Operand(cc));
    return {&cc, dst};
  }
  if (b.known()) {
    const Ymm dst = b.Copy(cc);
    cc.emit(Inst::kIdVfmadd213ps, dst, a.Register(cc), c.Operand(cc));
    return {&cc, dst};
  }
  const Ymm dst = a.Copy(cc);
  cc.emit(Inst::kIdVfmadd213ps, dst, b.Register(cc), c.Operand(cc));
  return {&cc, dst};
}

JitVector JitLanes::RoundEven(const V& x) {
  return x.known() ? V(Scalars::RoundEven(x.number())) : Round(x, kToEven);
}
JitVector JitLanes::Floor(const V& x) {
  return x.known() ? V(Scalars::Floor(x.number())) : Round(x, kDown);
}
JitVector JitLanes::Ceil(const V& x) {
  return x.known() ? V(Scalars::Ceil(x.number())) : Round(x, kUp);
}

JitVector JitLanes::Sqrt(const V& x) {
  if (x.known()) return V(Scalars::Sqrt(x.number()));
  asmjit::x86::Compiler* cc = x.compiler();
  const Ymm dst = cc->newYmmPs();
  cc->vsqrtps(dst, x.Register(*cc));
  return {cc, dst};
}

JitVector JitLanes::Abs(const V& x) {
  if (x.known()) return V(Scalars::Abs(x.number()));
  return jit::EmitBits(Inst::kIdVandps, x, ~jit::kSign);
}

JitVector JitLanes::CopySign(const V& a, const V& s) {
  if (jit::BothKnown(a, s)) {
    return V(Scalars::CopySign(a.number(), s.number()));
  }
  if (s.known()) {
    const V magnitude = Abs(a);
    return std::signbit(s.number()) ? -magnitude : magnitude;
  }
  return Or(jit::EmitBits(Inst::kIdVandps, s, jit::kSign), Abs(a));
}

JitVector JitLanes::FlipSign(const V& a, const V& s) {
  if (s.known()) return std::signbit(s.number()) ? -a : a;
  return jit::Emit(
      Inst::kIdVxorps, jit::EmitBits(Inst::kIdVandps, s, jit::kSign), a);
}

JitVector JitLanes::RawMin(const V& a, const V& b) {
  if (jit::BothKnown(a, b)) {
    return V(Scalars::RawMin(a.number(), b.number()));
  }
  return jit::Emit(Inst::kIdVminps, a, b);
}
JitVector JitLanes::RawMax(const V& a, const V& b) {
  if (jit::BothKnown(a, b)) {
    return V(Scalars::RawMax(a.number(), b.number()));
  }
  return jit::Emit(Inst::kIdVmaxps, a, b);
}
JitVector JitLanes::Or(const V& a, const V& b) {
  if (jit::BothKnown(a, b)) return V(Scalars::Or(a.number(), b.number()));
  return jit::Emit(Inst::kIdVorps, a, b);
}

JitVector JitLanes::Select(const Mask& mask, const V& a, const V& b) {
  if (mask.known()) return mask.value() ? a : b;
  asmjit::x86::Compiler* cc = mask.compiler();
  const Ymm dst = cc->newYmmPs();
  // Chooses its second source where the mask is set.
  cc->emit(
      Inst::kIdVblendvps, dst, b.Register(*cc), a.Operand(*cc), mask.reg());
  return {cc, dst};
}

JitVector JitLanes::Exp2Int(const V& n) {
  using Bits = internal::FloatBits<float>;
  if (n.known()) return V(Scalars::Exp2Int(n.number()));
  const V shifted =
      n + V(internal::kIntShift<float> + static_cast<float>(Bits::kBias));
  asmjit::x86::Compiler* cc = n.compiler();
  const Ymm dst = cc->newYmmPs();
  cc->vpslld(dst, shifted.Register(*cc), asmjit::Imm(Bits::kFraction));
  return {cc, dst};
}

JitVector JitLanes::Normalize(const V& x, V* e) {
  using Bits = internal::FloatBits<float>;
  if (x.known()) {
    float exponent = 0;
    const float m = Scalars::Normalize(x.number(), &exponent);
    *e = V(exponent);
    return V(m);
  }
  asmjit::x86::Compiler* cc = x.compiler();
  const Ymm bits = x.Register(*cc);
  const Ymm exponent = cc->newYmmPs();
  cc->vpsubd(exponent, bits, jit::Pooled(*cc, std::uint32_t{Bits::kSqrtHalf}));
  const Ymm shifted = cc->newYmmPs();
  cc->vpsrad(shifted, exponent, asmjit::Imm(Bits::kFraction));
  const Ymm as_float = cc->newYmmPs();
  cc->vcvtdq2ps(as_float, shifted);
  *e = V(cc, as_float);
  const Ymm back = cc->newYmmPs();
  cc->vpslld(back, shifted, asmjit::Imm(Bits::kFraction));
  const Ymm result = cc->newYmmPs();
  cc->vpsubd(result, bits, back);
  return {cc, result};
}

}  // namespace gyre::internal::inline core
