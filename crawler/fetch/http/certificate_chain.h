// Whether the certificates that a server sent lead to a known authority once those are added that it has left out, and
// where these are: at the address that a certificate names for its issuer's (RFC 5280, 4.2.2.1), as browsers find them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/certificate.h"

namespace linkherd::crawler {

// The authorities of a file, read when they are first needed. One thread's.
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

  // `pem`: what the server sent, its own certificate first. Parts that cannot be read are left out.
  explicit CertificateChain(const std::vector<std::string>& pem);
  ~CertificateChain();
  CertificateChain(const CertificateChain&) = delete;
  CertificateChain& operator=(const CertificateChain&) = delete;

  // Where the first issuer that is missing can be had: an http URL of the certificate that it has signed.
  std::optional<std::string> missing_issuer_url() const;

  // What was found there: a certificate (DER or PEM), or several in PKCS #7. False where it holds nothing that helps.
  bool add(std::string_view file);

  // What is wrong with the whole, for `host`; nullopt where nothing is.
  std::optional<CertificateFault> verify(KnownAuthorities& authorities, const std::string& host) const;

  // The certificates that add() has found, in DER.
  std::vector<std::string> added() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::crawler
