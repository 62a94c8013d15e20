// Something else at a port of the loopback: it listens, and answers nothing.

#ifndef GYRE_TESTS_SUPPORT_DEAF_LISTENER_H_
#define GYRE_TESTS_SUPPORT_DEAF_LISTENER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "gyre/collectives/shm/memfd.h"
#include "gyre/core/check.h"

namespace gyre::internal::inline tests {

class DeafListener {
 public:
  DeafListener() : handle_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    GYRE_CHECK(::bind(handle_.get(), any, size) == 0, "bind");
    GYRE_CHECK(::listen(handle_.get(), 16) == 0, "listen");
    ::getsockname(handle_.get(), any, &size);
    port_ = ntohs(address.sin_port);
  }
  int port() const { return port_; }

 private:
  FileHandle handle_;
  int port_ = 0;
};

}  // namespace gyre::internal::inline tests

#endif  // GYRE_TESTS_SUPPORT_DEAF_LISTENER_H_
