// Which tensors something acts on: `.where = NotBiasOrNorm`, or a function or
// captureless lambda of your own.
//
//   AddDecayedWeights{.where = [](const TensorSlot& t) {
//     return t.name.starts_with("encoder");
//   }}

#ifndef GYRE_OPTIM_WHERE_H_
#define GYRE_OPTIM_WHERE_H_

#include <concepts>
#include <string>

#include "gyre/optim/layout.h"

namespace gyre::optim {

struct Where {
  using Test = bool (*)(const TensorSlot&);

  constexpr Where(Test t) : test(t) {}  // NOLINT: reads as the predicate
  template <class F>
  requires std::convertible_to<F, Test>
  constexpr Where(F f) : test(f) {}  // NOLINT

  Test test;
};

inline bool AllTensors(const TensorSlot&) { return true; }
inline bool NoTensors(const TensorSlot&) { return false; }
// Matrices and filters, not the vectors and scalars that biases and norms
// are made of: those are small, and decay would pull a scale of 1 to 0.
inline bool NotBiasOrNorm(const TensorSlot& t) { return t.shape.rank() >= 2; }

inline std::string NameOf(const Where& where) {
  if (where.test == &AllTensors) return "all";
  if (where.test == &NoTensors) return "none";
  return where.test == &NotBiasOrNorm ? "not_bias_or_norm" : "custom";
}

}  // namespace gyre::optim

#endif  // GYRE_OPTIM_WHERE_H_
