// EXPECT: A stage that must be last, as TrackEma, is not the last.
#include "gyre/optim/adam.h"
#include "gyre/optim/chain.h"
#include "gyre/optim/ema.h"

using namespace gyre::optim;
#ifdef GYRE_FAIL
auto opt = Chain(Guard{}, TrackEma{}, Adam(Constant{1e-3}));
#else
auto opt = Chain(Guard{}, Adam(Constant{1e-3}), TrackEma{});
#endif
