// Exit codes of every Gyre program.

#ifndef GYRE_CORE_EXIT_CODE_H_
#define GYRE_CORE_EXIT_CODE_H_

#include "gyre/core/early_end.h"
#include "gyre/core/status.h"
#include "gyre/core/stop_signals.h"

namespace gyre {

enum ExitCode : int {
  kExitDone = 0,
  kExitUsage = 2,       // usage or configuration
  kExitData = 3,        // input data
  kExitPeer = 4,        // a peer was lost or late
  kExitMismatch = 5,    // ranks disagree: program, shape, checksum
  kExitGuard = 6,       // the guard's budget is spent
  kExitCheckpoint = 7,  // a checkpoint cannot be written or read
  kExitInternal = 8,    // a fault of ours
};

inline int ExitCodeOf(const Status& status) {
  if (status.ok() || internal::IsEarlyEnd(status)) return kExitDone;
  if (const auto signal = internal::StopSignalOf(status)) return 128 + *signal;
  switch (KindOf(status)) {
    case ErrorKind::kConfig:
      return kExitUsage;
    case ErrorKind::kData:
      return kExitData;
    case ErrorKind::kPeer:
      return kExitPeer;
    case ErrorKind::kMismatch:
      return kExitMismatch;
    case ErrorKind::kGuard:
      return kExitGuard;
    case ErrorKind::kCheckpoint:
      return kExitCheckpoint;
    case ErrorKind::kInternal:
      break;
  }
  return kExitInternal;
}

}  // namespace gyre

#endif  // GYRE_CORE_EXIT_CODE_H_
