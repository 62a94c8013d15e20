#include "gyre/collectives/roster/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <charconv>
#include <cstdint>
#include <cstring>

#include "gyre/collectives/shm/memfd.h"

namespace gyre::internal::inline collectives {
namespace {

constexpr std::string_view kUnixPrefix = "unix-abstract:";

Address::Kind KindOfHost(const std::string& host) {
  unsigned char bytes[16];
  if (::inet_pton(AF_INET, host.c_str(), bytes) == 1) {
    return Address::Kind::kIpv4;
  }
  // "fe80::1%eth0" has a zone, which only the system's resolver knows.
  const std::string bare = host.substr(0, host.find('%'));
  if (::inet_pton(AF_INET6, bare.c_str(), bytes) == 1) {
    return Address::Kind::kIpv6;
  }
  return Address::Kind::kName;
}

// As gRPC writes the brackets of an IPv6 address.
std::string DecodePercent(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      plain.push_back(static_cast<char>(code));
      i += 2;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

}  // namespace

StatusOr<Address> Address::Parse(const std::string& text) {
  if (text.rfind(kUnixPrefix, 0) == 0) {
    return UnixAddress(text.substr(kUnixPrefix.size()));
  }
  Address address;
  const std::size_t colon = text.rfind(':');
  const char* const end = text.data() + text.size();
  if (colon != std::string::npos && colon > 0) {
    address.host = text.substr(0, colon);
    const auto [stop, error] =
        std::from_chars(text.data() + colon + 1, end, address.port);
    const bool brackets =
        address.host.front() == '[' && address.host.back() == ']';
    if (brackets) address.host = address.host.substr(1, colon - 2);
    address.kind = KindOfHost(address.host);
    const bool whole = brackets == (address.kind == Kind::kIpv6);
    if (error == std::errc() && stop == end && whole && address.port >= 0 &&
        address.port < 65536 && !address.host.empty()) {
      return address;
    }
  }
  return ConfigError("\"",
                     text,
                     "\" is no address: host:port was expected, such as "
                     "node1:29400 or [fd00::1]:29400");
}

StatusOr<Address> Address::OfPeer(const std::string& peer) {
  const std::size_t colon = peer.find(':');
  const std::string scheme = peer.substr(0, colon);
  if (scheme.rfind("unix", 0) == 0) return UnixAddress("");
  if (colon == std::string::npos) {
    return InternalError("\"", peer, "\": the address of no peer");
  }
  const std::string rest = DecodePercent(peer.substr(colon + 1));
  // IPv4 peers of a socket for both are shown as IPv6.
  GYRE_ASSIGN_OR_RETURN(Address address, Parse(rest));
  constexpr std::string_view kMapped = "::ffff:";
  if (address.host.rfind(kMapped, 0) == 0 &&
      KindOfHost(address.host.substr(kMapped.size())) == Kind::kIpv4) {
    address.host = address.host.substr(kMapped.size());
    address.kind = Kind::kIpv4;
  }
  return address;
}

bool Address::local() const {
  switch (kind) {
    case Kind::kUnix:
      return true;
    case Kind::kIpv4:
      return host.rfind("127.", 0) == 0;
    case Kind::kIpv6:
      return host == "::1";
    case Kind::kName:
      return host == "localhost";
  }
  return false;
}

std::string Address::Text() const {
  if (kind == Kind::kUnix) return Cat(kUnixPrefix, host);
  if (kind == Kind::kIpv6) return Cat("[", host, "]:", port);
  return Cat(host, ":", port);
}

std::string Address::DialTarget() const {
  switch (kind) {
    case Kind::kUnix:
      return Text();
    case Kind::kIpv4:
      return Cat("ipv4:", Text());
    case Kind::kIpv6:
      return Cat("ipv6:", Text());
    case Kind::kName:
      break;
  }
  return Cat("dns:///", Text());
}

std::string Address::ListenTarget() const {
  if (kind != Kind::kName || local()) return Text();
  return Cat("[::]:", port);
}

std::string WhyNotListen(const Address& address) {
  if (address.kind == Address::Kind::kUnix) {
    return "another process listens there (the same run, started twice?)";
  }
  const bool v4 = address.kind == Address::Kind::kIpv4;
  FileHandle handle(
      ::socket(v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in in = {};
  in.sin_family = AF_INET;
  in.sin_port = htons(static_cast<std::uint16_t>(address.port));
  ::inet_pton(AF_INET, address.host.c_str(), &in.sin_addr);
  sockaddr_in6 in6 = {};
  in6.sin6_family = AF_INET6;
  in6.sin6_port = in.sin_port;
  ::inet_pton(AF_INET6, address.host.c_str(), &in6.sin6_addr);
  const int result =
      v4 ? ::bind(handle.get(), reinterpret_cast<sockaddr*>(&in), sizeof in)
         : ::bind(handle.get(), reinterpret_cast<sockaddr*>(&in6), sizeof in6);
  if (result == 0) return "the system refused";
  if (errno == EADDRINUSE) return "the port is taken by another process";
  if (errno == EADDRNOTAVAIL) return "no address of this machine";
  return std::strerror(errno);
}

Address UnixAddress(std::string_view name) {
  return {Address::Kind::kUnix, std::string(name), 0};
}

}  // namespace gyre::internal::inline collectives
