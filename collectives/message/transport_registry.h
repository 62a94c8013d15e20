// Transports that a program has only if it links their library: each registers
// itself by name before main(), and what joins the world asks for it by name.
//
//   const RegisterTransport kRegister(kMpiTransport, MakeMpiTransport);

#ifndef GYRE_COLLECTIVES_MESSAGE_TRANSPORT_REGISTRY_H_
#define GYRE_COLLECTIVES_MESSAGE_TRANSPORT_REGISTRY_H_

#include <memory>
#include <string_view>

#include "gyre/collectives/message/transport.h"
#include "gyre/collectives/rendezvous.h"
#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

using TransportMaker =
    StatusOr<std::shared_ptr<Transport>> (*)(const WaitPolicy& policy);

inline constexpr std::string_view kMpiTransport = "mpi";

// Adds a transport. For static objects, before main() alone.
class RegisterTransport {
 public:
  RegisterTransport(std::string_view name, TransportMaker make);
};

// Returns how the transport is made, or null if no library has it.
TransportMaker FindTransport(std::string_view name);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_MESSAGE_TRANSPORT_REGISTRY_H_
