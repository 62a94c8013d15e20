// From certificates to gRPC's credentials.

#ifndef GYRE_COLLECTIVES_GRPC_CREDENTIALS_H_
#define GYRE_COLLECTIVES_GRPC_CREDENTIALS_H_

#include "gyre/collectives/grpc/endpoint.h"
#include "gyre/collectives/grpc/tls_identity.h"

namespace gyre::internal::inline collectives {

Security MakeSecurity(const TlsIdentity& identity);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_CREDENTIALS_H_
