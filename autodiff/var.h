// A traced value: what a model and a loss compute with.
//
//   Var Loss(Var pred, Var target) {        // pred, target: (batch, 6)
//     const Var error = pred - target;
//     return mean(error * error);
//   }
//
// A Var is a small handle into the tape. Its shape, dtype and the mesh axes
// over which it varies can be read; its number cannot, because the program
// is traced once and replayed every step.
//
// WARNING 1: `if (var)` does not compile: branches are written with select().
// WARNING 2: both branches of a select are evaluated; guard the argument of a
// log or sqrt with a select of its own (see safe_log in autodiff/ops/safe.h).
// WARNING 3: after an error every result is poisoned; the first error, with
// the line that made it, comes back from Compile.
// WARNING 4: a Var means something in the trace that made it and in no other:
// one that is static, or captured by a functor that outlives the trace, is an
// error where it is used again.

#ifndef GYRE_AUTODIFF_VAR_H_
#define GYRE_AUTODIFF_VAR_H_

#include <concepts>
#include <cstdint>
#include <memory>
#include <utility>

#include "gyre/core/dtype.h"
#include "gyre/core/shape.h"
#include "gyre/core/source_loc.h"
#include "gyre/mesh/mesh.h"

namespace gyre::internal::inline autodiff {
class Tape;
struct TapeMark;  // autodiff/tape_mark.h
}  // namespace gyre::internal::inline autodiff

namespace gyre {

using ValueId = std::int32_t;

namespace internal {
template <class>
inline constexpr bool kAlwaysFalse = false;
}  // namespace internal

class Var {
 public:
  Var() = default;  // no value
  Var(internal::Tape* tape, ValueId id);
  // Stands for one that cannot be used, until somebody is there to be told.
  explicit Var(std::shared_ptr<const internal::TapeMark> fault)
      : mark_(std::move(fault)) {}

  const Shape& shape() const;
  DType dtype() const;
  int rank() const { return shape().rank(); }
  // The mesh axes on which ranks hold different numbers.
  AxisSet varies() const;

  // Null for a default Var, and where the tape is gone.
  internal::Tape* tape() const;
  ValueId id() const { return id_; }
  // False for a default Var, after an error in the trace, and for one of a
  // tape that is gone.
  bool valid() const;
  // False for a default Var alone: nothing was given.
  bool given() const { return mark_ != nullptr; }
  const internal::TapeMark* mark() const { return mark_.get(); }

  template <std::same_as<bool> B>
  explicit operator B() const {
    static_assert(internal::kAlwaysFalse<B>,
                  "a traced value has no number yet: use select(), not if or "
                  "while, and logical_and(), not &&");
    return false;
  }

 private:
  // What it knows of its tape, and outlives the tape: null for a default Var.
  std::shared_ptr<const internal::TapeMark> mark_;
  ValueId id_ = -1;
};

namespace internal {

// The Var, if an operation can be recorded on it now; else one that is not
// valid() and knows what is wrong, and that `loc` is where it was met.
Var Usable(Var var, const SourceLoc& loc);

}  // namespace internal

// An argument of an operation: a Var or a number, and the line it stands on.
// Made by conversion, so that every operator knows its caller.
class Traced {
 public:
  Traced(const Var& var,  // NOLINT: implicit on purpose
         const char* file = __builtin_FILE(),
         int line = __builtin_LINE())
      : var_(internal::Usable(var, {file, line})), loc_{file, line} {}
  Traced(double number,  // NOLINT: implicit on purpose
         const char* file = __builtin_FILE(),
         int line = __builtin_LINE())
      : number_(number), is_number_(true), loc_{file, line} {}

  const Var& var() const { return var_; }
  bool is_number() const { return is_number_; }
  double number() const { return number_; }
  const SourceLoc& loc() const { return loc_; }

 private:
  Var var_;
  double number_ = 0;
  bool is_number_ = false;
  SourceLoc loc_;
};

}  // namespace gyre

#endif  // GYRE_AUTODIFF_VAR_H_
