// What the three examples share: a small network, an optimizer, 300 steps.

#ifndef GYRE_APPS_EXAMPLES_TRAIN_EXAMPLE_H_
#define GYRE_APPS_EXAMPLES_TRAIN_EXAMPLE_H_

#include <gyre/train.h>

#include <string>

namespace gyre::examples {

// Trains with the loss and prints the first and the last; runs alone and
// under `gyre launch`. Gives the program's exit code: not 0 if the loss did
// not fall to a third.
int TrainExample(const std::string& name, const LossFunction& loss);

}  // namespace gyre::examples

#endif  // GYRE_APPS_EXAMPLES_TRAIN_EXAMPLE_H_
