#include "gyre/collectives/mpi/mpi_engine.h"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "gyre/core/check.h"
#include "gyre/core/clock.h"

namespace gyre::internal::inline collectives {
namespace {

constexpr int kEnvelopeTag = 1;
constexpr int kControlTag = 2;
constexpr int kFirstChunkTag = 16;
// MPI promises tags up to 32767.
constexpr std::uint32_t kChunkTags = 32'000;
constexpr int kMailboxes = 8;
constexpr std::int64_t kPatienceNs = 1'000'000'000;

struct EnvelopeHeader {
  std::uint32_t group = 0;
  std::int32_t from = 0;
  std::uint32_t head_bytes = 0;
  std::int32_t tag = 0;
  std::uint64_t body_bytes = 0;
};

constexpr std::size_t kEnvelopeBytes =
    sizeof(EnvelopeHeader) + kMpiHeadBytes + kMpiInlineBytes;
constexpr std::size_t kControlTextBytes = 1024;

void Append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

struct MpiEngine::ControlHeader {
  enum Kind : std::int32_t { kGivesUp, kLeaves, kFails };
  Kind kind = kGivesUp;
  std::int32_t from = 0;
  // Of kFails:
  std::uint32_t group = 0;
  std::uint32_t late = 0;
  std::uint64_t sequence = 0;
};

StatusOr<std::shared_ptr<MpiEngine>> MpiEngine::Start(
    const WaitPolicy& policy) {
  int started = 0;
  int ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  if (ended != 0) {
    return ConfigError(
        "MPI has been finalised in this process, and cannot be "
        "started again");
  }
  int level = MPI_THREAD_SINGLE;
  if (started == 0) {
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level) !=
        MPI_SUCCESS) {
      return ConfigError(
          "MPI does not start; was the program started by "
          "mpirun or srun?");
    }
  } else {
    MPI_Query_thread(&level);
  }
  if (level < MPI_THREAD_SERIALIZED) {
    return ConfigError(
        "this MPI allows calls from one thread alone; Gyre "
        "needs MPI_THREAD_SERIALIZED");
  }
  // A communicator of our own: nobody else's messages come in between.
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS) {
    return InternalError("MPI gives no communicator");
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::shared_ptr<MpiEngine> engine(new MpiEngine(comm, started == 0, policy));
  GYRE_RETURN_IF_ERROR(engine->broken_);
  return engine;
}

MpiEngine::MpiEngine(MPI_Comm comm, bool finalizes, const WaitPolicy& policy)
    : policy_(policy), comm_(comm), finalizes_(finalizes) {
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &size_);
  sent_.resize(size_);
  left_.resize(size_);
  envelopes_.resize(kMailboxes);
  for (Mailbox& box : envelopes_) {
    box.bytes.resize(kEnvelopeBytes);
    (void)Open(&box, kEnvelopeTag);  // an error stays in broken_
  }
  control_.resize(1);
  control_[0].bytes.resize(sizeof(ControlHeader) + kControlTextBytes);
  (void)Open(&control_[0], kControlTag);
}

MpiEngine::~MpiEngine() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Leave();
}

void MpiEngine::Leave() {
  const bool peace = broken_.ok() && !gave_up_ && !failed_.has_value();
  if (peace) SendToAll({.kind = ControlHeader::kLeaves, .from = rank_}, "");
  const std::int64_t until = NowNanos() + kPatienceNs;
  while (broken_.ok() && !Finished() && NowNanos() < until) ::sched_yield();
  if (!peace || silent_ || !outgoing_.empty()) return;
  for (auto* boxes : {&envelopes_, &control_}) {
    for (Mailbox& box : *boxes) {
      MPI_Cancel(&box.request);
      MPI_Wait(&box.request, MPI_STATUS_IGNORE);
    }
  }
  MPI_Comm_free(&comm_);
  if (finalizes_) MPI_Finalize();
}

bool MpiEngine::Finished() {
  (void)Reap();
  return outgoing_.empty();
}

Status MpiEngine::Call(int code, const char* what) {
  if (code == MPI_SUCCESS) return OkStatus();
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  broken_ = PeerLostError(what, " of MPI failed: ", text);
  return broken_;
}

Status MpiEngine::Send(int to,
                       int tag,
                       std::vector<std::byte> bytes,
                       std::shared_ptr<int> in_flight) {
  GYRE_RETURN_IF_ERROR(broken_);
  if (silent_) return OkStatus();
  outgoing_.push_back(
      {std::move(bytes), MPI_REQUEST_NULL, std::move(in_flight)});
  Outgoing& out = outgoing_.back();
  if (out.in_flight != nullptr) ++*out.in_flight;
  return Call(MPI_Isend(out.bytes.data(),
                        static_cast<int>(out.bytes.size()),
                        MPI_BYTE,
                        to,
                        tag,
                        comm_,
                        &out.request),
              "a send");
}

