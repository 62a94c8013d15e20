// Calls what a user has written, so that an exception ends the run with words
// and not the process with "terminate called".
//
//   GYRE_RETURN_IF_ERROR(GuardedCall(ErrorKind::kData, "Load", [&] {
//     return Fill(batch);
//   }));

#ifndef GYRE_TRAIN_DATA_GUARDED_CALL_H_
#define GYRE_TRAIN_DATA_GUARDED_CALL_H_

#include <exception>
#include <string_view>
#include <type_traits>

#include "gyre/core/status.h"

namespace gyre::internal::inline train {

// "Load threw: no such file". `what` names the call.
inline Status ThrownError(ErrorKind kind,
                          std::string_view what,
                          std::string_view text) {
  return kind == ErrorKind::kData ? DataError(what, " threw: ", text)
                                  : ConfigError(what, " threw: ", text);
}

// Gives what `call` gives, a Status or a StatusOr, and an error where it
// throws: of kind data, or of kind config.
template <class Call>
std::invoke_result_t<Call> GuardedCall(ErrorKind kind,
                                       std::string_view what,
                                       Call&& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    return ThrownError(kind, what, error.what());
  } catch (...) {
    return ThrownError(kind, what, "something that is no std::exception");
  }
}

}  // namespace gyre::internal::inline train

#endif  // GYRE_TRAIN_DATA_GUARDED_CALL_H_
