#include "gyre/core/status.h"

#include <sstream>
#include <utility>

#include "absl/strings/cord.h"

namespace gyre {

using namespace internal;

namespace {

constexpr char kKindUrl[] = "gyre/error_kind";

absl::string_view AbslView(std::string_view text) {
  return absl::string_view(text.data(), text.size());
}

}  // namespace

void PrintText(std::ostream& out, const void* text) {
  out << static_cast<const char*>(text);
}

std::string CatParts(std::span<const PrintablePart> parts) {
  std::ostringstream out;
  for (const PrintablePart& part : parts) part.print(out, part.value);
  return std::move(out).str();
}

Status MakeError(ErrorKind kind,
                 absl::StatusCode code,
                 std::string_view message) {
  Status status(code, AbslView(message));
  const char tag = static_cast<char>('0' + static_cast<int>(kind));
  status.SetPayload(kKindUrl, absl::Cord(absl::string_view(&tag, 1)));
  return status;
}

ErrorKind KindOf(const Status& status) {
  const auto payload = status.GetPayload(kKindUrl);
  if (!payload.has_value() || payload->empty()) return ErrorKind::kInternal;
  return static_cast<ErrorKind>((*payload)[0] - '0');
}

std::string Message(const Status& status) {
  return std::string(status.message().data(), status.message().size());
}

Status Annotate(const Status& status, std::string_view prefix) {
  if (status.ok()) return status;
  return MakeError(KindOf(status), status.code(), Cat(prefix, Message(status)));
}

}  // namespace gyre
