#include "gyre/core/early_end.h"

#include "absl/strings/cord.h"

namespace gyre::internal::inline core {
namespace {

constexpr char kUrl[] = "gyre/early_end";

}  // namespace

Status EarlyEnd(std::string_view message) {
  Status status =
      MakeError(ErrorKind::kConfig, absl::StatusCode::kCancelled, message);
  status.SetPayload(kUrl, absl::Cord("done"));
  return status;
}

bool IsEarlyEnd(const Status& status) {
  return status.GetPayload(kUrl).has_value();
}

}  // namespace gyre::internal::inline core
