// A traced value has no number: `if` on one must not compile, and says what
// to write instead.
// EXPECT: a traced value has no number yet: use select()

#include "gyre/autodiff/ops/elementwise.h"

gyre::Var Clamp(gyre::Var x) {
#ifdef GYRE_FAIL
  if (x > 0.0) return x;
  return 0.0 * x;
#else
  return select(x > 0.0, x, 0.0);
#endif
}
