// Errors as values, and the text they carry.
//
//   Status Load(const std::string& path) {
//     if (!std::ifstream(path)) {
//       return DataError("no file ", path, ": give another --data");
//     }
//     GYRE_ASSIGN_OR_RETURN(const Tensor grid, ReadGrid(path));
//     GYRE_RETURN_IF_ERROR(Validate(grid));
//     return OkStatus();
//   }
//
// A message says what was expected, what came, and what to do. The kind of an
// error decides the exit code of the program (core/exit_code.h).
//
// WARNING 1: build a Status with the functions below, never with Abseil's own:
// Debian's absl::string_view and std::string_view do not convert.
// WARNING 2: a third party that throws is caught in one adapter, close by.
// WARNING 3: compilers know one line for all that stands inside a macro's
// parentheses, its first (g++) or its last (clang). What shall be known by its
// line, such as a model or a loss written as a lambda, stands before them:
//   spec.loss = [](Var pred, const BatchVars& b) {
//     return mean(square(pred - b["y"]));
//   };
//   GYRE_ASSIGN_OR_RETURN(auto step, TrainStep::Compile(spec));

#ifndef GYRE_CORE_STATUS_H_
#define GYRE_CORE_STATUS_H_

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gyre {

using Status = absl::Status;
template <class T>
using StatusOr = absl::StatusOr<T>;

inline Status OkStatus() { return Status(); }

// What went wrong, as the person who runs the program would sort it.
enum class ErrorKind {
  kConfig,      // usage, flags, shapes in the user's program
  kData,        // input files and their contents
  kPeer,        // another rank is lost or late
  kMismatch,    // ranks disagree: program, shape, checksum
  kGuard,       // the guard's budget is spent
  kCheckpoint,  // a checkpoint cannot be written or read
  kInternal,    // a fault of ours
};

// Something that can be printed, without its type: one function prints any
// list of them, so that a message costs its caller little code.
struct PrintablePart {
  const void* value;
  void (*print)(std::ostream& out, const void* value);
};

template <class T>
void PrintPart(std::ostream& out, const void* value) {
  out << *static_cast<const T*>(value);
}

void PrintText(std::ostream& out, const void* text);

template <class T>
PrintablePart PartOf(const T& value) {
  if constexpr (std::is_array_v<T>) {
    return {value, PrintText};  // one function for literals of any length
  } else {
    return {&value, PrintPart<T>};
  }
}

std::string CatParts(std::span<const PrintablePart> parts);

// All parts as one string, each as operator<< prints it.
template <class... Parts>
std::string Cat(const Parts&... parts) {
  const PrintablePart list[] = {PartOf(parts)..., {}};
  return CatParts({list, sizeof...(parts)});
}

Status MakeError(ErrorKind kind,
                 absl::StatusCode code,
                 std::string_view message);

template <class... Parts>
Status ConfigError(const Parts&... parts) {
  return MakeError(
      ErrorKind::kConfig, absl::StatusCode::kInvalidArgument, Cat(parts...));
}
template <class... Parts>
Status DataError(const Parts&... parts) {
  return MakeError(
      ErrorKind::kData, absl::StatusCode::kDataLoss, Cat(parts...));
}
template <class... Parts>
Status PeerLostError(const Parts&... parts) {
  return MakeError(
      ErrorKind::kPeer, absl::StatusCode::kUnavailable, Cat(parts...));
}
template <class... Parts>
Status DeadlineError(const Parts&... parts) {
  return MakeError(
      ErrorKind::kPeer, absl::StatusCode::kDeadlineExceeded, Cat(parts...));
}
template <class... Parts>
Status MismatchError(const Parts&... parts) {
  return MakeError(
      ErrorKind::kMismatch, absl::StatusCode::kAborted, Cat(parts...));
}
template <class... Parts>
Status GuardError(const Parts&... parts) {
  return MakeError(
      ErrorKind::kGuard, absl::StatusCode::kFailedPrecondition, Cat(parts...));
}
template <class... Parts>
Status CheckpointError(const Parts&... parts) {
  return MakeError(
      ErrorKind::kCheckpoint, absl::StatusCode::kDataLoss, Cat(parts...));
}
template <class... Parts>
Status InternalError(const Parts&... parts) {
  return MakeError(
      ErrorKind::kInternal, absl::StatusCode::kInternal, Cat(parts...));
}

// The kind a status was made with; kInternal for one made elsewhere.
ErrorKind KindOf(const Status& status);

// The message alone, without the code's name.
std::string Message(const Status& status);

// The same error with `prefix` put before its message.
Status Annotate(const Status& status, std::string_view prefix);

}  // namespace gyre

#define GYRE_RETURN_IF_ERROR(expr)                                  \
  do {                                                              \
    if (::gyre::Status gyre_status_ = (expr); !gyre_status_.ok()) { \
      return gyre_status_;                                          \
    }                                                               \
  } while (false)

#define GYRE_CONCAT_INNER_(a, b) a##b
#define GYRE_CONCAT_(a, b) GYRE_CONCAT_INNER_(a, b)
#define GYRE_ASSIGN_OR_RETURN(lhs, expr) \
  GYRE_ASSIGN_OR_RETURN_IMPL_(GYRE_CONCAT_(gyre_result_, __LINE__), lhs, expr)
#define GYRE_ASSIGN_OR_RETURN_IMPL_(result, lhs, expr) \
  auto result = (expr);                                \
  if (!result.ok()) return result.status();            \
  lhs = *std::move(result)

#endif  // GYRE_CORE_STATUS_H_
