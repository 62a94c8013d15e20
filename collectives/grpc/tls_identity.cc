#include "gyre/collectives/grpc/tls_identity.h"

#include <openssl/x509v3.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "gyre/collectives/grpc/openssl.h"

namespace gyre::internal::inline collectives {
namespace {

StatusOr<std::string> ReadText(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file) return ConfigError("--tls: cannot read ", path);
  text << file.rdbuf();
  return std::move(text).str();
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

// The blocks of a PEM text whose title ends in `title`.
std::vector<std::string> Blocks(const std::string& text,
                                const std::string& title) {
  std::vector<std::string> blocks;
  const std::string begin = "-----BEGIN ";
  for (std::size_t at = text.find(begin); at != std::string::npos;
       at = text.find(begin, at + 1)) {
    const std::size_t name_end = text.find("-----", at + begin.size());
    if (name_end == std::string::npos) break;
    const std::string name =
        text.substr(at + begin.size(), name_end - at - begin.size());
    const std::string end = Cat("-----END ", name, "-----");
    const std::size_t stop = text.find(end, at);
    const bool wanted =
        name.size() >= title.size() &&
        name.compare(name.size() - title.size(), title.size(), title) == 0;
    if (stop == std::string::npos) break;
    if (wanted)
      blocks.push_back(text.substr(at, stop + end.size() - at) + "\n");
  }
  return blocks;
}

// One file with all three.
StatusOr<TlsIdentity> Unbundle(const std::string& text,
                               const std::string& path) {
  TlsIdentity identity;
  for (const std::string& block : Blocks(text, "CERTIFICATE")) {
    const openssl::Certificate certificate = openssl::ParseCertificate(block);
    const bool signs_itself =
        certificate != nullptr &&
        X509_check_issued(certificate.get(), certificate.get()) == X509_V_OK;
    if (signs_itself && identity.authority.empty()) {
      identity.authority = block;
    } else {
      identity.certificate += block;
    }
  }
  for (const std::string& block : Blocks(text, "PRIVATE KEY")) {
    identity.key = block;
  }
  if (identity.authority.empty() || identity.certificate.empty() ||
      identity.key.empty()) {
    return ConfigError("--tls: ",
                       path,
                       " must hold the certificate of an authority, one that "
                       "it signed, and its private key, in PEM; or give three "
                       "files: authority.pem,certificate.pem,key.pem");
  }
  return identity;
}

Status Check(const TlsIdentity& identity, const std::string& files) {
  const auto bad = [&](const auto&... parts) {
    return ConfigError("--tls ", files, ": ", parts...);
  };
  const openssl::Certificate authority =
      openssl::ParseCertificate(identity.authority);
  const openssl::Certificate certificate =
      openssl::ParseCertificate(identity.certificate);
  const openssl::Key key = openssl::ParseKey(identity.key);
  if (authority == nullptr) return bad("the authority is no certificate");
  if (certificate == nullptr) return bad("the certificate is none, in PEM");
  if (key == nullptr) {
    return bad("the key is none, in PEM and without a password");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return bad("the key is not that of the certificate");
  }
  const std::string trouble =
      openssl::WhyNotTrusted(*certificate, *authority, identity.certificate);
  if (!trouble.empty()) {
    return bad("the certificate is not one of the authority: ", trouble);
  }
  return OkStatus();
}

}  // namespace

StatusOr<TlsIdentity> ReadTlsIdentity(const std::string& files) {
  const std::vector<std::string> paths = SplitAtCommas(files);
  TlsIdentity identity;
  if (paths.size() == 1) {
    GYRE_ASSIGN_OR_RETURN(const std::string text, ReadText(paths[0]));
    GYRE_ASSIGN_OR_RETURN(identity, Unbundle(text, paths[0]));
  } else if (paths.size() == 3) {
    GYRE_ASSIGN_OR_RETURN(identity.authority, ReadText(paths[0]));
    GYRE_ASSIGN_OR_RETURN(identity.certificate, ReadText(paths[1]));
    GYRE_ASSIGN_OR_RETURN(identity.key, ReadText(paths[2]));
  } else {
    return ConfigError("--tls \"",
                       files,
                       "\": auto, off, one file with all, or three files were "
                       "expected: authority.pem,certificate.pem,key.pem");
  }
  GYRE_RETURN_IF_ERROR(Check(identity, files));
  return identity;
}

StatusOr<TlsIdentity> MakeRunIdentity() {
  const openssl::Key authority_key = openssl::MakeKey();
  const openssl::Key key = openssl::MakeKey();
  if (authority_key != nullptr && key != nullptr) {
    const openssl::Certificate authority = openssl::MakeCertificate(
        "authority of a Gyre run", *authority_key, nullptr, *authority_key);
    if (authority != nullptr) {
      const openssl::Certificate certificate = openssl::MakeCertificate(
          "rank of a Gyre run", *key, authority.get(), *authority_key);
      if (certificate != nullptr) {
        return TlsIdentity{openssl::ToPem(*authority),
                           openssl::ToPem(*certificate),
                           openssl::ToPem(*key)};
      }
    }
  }
  return InternalError("no certificate could be made for the run");
}

std::string Bundle(const TlsIdentity& identity) {
  return identity.authority + identity.certificate + identity.key;
}

}  // namespace gyre::internal::inline collectives
