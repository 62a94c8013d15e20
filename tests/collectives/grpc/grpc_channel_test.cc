#include "gyre/collectives/grpc/grpc_channel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "gyre/core/hash.h"
#include "tests/support/grpc_world.h"

namespace gyre::internal::inline tests {
namespace {

// Takes a message whole.
class Whole : public MessageSink {
 public:
  explicit Whole(bool in_place = false) : in_place_(in_place) {}

  Status OnHead(std::span<const std::byte> head, std::size_t bytes) override {
    head_.assign(reinterpret_cast<const char*>(head.data()), head.size());
    body_.resize(bytes);
    return OkStatus();
  }
  std::byte* Destination() override {
    return in_place_ ? body_.data() : nullptr;
  }
  void OnBody(std::size_t offset, std::span<const std::byte> piece) override {
    if (!in_place_) {
      std::memcpy(body_.data() + offset, piece.data(), piece.size());
    }
    ordered_ = ordered_ && offset == received_;
    received_ += piece.size();
  }
  void OnEnd() override { ended_ = true; }

  bool ended() const { return ended_; }
  const std::string& head() const { return head_; }
  bool Is(std::span<const std::byte> body) const {
    return ended_ && ordered_ && received_ == body.size() &&
           body_.size() == body.size() &&
           (body.empty() ||
            std::memcmp(body_.data(), body.data(), body.size()) == 0);
  }

 private:
  bool in_place_;
  std::string head_;
  std::vector<std::byte> body_;
  std::size_t received_ = 0;
  bool ordered_ = true;
  bool ended_ = false;
};

// The same on all ranks: what `rank` sends as its `round`-th message.
std::vector<std::byte> Body(int rank, int round, std::size_t bytes) {
  std::vector<std::byte> body(bytes);
  std::uint64_t x = Hash64(&bytes, sizeof bytes, rank * 1000 + round);
  for (std::byte& b : body) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    b = static_cast<std::byte>(x >> 56);
  }
  return body;
}

std::span<const std::byte> Head(const std::string& text) {
  return std::as_bytes(std::span(text));
}

constexpr Waiting kWaiting = {CollectiveKind::kAllToAll, 7, "test"};

std::vector<int> All(int n) {
  std::vector<int> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Every rank sends a message to every other one.
Status Exchange(MessageChannel& channel, int round, std::size_t bytes) {
  const int n = channel.size();
  std::vector<std::unique_ptr<Whole>> sinks(n);
  const std::vector<std::byte> mine = Body(channel.rank(), round, bytes);
  const auto others = [&](const auto& each) {
    for (int r = 0; r < n; ++r) {
      if (r != channel.rank()) each(r);
    }
  };
  others([&](int r) {
    sinks[r] = std::make_unique<Whole>(round % 2 == 0);
    channel.Receive(r, sinks[r].get());
  });
  const std::string head = Cat("round ", round, " of ", channel.rank());
  others([&](int r) { channel.Send(r, Head(head), mine); });
  const auto late = [&] {
    std::vector<LatePeer> missing;
    others([&](int r) {
      if (!sinks[r]->ended()) missing.push_back({r, false, ""});
    });
    return missing;
  };
  GYRE_RETURN_IF_ERROR(
      channel.Drive([&] { return late().empty(); }, true, kWaiting, late));
  for (int r = 0; r < n; ++r) {
    if (r == channel.rank()) continue;
    if (!sinks[r]->Is(Body(r, round, bytes)) ||
        sinks[r]->head() != Cat("round ", round, " of ", r)) {
      return InternalError("another message than rank ", r, " sent");
    }
  }
  return OkStatus();
}

TEST(GrpcChannel, MessagesOfAllSizesArriveWhole) {
  for (const int ranks : {2, 3, 4}) {
    EXPECT_EQ(GrpcWorld::Run(
                  ranks,
                  [&](const std::shared_ptr<Transport>& transport) -> Status {
                    GYRE_ASSIGN_OR_RETURN(
                        const auto channel,
                        transport->Open(0, All(transport->size())));
                    int round = 0;
                    for (const std::size_t bytes : {0,
                                                    1,
                                                    3,
                                                    16 << 10,
                                                    (16 << 10) + 1,
                                                    1 << 20,
                                                    (1 << 20) + 13,
                                                    (9 << 20) + 5}) {
                      GYRE_RETURN_IF_ERROR(Exchange(*channel, round++, bytes));
                      GYRE_RETURN_IF_ERROR(Exchange(*channel, round++, bytes));
                    }
                    return OkStatus();
                  }),
              OkStatus());
  }
}

}  // namespace
}  // namespace gyre::internal::inline tests
