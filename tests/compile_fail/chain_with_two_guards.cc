// EXPECT: An optimizer chain has exactly one optim::Guard
#include "gyre/optim/adam.h"
#include "gyre/optim/chain.h"

using namespace gyre::optim;
#ifdef GYRE_FAIL
auto opt = Chain(Guard{}, ScaleByAdam{}, Guard{}, Scale{-1});
#else
auto opt = Chain(Guard{}, ScaleByAdam{}, Scale{-1});
#endif