StatusOr<int> MpiEngine::SendEnvelope(int to,
                                      std::uint32_t group,
                                      std::span<const std::byte> head,
                                      std::span<const std::byte> body) {
  GYRE_CHECK(head.size() <= kMpiHeadBytes, "a head of ", head.size());
  const std::lock_guard<std::mutex> lock(mutex_);
  EnvelopeHeader header;
  header.group = group;
  header.from = rank_;
  header.head_bytes = static_cast<std::uint32_t>(head.size());
  header.body_bytes = body.size();
  const bool whole = body.size() <= kMpiInlineBytes;
  if (!whole) {
    header.tag = kFirstChunkTag + static_cast<int>(sent_[to]++ % kChunkTags);
  }
  std::vector<std::byte> bytes;
  Append(bytes, std::as_bytes(std::span(&header, 1)));
  Append(bytes, head);
  if (whole) Append(bytes, body);
  GYRE_RETURN_IF_ERROR(Send(to, kEnvelopeTag, std::move(bytes), nullptr));
  return header.tag;
}

Status MpiEngine::SendChunk(int to,
                            int tag,
                            std::span<const std::byte> chunk,
                            const std::shared_ptr<int>& in_flight) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Send(to, tag, {chunk.begin(), chunk.end()}, in_flight);
}

int MpiEngine::InFlight(const std::shared_ptr<int>& in_flight) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return *in_flight;
}

std::optional<MpiIncoming> MpiEngine::Next(std::uint32_t group, int from) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto line = inboxes_.find({group, from});
  if (line == inboxes_.end() || line->second.empty()) return std::nullopt;
  MpiIncoming first = std::move(line->second.front());
  line->second.pop_front();
  return first;
}

Status MpiEngine::StartReceive(int from,
                               int tag,
                               std::span<std::byte> to,
                               MPI_Request* request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  GYRE_RETURN_IF_ERROR(broken_);
  return Call(MPI_Irecv(to.data(),
                        static_cast<int>(to.size()),
                        MPI_BYTE,
                        from,
                        tag,
                        comm_,
                        request),
              "a receive");
}

StatusOr<bool> MpiEngine::Test(MPI_Request* request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  GYRE_RETURN_IF_ERROR(broken_);
  if (silent_) return false;
  int flag = 0;
  GYRE_RETURN_IF_ERROR(
      Call(MPI_Test(request, &flag, MPI_STATUS_IGNORE), "a transfer"));
  return flag != 0;
}

