// EXPECT: An optimizer chain must start with optim::Guard.
#include "gyre/optim/adam.h"
#include "gyre/optim/chain.h"

using namespace gyre::optim;
#ifdef GYRE_FAIL
auto opt = Chain(ScaleByAdam{}, ScaleByLearningRate{Constant{1e-3}});
#else
auto opt = Chain(Guard{}, ScaleByAdam{}, ScaleByLearningRate{Constant{1e-3}});
#endif
