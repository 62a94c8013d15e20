// Where a network's layers are, found in its tape: the product that first
// uses a weight. Its result is what the layer hands on before bias and bend.
//
// WARNING 1: as results of the plan these arrays live until the step ends,
// also those that checkpoint() would have let go.

#ifndef GYRE_TRAIN_STEP_ACTIVATIONS_H_
#define GYRE_TRAIN_STEP_ACTIVATIONS_H_

#include <string>
#include <vector>

#include "gyre/models/params.h"

namespace gyre::internal::inline train {

// A layer, and the product in it.
struct LayerProduct {
  std::string layer;  // "hidden0" of the weight "hidden0.w"
  Var value;
};

// One for each layer that has a matrix product or a convolution, in the order
// of the parameters.
std::vector<LayerProduct> FindActivations(const Tape& tape,
                                          const Params& params);

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_STEP_ACTIVATIONS_H_
