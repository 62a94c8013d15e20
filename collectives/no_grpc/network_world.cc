// Stands in for roster/ and grpc/ in a build without gRPC.

#include "gyre/collectives/network_world.h"

#include "gyre/collectives/grpc/tls_identity.h"

namespace gyre::internal::inline collectives {
namespace {

Status NoGrpc() {
  return ConfigError(
      "this Gyre was built without gRPC, by which ranks meet that no `gyre "
      "launch` of this host started: build with GYRE_GRPC=ON "
      "(libgrpc++-dev), or start the ranks with `gyre launch -n N`");
}

}  // namespace

StatusOr<std::unique_ptr<Communicator>> JoinNetworkWorld(const LaunchEnv&,
                                                         const NetworkOptions&,
                                                         double,
                                                         const std::string&) {
  return NoGrpc();
}

StatusOr<TlsIdentity> ReadTlsIdentity(const std::string&) { return NoGrpc(); }
StatusOr<TlsIdentity> MakeRunIdentity() { return NoGrpc(); }
std::string Bundle(const TlsIdentity&) { return {}; }

}  // namespace gyre::internal::inline collectives