void MpiEngine::Cancel(MPI_Request* request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (silent_ || *request == MPI_REQUEST_NULL) return;
  MPI_Cancel(request);
  const std::int64_t until = NowNanos() + kPatienceNs;
  int flag = 0;
  while (flag == 0) {
    const bool ok = MPI_Test(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    if (flag == 0 && (!ok || NowNanos() >= until)) {
      silent_ = true;
      return;
    }
  }
}

Status MpiEngine::Open(Mailbox* box, int tag) {
  return Call(MPI_Irecv(box->bytes.data(),
                        static_cast<int>(box->bytes.size()),
                        MPI_BYTE,
                        MPI_ANY_SOURCE,
                        tag,
                        comm_,
                        &box->request),
              "a receive");
}

StatusOr<std::optional<std::vector<std::byte>>> MpiEngine::Collect(Mailbox* box,
                                                                   int tag) {
  int flag = 0;
  MPI_Status status;
  GYRE_RETURN_IF_ERROR(
      Call(MPI_Test(&box->request, &flag, &status), "a receive"));
  if (flag == 0) return std::optional<std::vector<std::byte>>();
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  std::vector<std::byte> message(box->bytes.begin(),
                                 box->bytes.begin() + bytes);
  GYRE_RETURN_IF_ERROR(Open(box, tag));
  return std::optional(std::move(message));
}

StatusOr<bool> MpiEngine::CollectEnvelopes() {
  bool any = false;
  // Receives match in the order in which they were opened: the first one has
  // what came first.
  while (true) {
    GYRE_ASSIGN_OR_RETURN(const auto message,
                          Collect(&envelopes_.front(), kEnvelopeTag));
    if (!message.has_value()) return any;
    any = true;
    envelopes_.push_back(std::move(envelopes_.front()));
    envelopes_.pop_front();
    TakeEnvelope(*message);
  }
}

StatusOr<bool> MpiEngine::CollectControl() {
  GYRE_ASSIGN_OR_RETURN(const auto message,
                        Collect(&control_.front(), kControlTag));
  if (message.has_value()) TakeControl(*message);
  return message.has_value();
}

void MpiEngine::TakeEnvelope(std::span<const std::byte> bytes) {
  EnvelopeHeader header;
  GYRE_CHECK(bytes.size() >= sizeof header, "an envelope of ", bytes.size());
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes = bytes.subspan(sizeof header);
  GYRE_CHECK(bytes.size() >= header.head_bytes, "a head of ", bytes.size());
  MpiIncoming incoming;
  const auto head = bytes.first(header.head_bytes);
  const auto body = bytes.subspan(header.head_bytes);
  incoming.head.assign(head.begin(), head.end());
  incoming.body.assign(body.begin(), body.end());
  incoming.body_bytes = header.body_bytes;
  incoming.tag = header.tag;
  inboxes_[{header.group, header.from}].push_back(std::move(incoming));
}

void MpiEngine::TakeControl(std::span<const std::byte> bytes) {
  ControlHeader header;
  GYRE_CHECK(bytes.size() >= sizeof header, "a notice of ", bytes.size());
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto rest = bytes.subspan(sizeof header);
  const std::string text(reinterpret_cast<const char*>(rest.data()),
                         rest.size());
  switch (header.kind) {
    case ControlHeader::kLeaves:
      left_[header.from] = true;
      return;
    case ControlHeader::kFails:
      failures_.Add(header.group,
                    {header.from, header.sequence, header.late != 0, text});
      return;
    case ControlHeader::kGivesUp:
      if (failed_.has_value()) return;
      failed_ = header.from;
      why_ = text;
      return;
  }
}

Status MpiEngine::Reap() {
  if (silent_) return OkStatus();
  for (auto out = outgoing_.begin(); out != outgoing_.end();) {
    int flag = 0;
    GYRE_RETURN_IF_ERROR(
        Call(MPI_Test(&out->request, &flag, MPI_STATUS_IGNORE), "a send"));
    if (flag == 0) {
      ++out;
      continue;
    }
    if (out->in_flight != nullptr) --*out->in_flight;
    out = outgoing_.erase(out);
  }
  return OkStatus();
}

StatusOr<bool> MpiEngine::Poll() {
  const std::lock_guard<std::mutex> lock(mutex_);
  GYRE_RETURN_IF_ERROR(broken_);
  if (silent_) return false;
  GYRE_RETURN_IF_ERROR(Reap());
  // Notices first: what a rank sent before it left is then all here.
  GYRE_ASSIGN_OR_RETURN(const bool notices, CollectControl());
  GYRE_ASSIGN_OR_RETURN(const bool envelopes, CollectEnvelopes());
  return notices || envelopes;
}

void MpiEngine::SendToAll(const ControlHeader& header,
                          const std::string& text) {
  for (int to = 0; to < size_; ++to) {
    if (to != rank_) SendControl(to, header, text);
  }
}

void MpiEngine::SendControl(int to,
                            const ControlHeader& header,
                            const std::string& text) {
  std::vector<std::byte> bytes;
  Append(bytes, std::as_bytes(std::span(&header, 1)));
  Append(bytes,
         std::as_bytes(
             std::span(text.data(), std::min(text.size(), kControlTextBytes))));
  (void)Send(to, kControlTag, std::move(bytes), nullptr);
}

void MpiEngine::Abort(const Status& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Those who learn of a failure end with it themselves.
  if (gave_up_ || failed_.has_value()) return;
  gave_up_ = true;
  SendToAll({.kind = ControlHeader::kGivesUp, .from = rank_}, Message(why));
  const std::int64_t until = NowNanos() + kPatienceNs / 4;
  while (broken_.ok() && !Finished() && NowNanos() < until) ::sched_yield();
}

void MpiEngine::FailGroup(std::uint32_t group,
                          std::span<const int> members,
                          const GroupFailure& failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const ControlHeader header = {.kind = ControlHeader::kFails,
                                .from = rank_,
                                .group = group,
                                .late = failure.late ? 1u : 0u,
                                .sequence = failure.sequence};
  for (const int to : members) {
    if (to != rank_) SendControl(to, header, failure.why);
  }
  const std::int64_t until = NowNanos() + kPatienceNs / 20;
  while (broken_.ok() && !Finished() && NowNanos() < until) ::sched_yield();
}

Status MpiEngine::Check(std::uint32_t group,
                        std::span<const int> needed,
                        const Waiting& waiting) {
  const std::lock_guard<std::mutex> lock(mutex_);
  GYRE_RETURN_IF_ERROR(failures_.Check(group, needed, waiting));
  if (failed_.has_value()) return GaveUpError(*failed_, why_, waiting);
  for (const int rank : needed) {
    if (left_[rank]) return LeftError(rank, waiting);
  }
  return OkStatus();
}

}  // namespace gyre::internal::inline collectives
