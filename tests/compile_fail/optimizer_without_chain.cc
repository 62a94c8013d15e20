// EXPECT: private
#include "gyre/optim/chain.h"
#include "gyre/optim/schedule.h"

using namespace gyre::optim;
#ifdef GYRE_FAIL
Optimizer<Scale> opt(Guard{}, {Scale{-1}});
#else
Optimizer<Scale> opt = Chain(Guard{}, Scale{-1});
#endif
