// Completes an incomplete certificate chain of a server and verifies it. A missing issuer is found as browsers find it:
// at the URL that a certificate names for its issuer (RFC 5280, 4.2.2.1).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/certificate.h"

namespace linkherd::crawler {

// The certificate authorities of a file, loaded on first use. Not thread-safe.
class KnownAuthorities {
 public:
  explicit KnownAuthorities(std::string file);
  ~KnownAuthorities();
  KnownAuthorities(const KnownAuthorities&) = delete;
  KnownAuthorities& operator=(const KnownAuthorities&) = delete;

 private:
  friend class CertificateChain;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class CertificateChain {
 public:
  static constexpr std::size_t max_file_bytes = std::size_t{64} << 10;
  static constexpr int max_missing = 3;

  // `pem` holds the certificates that the server sent, its own first. Unreadable parts are ignored.
  explicit CertificateChain(const std::vector<std::string>& pem);
  ~CertificateChain();
  CertificateChain(const CertificateChain&) = delete;
  CertificateChain& operator=(const CertificateChain&) = delete;

  // Returns the http URL of the first missing issuer, as named by the certificate that it has signed. Returns nullopt
  // if no issuer is missing or no URL is named.
  std::optional<std::string> missing_issuer_url() const;

  // Adds the file from that URL: one certificate (DER or PEM), or several in PKCS #7. Returns false if it contains
  // nothing useful.
  bool add(std::string_view file);

  // Returns what is wrong with the completed chain for `host`, or nullopt if it is valid.
  std::optional<CertificateFault> verify(KnownAuthorities& authorities, const std::string& host) const;

  // Returns the certificates that add() has accepted, in DER.
  std::vector<std::string> added() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::crawler
