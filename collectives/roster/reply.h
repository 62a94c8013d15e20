// What rank 0 answers to all: the roster, or the error. Internal to roster.

#ifndef GYRE_COLLECTIVES_ROSTER_REPLY_H_
#define GYRE_COLLECTIVES_ROSTER_REPLY_H_

#include <grpcpp/support/byte_buffer.h>

#include <string>

#include "gyre/collectives/roster/rank_card.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives::roster {

inline constexpr char kJoin[] = "/gyre/join";

::grpc::ByteBuffer Pack(const std::string& text);
std::string Unpack(const ::grpc::ByteBuffer& bytes);

std::string EncodeReply(const StatusOr<Roster>& reply);
// The error that was encoded, or one about the text.
StatusOr<Roster> DecodeReply(const std::string& text);

}  // namespace gyre::internal::inline collectives::roster

#endif  // GYRE_COLLECTIVES_ROSTER_REPLY_H_
