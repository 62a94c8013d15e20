// The part of all ranks but 0 in a meeting. Internal to roster.

#ifndef GYRE_COLLECTIVES_ROSTER_GUEST_SIDE_H_
#define GYRE_COLLECTIVES_ROSTER_GUEST_SIDE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gyre/collectives/grpc/queue_driver.h"
#include "gyre/collectives/roster/meeting.h"

namespace gyre::internal::inline collectives::roster {

class GuestSide {
 public:
  GuestSide(const MeetingOptions& options,
            const RankCard& own,
            Endpoint& endpoint);

  // Goes to rank 0, again and again until it is there, and waits for its
  // answer.
  StatusOr<Roster> Run();
  std::vector<std::unique_ptr<ServerStream>> TakeEarly() {
    return std::move(early_);
  }

 private:
  // How one attempt ended.
  struct Outcome {
    bool answered = false;
    std::string answer;
    ::grpc::Status status;  // when not answered
  };
  Outcome Try(const std::shared_ptr<::grpc::Channel>& channel);
  // One event, or (with no stream) none until then, or one of no interest.
  StreamEvent HandleNext(std::int64_t until_ns);
  // Rank 0 is not reached: an error when it makes no sense to go on.
  Status Judge(const Outcome& outcome);

  const MeetingOptions& options_;
  const RankCard& own_;
  Endpoint& endpoint_;
  std::int64_t deadline_ns_;
  std::int64_t strange_since_ns_ = 0;
  std::string trouble_;
  std::vector<std::unique_ptr<ServerStream>> early_;
};

}  // namespace gyre::internal::inline collectives::roster

#endif  // GYRE_COLLECTIVES_ROSTER_GUEST_SIDE_H_
