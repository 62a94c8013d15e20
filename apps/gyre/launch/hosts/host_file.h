// The hosts of `gyre launch --hosts FILE`.
//
//   # name [slots=ranks] [address=where the others find it]
//   node1 slots=4
//   node2 slots=4 address=10.0.0.2

#ifndef GYRE_APPS_GYRE_LAUNCH_HOSTS_HOST_FILE_H_
#define GYRE_APPS_GYRE_LAUNCH_HOSTS_HOST_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "gyre/core/status.h"

namespace gyre::internal::inline apps {

struct Host {
  std::string name;  // as --rsh takes it
  int slots = 1;
  std::string address;  // the name, unless given
};

// `source` names the text in errors: a line that is none of these, a host
// twice, no host at all.
StatusOr<std::vector<Host>> ParseHosts(std::string_view text,
                                       const std::string& source);

// The ranks of a host are neighbours.
struct HostShare {
  Host host;
  int first_rank = 0;
  int ranks = 0;
};

// Fills the hosts in their order; 0 ranks: all slots. Error: more ranks than
// slots.
StatusOr<std::vector<HostShare>> ShareOut(const std::vector<Host>& hosts,
                                          int ranks);

}  // namespace gyre::internal::inline apps

#endif  // GYRE_APPS_GYRE_LAUNCH_HOSTS_HOST_FILE_H_
