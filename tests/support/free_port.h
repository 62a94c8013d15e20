// A port for a server of a test.

#ifndef GYRE_TESTS_SUPPORT_FREE_PORT_H_
#define GYRE_TESTS_SUPPORT_FREE_PORT_H_

#include <arpa/inet.h>
#include <sys/socket.h>

#include "collectives/shm/memfd.h"

namespace gyre {

// One that nobody has right now.
inline int FreePort() {
  const FileHandle handle(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ::bind(handle.get(), any, size);
  ::getsockname(handle.get(), any, &size);
  return ntohs(address.sin_port);
}

}  // namespace gyre

#endif  // GYRE_TESTS_SUPPORT_FREE_PORT_H_
