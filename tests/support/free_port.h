// A port of the loopback that nobody has at the moment.

#ifndef GYRE_TESTS_SUPPORT_FREE_PORT_H_
#define GYRE_TESTS_SUPPORT_FREE_PORT_H_

#include "tests/support/deaf_listener.h"

namespace gyre::internal::inline tests {

inline int FreePort() { return DeafListener().port(); }

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_FREE_PORT_H_
