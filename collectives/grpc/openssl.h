// The few things of libcrypto that certificates of a run need, with owners.
// Internal to grpc.

#ifndef GYRE_COLLECTIVES_GRPC_OPENSSL_H_
#define GYRE_COLLECTIVES_GRPC_OPENSSL_H_

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace gyre::internal::inline collectives::openssl {

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
  void operator()(X509_STORE_CTX* context) const {
    X509_STORE_CTX_free(context);
  }
};
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

// Null when the text is none. Of several, the first.
Certificate ParseCertificate(const std::string& pem);
Key ParseKey(const std::string& pem);
std::string ToPem(X509& certificate);
std::string ToPem(EVP_PKEY& key);

// Why `authority` does not vouch for `certificate`; empty: it does. `chain`:
// certificates in PEM that may lie between.
std::string WhyNotTrusted(X509& certificate,
                          X509& authority,
                          const std::string& chain);

Key MakeKey();
// For a year from now (and the hour before: clocks differ). Signed by `issuer`
// with `issuer_key`; without an issuer, an authority that signs itself. Null
// when libcrypto fails.
Certificate MakeCertificate(const std::string& name,
                            EVP_PKEY& key,
                            X509* issuer,
                            EVP_PKEY& issuer_key);

}  // namespace gyre::internal::inline collectives::openssl

#endif  // GYRE_COLLECTIVES_GRPC_OPENSSL_H_
