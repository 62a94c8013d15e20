// The line of the user's call, put on every operation that it is made of.
//
//   Var cube(Traced x) {
//     const Located at(x);
//     return at(at(x) * at(x)) * at(x);    // an error names the caller's line
//   }

#ifndef GYRE_AUTODIFF_OPS_LOCATED_H_
#define GYRE_AUTODIFF_OPS_LOCATED_H_

#include <memory>
#include <string_view>
#include <utility>

#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/var.h"

namespace gyre {

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

// The same for one value, and for an error at an argument.
inline Traced At(Var var, const SourceLoc& loc) { return Located(loc)(var); }
inline Var Fail(const Traced& x, std::string_view op, const Status& status) {
  return Located(x).Fail(x.var(), op, status);
}

}  // namespace gyre

#endif  // GYRE_AUTODIFF_OPS_LOCATED_H_
