// Rank 0's part of a meeting. Internal to roster.

#ifndef GYRE_COLLECTIVES_ROSTER_HOST_SIDE_H_
#define GYRE_COLLECTIVES_ROSTER_HOST_SIDE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "gyre/collectives/roster/meeting.h"

namespace gyre::internal::inline collectives::roster {

class HostSide {
 public:
  HostSide(const MeetingOptions& options, RankCard own, Endpoint& endpoint);

  // Waits for all, decides, and tells all.
  StatusOr<Roster> Run(const std::function<Status(Roster&)>& decide);
  std::vector<std::unique_ptr<ServerStream>> TakeEarly() {
    return std::move(early_);
  }

 private:
  struct Guest {
    std::unique_ptr<ServerStream> stream;
    std::optional<RankCard> card;
  };

  StatusOr<Roster> Gather(const std::function<Status(Roster&)>& decide);
  // False: nothing has happened until then.
  bool HandleNext(std::int64_t until_ns);
  void OnAccepted(std::unique_ptr<ServerStream> stream);
  void OnRead(Guest& guest, bool ok);
  void Fail(const Status& why);
  std::vector<RankCard> Cards() const;
  Status Missing() const;
  void Answer(const StatusOr<Roster>& reply);

  const MeetingOptions& options_;
  RankCard own_;
  Endpoint& endpoint_;
  std::map<const Stream*, Guest> guests_;
  std::vector<std::unique_ptr<ServerStream>> early_;
  Status failure_;
  bool answering_ = false;
};

}  // namespace gyre::internal::inline collectives::roster

#endif  // GYRE_COLLECTIVES_ROSTER_HOST_SIDE_H_
