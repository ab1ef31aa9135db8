// Creates certificates during the test: an authority that clients can trust, and a server certificate of the selected
// kind for every host name. A server certificate is created when a client first requests its name by SNI. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>

struct ssl_ctx_st;

namespace linkherd::tests {

enum class CertificateKind {
  trusted,
  expired,
  not_yet_valid,
  self_signed,
  wrong_host,
  untrusted_authority,  // signed by an unknown authority
  hostile_name,         // for another host, whose name contains line breaks and CI workflow commands
  no_handshake,         // the server refuses the handshake
  expires_tomorrow,
  no_common_name,  // the host is only in the subject alternative names
  no_subject,      // an empty subject
  wildcard,        // "*.parent": covers every direct child of the parent domain
  wildcard_above,  // a wildcard one level too high to cover the host
  thousand_names,
  ten_thousand_names,    // larger than clients accept in a handshake
  sha1,                  // signed with SHA-1
  weak_key,              // RSA with 1,024 bits
  big_key,               // RSA with 8,192 bits
  with_intermediate,     // signed by an intermediate authority, whose certificate is sent
  intermediate_missing,  // signed by an intermediate authority, whose certificate is not sent
  stray_in_chain,        // an unrelated certificate precedes the intermediate one
  stranger_with_root,    // signed by an unknown authority, whose certificate is sent
  // The next four are signed by an authority whose certificate is not sent. The server certificate contains its URL
  // instead (see issuer_files()).
  intermediate_at_url,
  two_at_urls,      // two intermediate certificates at URLs, the second in PKCS #7
  stranger_at_url,  // the unknown authority
  nothing_at_url,   // the URL does not exist
  // The next four have a stapled OCSP response.
  stapled_good,
  stapled_revoked,
  stapled_by_stranger,  // "revoked", signed by another authority
  stapled_long_ago,     // "revoked", but the OCSP response has expired
  // The next four are signed by an intermediate authority, whose certificate is sent and is invalid.
  expired_intermediate,
  future_intermediate,          // it is not valid yet
  intermediate_for_others,      // its name constraints allow only other hosts
  intermediate_no_authority,    // it is not a CA certificate
  intermediate_twice,           // signed by a valid intermediate authority, whose certificate is sent twice
  expired_intermediate_at_url,  // its intermediate certificate is expired and not sent, but at a URL
  signed_by_old_key,            // has the name of the trusted authority, but was signed with another key
  only_common_name,             // the host is only in the common name
  for_clients,                  // its extended key usage allows only client authentication
  critical_extension,           // has an unknown critical extension
  old_protocol,                 // the server supports TLS 1.1 at most
};

class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  // Returns the certificate of the authority, which clients must trust.
  const std::string& certificate_pem() const;
  // Returns a client certificate and its key, both in PEM.
  std::string client_pem() const;

  // Returns the issuer certificates whose URLs other certificates contain, by path below http://issuers.test.
  std::map<std::string, std::string> issuer_files() const;

  // Sets the kind of certificate for new connections to `host`. The default is `trusted`.
  void set_kind(const std::string& host, CertificateKind kind);

  // Makes every handshake of `context` use these certificates. The authority must outlive the context.
  void install(ssl_ctx_st* context);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
