#include "gyre/collectives/grpc/openssl.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <cstdint>

namespace gyre::internal::inline collectives::openssl {
namespace {

using Bio = std::unique_ptr<BIO, Free>;

constexpr long kBeforeS = 60 * 60;
constexpr long kValidS = 365L * 24 * 60 * 60;

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string Contents(BIO& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(&bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

// A password would be asked for on the terminal, if this did not answer.
int NoPassword(char*, int, int, void*) { return 0; }

bool AddExtension(X509& certificate, int kind, const char* value) {
  X509_EXTENSION* const extension =
      X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
  const bool ok =
      extension != nullptr && X509_add_ext(&certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return ok;
}

}  // namespace

Certificate ParseCertificate(const std::string& pem) {
  return Certificate(
      PEM_read_bio_X509(Reader(pem).get(), nullptr, NoPassword, nullptr));
}

Key ParseKey(const std::string& pem) {
  return Key(
      PEM_read_bio_PrivateKey(Reader(pem).get(), nullptr, NoPassword, nullptr));
}

std::string ToPem(X509& certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  return PEM_write_bio_X509(bio.get(), &certificate) == 1 ? Contents(*bio) : "";
}

std::string ToPem(EVP_PKEY& key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  return PEM_write_bio_PrivateKey(
             bio.get(), &key, nullptr, nullptr, 0, nullptr, nullptr) == 1
             ? Contents(*bio)
             : "";
}

std::string WhyNotTrusted(X509& certificate,
                          X509& authority,
                          const std::string& chain) {
  const std::unique_ptr<X509_STORE, Free> store(X509_STORE_new());
  const std::unique_ptr<X509_STORE_CTX, Free> context(X509_STORE_CTX_new());
  STACK_OF(X509)* const between = sk_X509_new_null();
  const Bio bio = Reader(chain);
  while (X509* const next =
             PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr)) {
    sk_X509_push(between, next);
  }
  X509_STORE_add_cert(store.get(), &authority);
  X509_STORE_CTX_init(context.get(), store.get(), &certificate, between);
  const bool trusted = X509_verify_cert(context.get()) == 1;
  const std::string why = trusted
                              ? ""
                              : X509_verify_cert_error_string(
                                    X509_STORE_CTX_get_error(context.get()));
  sk_X509_pop_free(between, X509_free);
  return why;
}

Key MakeKey() { return Key(EVP_EC_gen("P-256")); }

Certificate MakeCertificate(const std::string& name,
                            EVP_PKEY& key,
                            X509* issuer,
                            EVP_PKEY& issuer_key) {
  Certificate certificate(X509_new());
  if (certificate == nullptr) return nullptr;
  X509& x = *certificate;
  std::uint64_t serial = 1;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  X509_NAME* const subject = X509_get_subject_name(&x);
  const auto* const text = reinterpret_cast<const unsigned char*>(name.c_str());
  const bool authority = issuer == nullptr;
  const bool made =
      X509_set_version(&x, X509_VERSION_3) == 1 &&
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(&x), serial >> 1) == 1 &&
      X509_gmtime_adj(X509_getm_notBefore(&x), -kBeforeS) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(&x), kValidS) != nullptr &&
      X509_set_pubkey(&x, &key) == 1 &&
      X509_NAME_add_entry_by_txt(
          subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) == 1 &&
      X509_set_issuer_name(
          &x, authority ? subject : X509_get_subject_name(issuer)) == 1 &&
      AddExtension(x,
                   NID_basic_constraints,
                   authority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
      AddExtension(
          x,
          NID_key_usage,
          authority ? "critical,keyCertSign" : "critical,digitalSignature") &&
      X509_sign(&x, &issuer_key, EVP_sha256()) > 0;
  return made ? std::move(certificate) : nullptr;
}

}  // namespace gyre::internal::inline collectives::openssl
