// What ranks tell each other beside their collectives, on one stream for each
// pair: that they are there, give up, go, and what they are busy with.

#ifndef GYRE_COLLECTIVES_GRPC_CONTROL_MESSAGE_H_
#define GYRE_COLLECTIVES_GRPC_CONTROL_MESSAGE_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <optional>
#include <string>

namespace gyre {

inline constexpr char kControlMethod[] = "/gyre/control";

enum class ControlKind : std::uint8_t {
  kHello,     // the one who was dialed has admitted the other
  kActivity,  // number: step + 1 (0: none); text: "forward"
  kAbort,     // number: the rank that gave up; text: why. Passed on by others
  kLeave,     // goes in peace, and waits for kLeft
  kLeft,      // all that came before kLeave has been taken
};

struct ControlMessage {
  ControlKind kind = ControlKind::kHello;
  std::int64_t number = 0;
  std::string text;  // cut to 4 KiB
};

::grpc::ByteBuffer Encode(const ControlMessage& message);
// Nothing for what is none.
std::optional<ControlMessage> DecodeControl(const ::grpc::ByteBuffer& bytes);

}  // namespace gyre

#endif  // GYRE_COLLECTIVES_GRPC_CONTROL_MESSAGE_H_
