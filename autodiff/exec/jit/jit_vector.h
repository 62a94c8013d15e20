// A vector of eight floats in a register of code that is being generated.
//
//   x86::Compiler cc(&code);
//   const JitVector x(&cc, register_of_x);
//   const JitVector y = kernels::Exp(x);   // emits the instructions of exp
//
// A JitVector is either a register or a number known now. Operations on known
// numbers alone are done now, by the same scalar functions; beside a register
// a number becomes an operand in memory. Registers are written once.
//
// WARNING 1: the compiler must outlive its vectors.

#ifndef GYRE_AUTODIFF_EXEC_JIT_JIT_VECTOR_H_
#define GYRE_AUTODIFF_EXEC_JIT_JIT_VECTOR_H_

#include <asmjit/x86.h>

#include <type_traits>

#include "gyre/core/lanes.h"

namespace gyre::internal::inline autodiff::jit {

class JitVector {
 public:
  JitVector() = default;
  template <class S>
  requires std::is_arithmetic_v<S>
  explicit JitVector(S number) : number_(static_cast<float>(number)) {}
  JitVector(asmjit::x86::Compiler* cc, const asmjit::x86::Ymm& reg)
      : cc_(cc), reg_(reg) {}

  bool known() const { return cc_ == nullptr; }
  float number() const { return number_; }
  asmjit::x86::Compiler* compiler() const { return cc_; }

  // In a register of `cc`, loaded if it is known.
  asmjit::x86::Ymm Register(asmjit::x86::Compiler& cc) const;
  // As the last operand of an instruction.
  asmjit::Operand Operand(asmjit::x86::Compiler& cc) const;
  // A fresh register with the same numbers, for instructions that overwrite.
  asmjit::x86::Ymm Copy(asmjit::x86::Compiler& cc) const;

 private:
  asmjit::x86::Compiler* cc_ = nullptr;
  asmjit::x86::Ymm reg_;
  float number_ = 0;
};

// All bits of a lane, or none.
class JitMask {
 public:
  explicit JitMask(bool known) : known_value_(known) {}
  JitMask(asmjit::x86::Compiler* cc, const asmjit::x86::Ymm& reg)
      : cc_(cc), reg_(reg) {}

  bool known() const { return cc_ == nullptr; }
  bool value() const { return known_value_; }
  asmjit::x86::Compiler* compiler() const { return cc_; }
  const asmjit::x86::Ymm& reg() const { return reg_; }

 private:
  asmjit::x86::Compiler* cc_ = nullptr;
  asmjit::x86::Ymm reg_;
  bool known_value_ = false;
};

JitVector operator+(const JitVector& a, const JitVector& b);
JitVector operator-(const JitVector& a, const JitVector& b);
JitVector operator*(const JitVector& a, const JitVector& b);
JitVector operator/(const JitVector& a, const JitVector& b);
JitVector operator-(const JitVector& a);

JitMask operator<(const JitVector& a, const JitVector& b);
JitMask operator<=(const JitVector& a, const JitVector& b);
JitMask operator>(const JitVector& a, const JitVector& b);
JitMask operator>=(const JitVector& a, const JitVector& b);
JitMask operator==(const JitVector& a, const JitVector& b);
JitMask operator!(const JitMask& a);
JitMask operator&(const JitMask& a, const JitMask& b);
JitMask operator|(const JitMask& a, const JitMask& b);
JitMask IsFinite(const JitVector& a);

}  // namespace gyre::internal::inline autodiff::jit

namespace gyre::internal::inline core {

template <>
struct Lanes<jit::JitVector> {
  using V = jit::JitVector;
  using Scalar = float;
  using Mask = jit::JitMask;

  static V Fma(const V& a, const V& b, const V& c);
  static V RoundEven(const V& x);
  static V Floor(const V& x);
  static V Ceil(const V& x);
  static V Sqrt(const V& x);
  static V Abs(const V& x);
  static V CopySign(const V& a, const V& s);
  static V FlipSign(const V& a, const V& s);
  static V RawMin(const V& a, const V& b);
  static V RawMax(const V& a, const V& b);
  static V Or(const V& a, const V& b);
  static V Select(const Mask& mask, const V& a, const V& b);
  static V Exp2Int(const V& n);
  static V Normalize(const V& x, V* e);
};

}  // namespace gyre::internal::inline core

#endif  // GYRE_AUTODIFF_EXEC_JIT_JIT_VECTOR_H_
