#include "gyre/collectives/message/transport_registry.h"

#include <map>

namespace gyre::internal::inline collectives {
namespace {

// Made at its first use, which may come from any static object.
std::map<std::string_view, TransportMaker>& Registry() {
  static auto& registry = *new std::map<std::string_view, TransportMaker>;
  return registry;
}

}  // namespace

RegisterTransport::RegisterTransport(std::string_view name,
                                     TransportMaker make) {
  Registry()[name] = make;
}

TransportMaker FindTransport(std::string_view name) {
  const auto found = Registry().find(name);
  return found == Registry().end() ? nullptr : found->second;
}

}  // namespace gyre::internal::inline collectives
