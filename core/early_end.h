// The end of a program that did all it was asked to before its own end: a
// replayed step (train/replay/replay.h) must not go on to train or evaluate. It
// travels like an error, so that no program needs code for it, and is none.

#ifndef GYRE_CORE_EARLY_END_H_
#define GYRE_CORE_EARLY_END_H_

#include <string_view>

#include "gyre/core/status.h"

namespace gyre::internal::inline core {

Status EarlyEnd(std::string_view message);

// Of a status that EarlyEnd made: the program is done, exit code 0.
bool IsEarlyEnd(const Status& status);

}  // namespace gyre::internal::inline core

#endif  // GYRE_CORE_EARLY_END_H_
