#include "gyre/collectives/roster/reply.h"

#include <vector>

namespace gyre::internal::inline collectives::roster {
namespace {

StatusOr<Roster> DecodeRoster(const Json& json) {
  Roster roster;
  GYRE_ASSIGN_OR_RETURN(roster.backend, json.GetString("backend"));
  GYRE_ASSIGN_OR_RETURN(roster.shm_path, json.GetString("shm_path"));
  const Json* const cards = json.Find("cards");
  if (cards == nullptr) return InternalError("a roster without cards");
  for (const Json& element : cards->elements()) {
    GYRE_ASSIGN_OR_RETURN(RankCard card, RankCard::FromJson(element));
    roster.cards.push_back(std::move(card));
  }
  return roster;
}

}  // namespace

::grpc::ByteBuffer Pack(const std::string& text) {
  const ::grpc::Slice slice(text.data(), text.size());
  return ::grpc::ByteBuffer(&slice, 1);
}

std::string Unpack(const ::grpc::ByteBuffer& bytes) {
  std::vector<::grpc::Slice> slices;
  std::string text;
  if (!bytes.Dump(&slices).ok()) return text;
  for (const ::grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

std::string EncodeReply(const StatusOr<Roster>& reply) {
  if (!reply.ok()) {
    return Json::Object({{"error", Message(reply.status())},
                         {"kind", static_cast<int>(KindOf(reply.status()))},
                         {"code", static_cast<int>(reply.status().code())}})
        .Dump();
  }
  Json cards = Json::Array();
  for (const RankCard& card : reply->cards) cards.Append(card.ToJson());
  return Json::Object({{"backend", reply->backend},
                       {"shm_path", reply->shm_path},
                       {"cards", std::move(cards)}})
      .Dump();
}

StatusOr<Roster> DecodeReply(const std::string& text) {
  GYRE_ASSIGN_OR_RETURN(const Json json,
                        Json::Parse(text, "what rank 0 answered"));
  if (json.Find("error") == nullptr) return DecodeRoster(json);
  GYRE_ASSIGN_OR_RETURN(const std::string why, json.GetString("error"));
  GYRE_ASSIGN_OR_RETURN(const std::int64_t kind, json.GetInt("kind"));
  GYRE_ASSIGN_OR_RETURN(const std::int64_t code, json.GetInt("code"));
  if (kind < 0 || kind > static_cast<int>(ErrorKind::kInternal)) {
    return InternalError(why);
  }
  return MakeError(
      static_cast<ErrorKind>(kind), static_cast<absl::StatusCode>(code), why);
}

}  // namespace gyre::internal::inline collectives::roster
