#include "gyre/collectives/network_options.h"

namespace gyre::internal::inline collectives {
namespace {

constexpr char kCollectives[] = "GYRE_COLLECTIVES";
constexpr char kTls[] = "GYRE_TLS";
constexpr char kInsecure[] = "GYRE_INSECURE";

}  // namespace

Status CheckCollectives(const std::string& name) {
  for (const char* known :
       {"auto", "local", "shm", "grpc", "mpi", "two-level"}) {
    if (name == known) return OkStatus();
  }
  return ConfigError("\"",
                     name,
                     "\" is no way for ranks to talk: auto, local, shm, grpc, "
                     "mpi or two-level were expected");
}

StatusOr<NetworkOptions> ReadNetworkOptions(const EnvReader& env) {
  NetworkOptions options;
  if (const auto collectives = env(kCollectives);
      collectives.has_value() && !collectives->empty()) {
    const Status known = CheckCollectives(*collectives);
    if (!known.ok()) return Annotate(known, Cat(kCollectives, ": "));
    options.collectives = *collectives;
  }
  if (const auto tls = env(kTls); tls.has_value() && !tls->empty()) {
    options.tls = *tls;
  }
  if (const auto insecure = env(kInsecure)) {
    if (!insecure->empty() && *insecure != "0" && *insecure != "1") {
      return ConfigError(
          kInsecure, "=\"", *insecure, "\": 0 or 1 was expected");
    }
    options.insecure = *insecure == "1";
  }
  return options;
}

std::vector<std::pair<std::string, std::string>> NetworkVariables(
    const NetworkOptions& options) {
  std::vector<std::pair<std::string, std::string>> variables;
  if (options.collectives != "auto") {
    variables.emplace_back(kCollectives, options.collectives);
  }
  if (options.tls != "off") variables.emplace_back(kTls, options.tls);
  if (options.insecure) variables.emplace_back(kInsecure, "1");
  return variables;
}

}  // namespace gyre::internal::inline collectives
