// The barrier under every collective of a group, with all the ways in which
// the other ranks can fail to come.
//
//   rendezvous.Arrive();                       // publishes what was written
//   GYRE_RETURN_IF_ERROR(rendezvous.Wait(call));
//
// Every arrival is one phase. What a rank writes for phase k by the parity of
// k may be overwritten from phase k + 2 on: whoever has come through phase
// k + 1 knows that all others were done with k.

#ifndef GYRE_COLLECTIVES_RENDEZVOUS_H_
#define GYRE_COLLECTIVES_RENDEZVOUS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "gyre/collectives/control_area.h"
#include "gyre/collectives/describe.h"
#include "gyre/collectives/group_failure.h"
#include "gyre/collectives/shared_space.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

struct WaitPolicy {
  std::int64_t deadline_ns = 30'000'000'000;
  // How long to spin at most before sleeping: 0 when ranks outnumber
  // processors.
  std::int64_t spin_ns = 0;
};

class Rendezvous {
 public:
  // `members`: the world's ranks of the group, in its order; `me` indexes
  // them. `space` must outlive the object.
  Rendezvous(SharedSpace& space,
             GroupBlock block,
             std::vector<int> members,
             int me,
             WaitPolicy policy);

  // The phase that the next Arrive belongs to.
  std::uint32_t next_phase() const { return phase_ + 1; }

  void Arrive();
  // This rank arrives no more; the others' waits end.
  void Fail(const GroupFailure& failure);
  // Until all have arrived in this phase. Errors: a rank failed, gave up, left,
  // died (found within a tenth of a second) or is late (the deadline). The
  // arrival is taken back then: the phase never becomes complete, and nobody
  // touches what this rank has laid out for it.
  Status Wait(const Waiting& waiting);

 private:
  bool CompleteAt(std::uint32_t arrivals) const;
  bool Complete() const;
  // OkStatus when the phase has become complete after all.
  Status TakeBack(const Status& why);
  // Shorter each time that it was in vain: something else has the processor
  // that the late rank would need. Now and then in full, to see if it still
  // has.
  bool Spin();
  std::vector<int> Missing() const;
  Status Late(const Waiting& waiting, std::int64_t waited_ns) const;
  Status WaitUntilDeadline(const Waiting& waiting);
  Status CheckFailures(std::span<const int> needed,
                       const Waiting& waiting) const;
  Status CheckPeers(const Waiting& waiting, bool processes) const;

  SharedSpace& space_;
  GroupBlock block_;
  std::vector<int> members_;
  int me_;
  WaitPolicy policy_;
  std::int64_t spin_ns_;
  std::uint32_t spins_ = 0;
  std::uint32_t phase_ = 0;
};

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_RENDEZVOUS_H_
