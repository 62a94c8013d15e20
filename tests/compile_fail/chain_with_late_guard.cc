// EXPECT: An optimizer chain must start with optim::Guard.
#include "gyre/optim/adam.h"
#include "gyre/optim/chain.h"

using namespace gyre::optim;
#ifdef GYRE_FAIL
auto opt = Chain(Adam(Constant{1e-3}), Guard{.max_norm = 1});
#else
auto opt = Chain(Guard{.max_norm = 1}, Adam(Constant{1e-3}));
#endif
