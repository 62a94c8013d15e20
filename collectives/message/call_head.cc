#include "gyre/collectives/message/call_head.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "gyre/collectives/exchange_communicator.h"

namespace gyre::internal::inline collectives {
namespace {

template <std::size_t kBytes>
void Store(std::array<char, kBytes>& to, std::string_view text) {
  text.copy(to.data(), kBytes - 1);
}

template <std::size_t kBytes>
std::string Load(const std::array<char, kBytes>& from) {
  const auto end = std::find(from.begin(), from.end(), '\0');
  return std::string(from.begin(), end);
}

}  // namespace

CallHead MakeCallHead(const ControlRecord& record,
                      std::uint64_t detail,
                      std::uint64_t plan,
                      const CallSite& site) {
  CallHead head;
  head.record = record;
  head.detail = detail;
  head.plan = plan;
  Store(head.file, site.loc.Basename());
  Store(head.label, site.label);
  return head;
}

StatusOr<CallHead> ParseCallHead(std::span<const std::byte> bytes, int from) {
  CallHead head;
  if (bytes.size() == sizeof head) {
    std::memcpy(&head, bytes.data(), sizeof head);
    if (head.magic == CallHead::kMagic &&
        head.record.check == CheckOf(head.record)) {
      return head;
    }
  }
  return InternalError("the message of rank ",
                       from,
                       " (a head of ",
                       bytes.size(),
                       " bytes) is no control record: it is damaged, or from "
                       "another build of the program");
}

std::span<const std::byte> BytesOf(const CallHead& head) {
  return std::as_bytes(std::span(&head, 1));
}

CallText TextOf(const CallHead& head, int world_rank) {
  return {world_rank, head.record, Load(head.label), Load(head.file)};
}

std::string LastSeen(const CallHead& head) {
  const std::string label = Load(head.label);
  std::string text =
      Cat("last seen in ",
          DescribeCall({head.record.kind, head.record.sequence, label}));
  if (const std::string file = Load(head.file); !file.empty()) {
    text += Cat(" at ", file, ":", head.record.line);
  }
  if (head.record.step > 0) text += Cat(", step ", head.record.step);
  return text;
}

Status Disagreement(const CallHead& a,
                    int world_rank_a,
                    const CallHead& b,
                    int world_rank_b) {
  std::string_view why = Difference(a.record, b.record);
  if (a.record.Matches(b.record)) {
    why = a.detail != b.detail ? "they differ in the root or in the sources"
                               : "they differ in how messages are cut "
                                 "(algorithm and sizes of MessageOptions)";
  }
  return Disagreement(TextOf(a, world_rank_a), TextOf(b, world_rank_b), why);
}

}  // namespace gyre::internal::inline collectives
