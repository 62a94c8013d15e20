#include "gyre/collectives/local/local_hub.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gyre/collectives/describe.h"

namespace gyre::internal::inline collectives {

LocalHub::LocalHub(int ranks, const WaitPolicy& policy)
    : policy_(policy), peers_(ranks) {}

void LocalHub::Tell(Peer& peer) {
  ++peer.news;
  peer.changed.notify_all();
}

void LocalHub::TellAll() {
  for (Peer& peer : peers_) Tell(peer);
}

void LocalHub::Join(int rank) {
  const std::lock_guard<std::mutex> lock(mutex_);
  peers_[rank].joined = true;
}

void LocalHub::Leave(int rank) {
  const std::lock_guard<std::mutex> lock(mutex_);
  peers_[rank].left = true;
  TellAll();
}

void LocalHub::Abort(int rank, const Status& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failed_.has_value()) return;
  failed_ = rank;
  why_ = Message(why);
  TellAll();
}

void LocalHub::FailGroup(std::uint32_t group, const GroupFailure& failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  failures_.Add(group, failure);
  TellAll();
}

void LocalHub::SetActivity(int rank, std::int64_t step, std::string_view what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  peers_[rank].step = step;
  peers_[rank].activity = what;
}

std::optional<int> LocalHub::failed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failed_;
}

void LocalHub::Put(std::uint32_t group,
                   int from,
                   int to,
                   std::shared_ptr<LocalMessage> message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  lines_[{group, from, to}].push_back(std::move(message));
  Tell(peers_[to]);
}

std::shared_ptr<LocalMessage> LocalHub::BeginPiece(std::uint32_t group,
                                                   int from,
                                                   int to) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto line = lines_.find({group, from, to});
  if (line == lines_.end() || line->second.empty()) return nullptr;
  const std::shared_ptr<LocalMessage>& first = line->second.front();
  first->being_read = true;
  return first;
}

void LocalHub::EndPiece(
    std::uint32_t group, int from, int to, bool news, bool last) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Line& line = lines_[{group, from, to}];
  line.front()->being_read = false;
  if (last) {
    line.front()->done = true;
    line.pop_front();
  }
  if (news) ++peers_[from].news;
  peers_[from].changed.notify_all();
}

bool LocalHub::IsDone(const LocalMessage& message) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return message.done;
}

void LocalHub::Withdraw(int rank, LocalMessage& message) {
  std::unique_lock<std::mutex> lock(mutex_);
  peers_[rank].changed.wait(lock, [&] { return !message.being_read; });
  if (message.done) return;
  message.lost = true;
}

std::uint64_t LocalHub::news(int rank) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return peers_[rank].news;
}

void LocalHub::WaitForNews(int rank, std::uint64_t seen) const {
  std::unique_lock<std::mutex> lock(mutex_);
  const Peer& me = peers_[rank];
  me.changed.wait_for(
      lock, std::chrono::milliseconds(20), [&] { return me.news != seen; });
}

Status LocalHub::Check(int rank,
                       std::uint32_t group,
                       std::span<const int> needed,
                       const Waiting& waiting) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  GYRE_RETURN_IF_ERROR(failures_.Check(group, needed, waiting));
  if (failed_.has_value() && *failed_ != rank) {
    return GaveUpError(*failed_, why_, waiting);
  }
  for (const int peer : needed) {
    if (peers_[peer].left) return LeftError(peer, waiting);
  }
  return OkStatus();
}

std::string LocalHub::LastSeen(int rank, const std::string& last_call) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Peer& peer = peers_[rank];
  if (!peer.joined) return "it has never joined";
  const std::string activity = DescribeActivity(peer.step, peer.activity);
  if (!activity.empty()) return Cat("last seen in ", activity);
  return last_call.empty() ? "it has joined, but made no call" : last_call;
}

}  // namespace gyre::internal::inline collectives
