// EXPECT: Each stage after the guard needs kStates, Prepare and Apply
#include "gyre/optim/chain.h"
#include "gyre/optim/schedule.h"

using namespace gyre::optim;
#ifdef GYRE_FAIL
auto opt = Chain(Guard{}, 0.001);
#else
auto opt = Chain(Guard{}, Scale{-0.001});
#endif
