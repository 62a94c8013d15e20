#include "gyre/models/activation.h"

#include "gyre/autodiff/ops/elementwise.h"

namespace gyre {

using namespace internal;

Var activate(Traced x, Activation activation) {
  switch (activation) {
    case Activation::kTanh:
      return tanh(x);
    case Activation::kRelu:
      return relu(x);
    case Activation::kGelu:
      return gelu(x);
    case Activation::kSilu:
      break;
  }
  return silu(x);
}

}  // namespace gyre
