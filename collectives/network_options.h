// How ranks shall talk, as the user has asked for it.
//
//   GYRE_COLLECTIVES   auto, shm, grpc, mpi or two-level; auto: what fits
//   GYRE_TLS           off, or the files of certificates (grpc/tls_identity.h)
//   GYRE_INSECURE      1: connections to other hosts may go without TLS
//
// `gyre launch --collectives, --tls, --insecure` sets them.

#ifndef GYRE_COLLECTIVES_NETWORK_OPTIONS_H_
#define GYRE_COLLECTIVES_NETWORK_OPTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "gyre/collectives/launch_env.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

struct NetworkOptions {
  std::string collectives = "auto";
  std::string tls = "off";
  bool insecure = false;
};

StatusOr<NetworkOptions> ReadNetworkOptions(const EnvReader& env);

// The variables that say so, for those that differ from the defaults.
std::vector<std::pair<std::string, std::string>> NetworkVariables(
    const NetworkOptions& options);

// The names that --collectives takes, and an error for all others.
Status CheckCollectives(const std::string& name);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_NETWORK_OPTIONS_H_
