#include "gyre/collectives/describe.h"

#include <iomanip>

namespace gyre::internal::inline collectives {

CallText ReadCall(const RankSlot& slot,
                  int world_rank,
                  const ControlRecord& record) {
  return {world_rank, record, slot.label.Load(), slot.file.Load()};
}

std::string DescribeCall(const Waiting& waiting) {
  std::string text = Cat(Name(waiting.kind), " #", waiting.sequence);
  if (!waiting.label.empty()) text += Cat(" (", waiting.label, ")");
  return text;
}

std::string DescribeCall(const CallText& call) {
  const ControlRecord& record = call.record;
  std::string text = DescribeCall({record.kind, record.sequence, call.label});
  const bool reduces = record.kind == CollectiveKind::kAllReduce ||
                       record.kind == CollectiveKind::kReduceScatter;
  if (reduces) {
    text += Cat(": ", Name(record.op), " of ", record.count, " ", record.dtype);
  } else if (record.kind != CollectiveKind::kBarrier &&
             record.kind != CollectiveKind::kSplit) {
    text += Cat(": ", record.count, " ", record.dtype);
  }
  if (record.bucket >= 0) text += Cat(", bucket ", record.bucket);
  if (!call.file.empty()) text += Cat(", at ", call.file, ":", record.line);
  return text;
}

std::string RankList(std::span<const int> ranks) {
  // Three and more that follow each other are one entry.
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (end - i < 3) {
      end = i + 1;
      entries.push_back(Cat(ranks[i]));
    } else {
      entries.push_back(Cat(ranks[i], " to ", ranks[end - 1]));
    }
    i = end;
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0) text += i + 1 == entries.size() ? " and " : ", ";
    text += entries[i];
  }
  return text;
}

std::string LastSeen(WorldHeader& world, int world_rank, const RankSlot& slot) {
  const PeerCell& peer = world.peer(world_rank);
  if (peer.state.load() == static_cast<std::uint32_t>(PeerState::kAbsent)) {
    return "it has never joined";
  }
  std::string text = DescribeActivity(
      peer.step.load(std::memory_order_relaxed) - 1, peer.activity.Load());
  if (!text.empty()) return Cat("last seen in ", text);
  if (slot.phase.load() == 0) return "it has joined, but made no call";
  const auto kind = static_cast<CollectiveKind>(slot.kind.load());
  const std::string label = slot.label.Load();
  text =
      Cat("last seen in ", DescribeCall({kind, slot.sequence.load(), label}));
  if (const std::string file = slot.file.Load(); !file.empty()) {
    text += Cat(" at ", file, ":", slot.line.load());
  }
  if (const std::int64_t at = slot.step.load(); at >= 0) {
    text += Cat(", step ", at);
  }
  return text;
}

std::string DescribeActivity(std::int64_t step, std::string_view what) {
  std::string text;
  if (step >= 0) text = Cat("step ", step);
  if (!what.empty()) text += Cat(text.empty() ? "" : ", ", what);
  return text;
}

Status LateError(std::span<const int> ranks,
                 bool entered,
                 const Waiting& waiting,
                 std::int64_t waited_ns,
                 std::string_view last_seen) {
  std::ostringstream seconds;
  seconds << std::fixed << std::setprecision(1) << waited_ns * 1e-9 << " s";
  const bool one = ranks.size() == 1;
  return DeadlineError(RankList(ranks),
                       one ? " has not " : " have not ",
                       entered ? "come through " : "entered ",
                       DescribeCall(waiting),
                       " after ",
                       seconds.str(),
                       "; ",
                       one ? "" : Cat("rank ", ranks.front(), ": "),
                       last_seen);
}

Status GaveUpError(int rank, std::string_view why, const Waiting& waiting) {
  return PeerLostError("rank ",
                       rank,
                       " gave up: ",
                       why,
                       "; this rank waited in ",
                       DescribeCall(waiting));
}

Status LeftError(int rank, const Waiting& waiting) {
  return PeerLostError("rank ",
                       rank,
                       " has left the world and will not "
                       "enter ",
                       DescribeCall(waiting),
                       "; all ranks must make the same number of calls");
}

Status LostError(int rank, std::string_view how, const Waiting& waiting) {
  return LostError(std::span(&rank, 1), how, waiting);
}

Status LostError(std::span<const int> ranks,
                 std::string_view how,
                 const Waiting& waiting) {
  return PeerLostError(RankList(ranks),
                       ranks.size() == 1 ? " is lost: " : " are lost: ",
                       how,
                       "; this rank waited in ",
                       DescribeCall(waiting));
}

std::string_view Difference(const ControlRecord& a, const ControlRecord& b) {
  ControlRecord elsewhere = b;
  elsewhere.site = a.site;
  const bool alike = a.site != b.site && a.Matches(elsewhere);
  return alike ? "they differ in the label or the source line" : "";
}

Status Disagreement(const CallText& a,
                    const CallText& b,
                    std::string_view why) {
  return MismatchError("ranks disagree on their collective: rank ",
                       a.rank,
                       " called ",
                       DescribeCall(a),
                       "; rank ",
                       b.rank,
                       " called ",
                       DescribeCall(b),
                       why.empty() ? "" : "; ",
                       why,
                       ". All ranks must make the same calls in the same "
                       "order, from the same line, with the same label, type "
                       "and count");
}

}  // namespace gyre::internal::inline collectives
