// What ranks tell each other beside their collectives, on one stream for each
// pair: that they are there, give up, go, and what they are busy with.

#ifndef GYRE_COLLECTIVES_GRPC_CONTROL_MESSAGE_H_
#define GYRE_COLLECTIVES_GRPC_CONTROL_MESSAGE_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <optional>
#include <string>

#include "gyre/collectives/group_failure.h"

namespace gyre::internal::inline collectives {

inline constexpr char kControlMethod[] = "/gyre/control";

enum class ControlKind : std::uint8_t {
  kHello,     // the one who was dialed has admitted the other
  kActivity,  // number: step + 1 (0: none); text: "forward"
  kAbort,     // number: the rank that gave up; text: why. Passed on by others
  kLeave,     // goes in peace, and waits for kLeft
  kLeft,      // all that came before kLeave has been taken
  kFail,      // number: the call from which on it fails; text: FailText
};

struct ControlMessage {
  ControlKind kind = ControlKind::kHello;
  std::int64_t number = 0;
  std::string text;  // cut to 4 KiB
};

// The text of kFail: "7 0 why", of group 7 and what is not late.
std::string FailText(std::uint32_t group, const GroupFailure& failure);
struct ToldFailure {
  std::uint32_t group = 0;
  GroupFailure failure = {};
};
// Nothing for a message that is none.
std::optional<ToldFailure> ReadFailure(int from, const ControlMessage& message);

::grpc::ByteBuffer Encode(const ControlMessage& message);
// Nothing for what is none.
std::optional<ControlMessage> DecodeControl(const ::grpc::ByteBuffer& bytes);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_CONTROL_MESSAGE_H_
