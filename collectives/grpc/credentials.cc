#include "gyre/collectives/grpc/credentials.h"

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>

#include <memory>
#include <vector>

namespace gyre::internal::inline collectives {

Security MakeSecurity(const TlsIdentity& identity) {
  namespace tls = ::grpc::experimental;
  const auto provider = std::make_shared<tls::StaticDataCertificateProvider>(
      identity.authority,
      std::vector<tls::IdentityKeyCertPair>{
          {identity.key, identity.certificate}});
  tls::TlsServerCredentialsOptions server(provider);
  server.watch_root_certs();
  server.watch_identity_key_cert_pairs();
  server.set_cert_request_type(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls::TlsChannelCredentialsOptions client;
  client.set_certificate_provider(provider);
  client.watch_root_certs();
  client.watch_identity_key_cert_pairs();
  // The authority is checked as ever; only names are not.
  client.set_certificate_verifier(
      std::make_shared<tls::NoOpCertificateVerifier>());
  client.set_check_call_host(false);
  return {tls::TlsServerCredentials(server), tls::TlsCredentials(client)};
}

}  // namespace gyre::internal::inline collectives
