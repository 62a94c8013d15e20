// The line of the user's call, put on every operation that it is made of.
//
//   Var cube(Traced x) {
//     const Located at(x);
//     return at(at(x) * at(x)) * at(x);    // an error names the caller's line
//   }

#ifndef GYRE_AUTODIFF_OPS_LOCATED_H_
#define GYRE_AUTODIFF_OPS_LOCATED_H_

#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/var.h"

namespace gyre::internal::inline autodiff {

class Located {
 public:
  explicit Located(const Traced& x) : loc_(x.loc()) {}
  explicit Located(const SourceLoc& loc) : loc_(loc) {}

  Traced operator()(Var var) const { return {var, loc_.file, loc_.line}; }
  Traced operator()(const Traced& x) const {
    return x.is_number() ? (*this)(x.number()) : (*this)(x.var());
  }
  Traced operator()(double number) const {
    return {number, loc_.file, loc_.line};
  }
  const SourceLoc& loc() const { return loc_; }

  // Records an operation of one input.
  Var Record(std::shared_ptr<const Op> op, Var input) const {
    return input.tape()->RecordOne(std::move(op), {&input, 1}, loc_);
  }
  // Keeps the error and gives a poisoned result.
  Var Fail(Var near, std::string_view op, const Status& status) const {
    near.tape()->NoteError(loc_, op, status);
    return Var(near.tape(), -1);
  }

 private:
  SourceLoc loc_;
};

// The first of an operation's operands that cannot be used, as the result of
// the operation; what is wrong is told to the tape of the others. Nothing: all
// can be used.
std::optional<Var> Unusable(std::string_view op,
                            std::initializer_list<Traced> operands);

// Looks at a broadcast of two ranks that stretches both operands, such as
// (16, 1) with (16): nearly always a mistake. A warning of the trace; false,
// and an error, between the prediction and the batch.
bool MayBroadcast(std::string_view op,
                  const Var& a,
                  const Var& b,
                  const SourceLoc& loc);

// A value at a line; an error at an argument.
inline Traced At(Var var, const SourceLoc& loc) { return Located(loc)(var); }
inline Var Fail(const Traced& x, std::string_view op, const Status& status) {
  return Located(x).Fail(x.var(), op, status);
}

}  // namespace gyre::internal::inline autodiff

#endif  // GYRE_AUTODIFF_OPS_LOCATED_H_
