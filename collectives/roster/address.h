// Where a rank listens, as people and launchers write it.
//
//   "node1:29400", "10.0.0.2:29400", "[fd00::1]:29400", "unix-abstract:name"

#ifndef GYRE_COLLECTIVES_ROSTER_ADDRESS_H_
#define GYRE_COLLECTIVES_ROSTER_ADDRESS_H_

#include <string>
#include <string_view>

#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

struct Address {
  enum class Kind { kUnix, kIpv4, kIpv6, kName };
  Kind kind = Kind::kName;
  std::string host;  // without brackets; the name of a unix socket
  int port = 0;

  // Errors: no port, no such form.
  static StatusOr<Address> Parse(const std::string& text);
  // From what gRPC tells of a peer: "ipv4:10.0.0.2:53412",
  // "ipv6:%5Bfd00::1%5D:53412", "unix:...". The port is that of the
  // connection.
  static StatusOr<Address> OfPeer(const std::string& peer);

  // Only processes of this machine can connect to it.
  bool local() const;
  // "[fd00::1]:29400": as Parse reads it.
  std::string Text() const;
  // What to dial, and what to listen at, in gRPC's words. A name is listened
  // at on all of the machine's addresses: it may stand for any of them.
  std::string DialTarget() const;
  std::string ListenTarget() const;
};

// Why this process cannot listen there, after it could not.
std::string WhyNotListen(const Address& address);

// A socket of this machine that has a name, but no file.
Address UnixAddress(std::string_view name);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_ROSTER_ADDRESS_H_
