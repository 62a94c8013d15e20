// The tensors of one batch, as a model and a loss see them while tracing.
//
//   Var Loss(Var pred, const BatchVars& batch) {
//     return mean(square(pred - batch["target"]));
//   }

#ifndef GYRE_MODELS_BATCH_VARS_H_
#define GYRE_MODELS_BATCH_VARS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "gyre/autodiff/tape.h"
#include "gyre/autodiff/var.h"

namespace gyre {

// The name of a tensor, and the line that asks for it. Made by conversion.
class BatchKey {
 public:
  BatchKey(const char* name,  // NOLINT: implicit on purpose
           const char* file = __builtin_FILE(),
           int line = __builtin_LINE())
      : name_(name), loc_{file, line} {}
  BatchKey(std::string name,  // NOLINT: implicit on purpose
           const char* file = __builtin_FILE(),
           int line = __builtin_LINE())
      : name_(std::move(name)), loc_{file, line} {}

  const std::string& name() const { return name_; }
  const SourceLoc& loc() const { return loc_; }

 private:
  std::string name_;
  SourceLoc loc_;
};

class BatchVars {
 public:
  // `wide`: the program computes in f64 (TrainSpec::compute).
  BatchVars(internal::Tape& tape,
            std::map<std::string, Var> vars,
            bool wide = false)
      : tape_(&tape), mark_(tape.mark()), vars_(std::move(vars)), wide_(wide) {}

  // The named tensor; a name that the batch does not have is an error of the
  // trace, at the line that asked.
  Var operator[](const BatchKey& key) const;

  // A tensor known now, the same on every rank and in every step. One of f32
  // is made f64 where the program computes in f64.
  Var Constant(Tensor tensor,
               const char* file = __builtin_FILE(),
               int line = __builtin_LINE()) const;

  internal::Tape& tape() const { return *tape_; }

 private:
  internal::Tape* tape_;
  std::shared_ptr<const internal::TapeMark> mark_;  // of the tape
  std::map<std::string, Var> vars_;
  bool wide_;
};

}  // namespace gyre

#endif  // GYRE_MODELS_BATCH_VARS_H_
