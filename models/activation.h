// The activations that layers can be asked for by name.

#ifndef GYRE_MODELS_ACTIVATION_H_
#define GYRE_MODELS_ACTIVATION_H_

#include <cstdint>

#include "gyre/autodiff/var.h"

namespace gyre {

enum class Activation : std::uint8_t { kTanh, kRelu, kGelu, kSilu };

Var activate(Traced x, Activation activation);

}  // namespace gyre

#endif  // GYRE_MODELS_ACTIVATION_H_
