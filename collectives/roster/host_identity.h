// Which machine this is, for the question whether two processes can share
// memory: by the kernel's boot number, the namespaces of the process and its
// user, and never by a name. Two containers of one machine are two hosts, and
// so are two network namespaces, and two users.

#ifndef GYRE_COLLECTIVES_ROSTER_HOST_IDENTITY_H_
#define GYRE_COLLECTIVES_ROSTER_HOST_IDENTITY_H_

#include <string>

namespace gyre::internal::inline collectives {

struct HostIdentity {
  std::string key;   // equal: the same host
  std::string name;  // for people
};
HostIdentity ReadHostIdentity();

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_ROSTER_HOST_IDENTITY_H_
