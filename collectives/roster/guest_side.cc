#include "gyre/collectives/roster/guest_side.h"

#include <algorithm>

#include "gyre/collectives/roster/reply.h"
#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives::roster {
namespace {

constexpr std::int64_t kRetryNs = 30'000'000;
// Rank 0's own deadline may end a little later than this rank's.
constexpr std::int64_t kSlackNs = 2'000'000'000;
// How long something that answers, but not as rank 0 does, is tried.
constexpr std::int64_t kStrangeNs = 3'000'000'000;
constexpr int kPatienceMs = 3000;

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// Nobody is there, or nobody yet.
bool NobodyThere(const std::string& why) {
  for (const char* text : {"refused",
                           "No such file",
                           "unreachable",
                           "No route",
                           "DNS",
                           "resolution",
                           "timed out",
                           "Timeout"}) {
    if (Contains(why, text)) return true;
  }
  return false;
}

}  // namespace

GuestSide::GuestSide(const MeetingOptions& options,
                     const RankCard& own,
                     Endpoint& endpoint)
    : options_(options),
      own_(own),
      endpoint_(endpoint),
      deadline_ns_(NowNanos() +
                   static_cast<std::int64_t>(options.deadline_s * 1e9)) {}

StatusOr<Roster> GuestSide::Run() {
  const auto channel =
      endpoint_.Dial(options_.coordinator.DialTarget(), kPatienceMs);
  while (true) {
    const Outcome outcome = Try(channel);
    if (outcome.answered) return DecodeReply(outcome.answer);
    GYRE_RETURN_IF_ERROR(Judge(outcome));
    // Not a sleep: the connection is made by whoever is at the queue.
    const std::int64_t again = NowNanos() + kRetryNs;
    while (NowNanos() < again) HandleNext(again);
  }
}

Status GuestSide::Judge(const Outcome& outcome) {
  const std::string where = options_.coordinator.Text();
  const std::string why = outcome.status.error_message();
  switch (outcome.status.error_code()) {
    case ::grpc::StatusCode::UNAUTHENTICATED:
    case ::grpc::StatusCode::FAILED_PRECONDITION:
    case ::grpc::StatusCode::INVALID_ARGUMENT:
      return ConfigError(
          "rank ", own_.rank, " was refused by rank 0 at ", where, ": ", why);
    case ::grpc::StatusCode::UNIMPLEMENTED:
      return ConfigError("what listens at ",
                         where,
                         " is no rank of Gyre: ",
                         why,
                         "; give another address (GYRE_COORDINATOR)");
    default:
      break;
  }
  if (Contains(why, "CERTIFICATE_VERIFY") || Contains(why, "certificate")) {
    return ConfigError("rank ",
                       own_.rank,
                       " does not trust the certificate of rank 0 at ",
                       where,
                       ": ",
                       why,
                       "; all ranks need certificates of one authority "
                       "(--tls)");
  }
  trouble_ = why;
  const std::int64_t now = NowNanos();
  if (now >= deadline_ns_) {
    return DeadlineError("rank 0 could not be reached at ",
                         where,
                         " within ",
                         options_.deadline_s,
                         " s: ",
                         trouble_);
  }
  if (!Contains(why, "SETTINGS") && NobodyThere(why)) {
    strange_since_ns_ = 0;
    return OkStatus();
  }
  if (strange_since_ns_ == 0) strange_since_ns_ = now;
  // "timed out before receiving SETTINGS": it had its time already.
  if (now - strange_since_ns_ < kStrangeNs && !Contains(why, "SETTINGS")) {
    return OkStatus();
  }
  return ConfigError("what listens at ",
                     where,
                     " does not answer as rank 0 of Gyre: ",
                     why,
                     ". Is the port taken by another program, or do the ranks "
                     "differ in --tls or in their certificates?");
}

StreamEvent GuestSide::HandleNext(std::int64_t until_ns) {
  void* raw = nullptr;
  bool ok = false;
  const std::int64_t left = std::max<std::int64_t>(until_ns - NowNanos(), 0);
  if (endpoint_.queue().AsyncNext(
          &raw, &ok, gpr_time_from_nanos(left, GPR_TIMESPAN)) !=
      ::grpc::CompletionQueue::GOT_EVENT) {
    return {};
  }
  const StreamTag& tag = *static_cast<StreamTag*>(raw);
  tag.stream->Ended(tag.op);
  if (endpoint_.IsAccept(tag.stream)) {
    if (auto early = endpoint_.Accepted(ok)) early_.push_back(std::move(early));
    return {};
  }
  return {tag.stream, tag.op, ok};
}

GuestSide::Outcome GuestSide::Try(
    const std::shared_ptr<::grpc::Channel>& channel) {
  auto stream = std::make_unique<ClientStream>(
      channel,
      endpoint_.queue(),
      StreamName{kJoin, own_.rank, 0, options_.token},
      /*wait_for_ready=*/false);
  Outcome outcome;
  const std::int64_t until = deadline_ns_ + kSlackNs;
  while (!stream->idle()) {
    if (NowNanos() >= until) {
      stream->Cancel();
      outcome.status = ::grpc::Status(::grpc::StatusCode::DEADLINE_EXCEEDED,
                                      "it does not answer");
      break;
    }
    const StreamEvent event = HandleNext(until);
    if (event.stream != stream.get()) continue;  // of an earlier attempt
    if (event.op == StreamOp::kStart && event.ok) {
      stream->Write(Pack(own_.ToJson().Dump()));
      stream->Read();
    } else if (event.op == StreamOp::kRead && event.ok) {
      outcome.answered = true;
      outcome.answer = Unpack(stream->received());
      stream->Finish({});
    } else if (event.op == StreamOp::kFinish) {
      outcome.status = stream->status();
    } else if (!event.ok && !stream->UnderWay(StreamOp::kFinish) &&
               !stream->UnderWay(StreamOp::kRead)) {
      stream->Finish({});
    }
  }
  endpoint_.Keep(std::move(stream));
  return outcome;
}

}  // namespace gyre::internal::inline collectives::roster
