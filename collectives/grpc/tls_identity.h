// Certificates for connections between ranks: all of one authority, which is
// that of the run. Both ends show theirs (mutual TLS), and whoever has one of
// this authority is a rank: names in certificates are not looked at, as ranks
// move between hosts.

#ifndef GYRE_COLLECTIVES_GRPC_TLS_IDENTITY_H_
#define GYRE_COLLECTIVES_GRPC_TLS_IDENTITY_H_

#include <string>

#include "gyre/core/status.h"

namespace gyre::internal::inline collectives {

// Texts in PEM.
struct TlsIdentity {
  std::string authority;    // the certificate that signed all others
  std::string certificate;  // this rank's, with what leads to the authority
  std::string key;          // its private key
};

// `files`: "authority.pem,certificate.pem,key.pem", or one file that holds all
// three, in any order (the first certificate that signed itself is the
// authority). Errors: a file that cannot be read or holds something else, a
// key of another certificate, one that the authority did not sign or that is
// out of date.
StatusOr<TlsIdentity> ReadTlsIdentity(const std::string& files);

// A fresh authority, and a certificate of it for all ranks of one run. The
// authority's key is thrown away. Valid for a year.
StatusOr<TlsIdentity> MakeRunIdentity();

// All of it as one text that ReadTlsIdentity takes.
std::string Bundle(const TlsIdentity& identity);

}  // namespace gyre::internal::inline collectives

#endif  // GYRE_COLLECTIVES_GRPC_TLS_IDENTITY_H_
