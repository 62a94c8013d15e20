// EXPECT: A stage that must be last, as TrackEma, is not the last.
#include "optim/adam.h"
#include "optim/chain.h"
#include "optim/ema.h"

using namespace gyre::optim;
#ifdef GYRE_FAIL
auto opt = Chain(Guard{}, TrackEma{}, Adam(Constant{1e-3}));
#else
auto opt = Chain(Guard{}, Adam(Constant{1e-3}), TrackEma{});
#endif
