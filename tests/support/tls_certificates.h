// Makes certificates while the test runs: an authority that clients can trust, and for every host name a server
// certificate of the requested kind when a client first asks for it by SNI. Thread-safe.
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
  untrusted_authority,  // signed by an authority that nobody knows
  hostile_name,         // for another host, whose name holds line breaks and what a CI system obeys
  no_handshake,         // the server refuses the handshake
  expires_tomorrow,
  no_common_name,  // a subject without the host's name: the alternative names count
  no_subject,      // an empty subject
  wildcard,        // for every host right below the parent: "*.parent"
  wildcard_above,  // a wildcard one level too high to cover the host
  thousand_names,
  ten_thousand_names,    // more than clients take in a handshake
  sha1,                  // signed with SHA-1
  weak_key,              // RSA with 1,024 bits
  big_key,               // RSA with 8,192 bits
  with_intermediate,     // by an authority in between, whose certificate comes along
  intermediate_missing,  // … or does not
  stray_in_chain,        // with a stranger's certificate before the one in between
  stranger_with_root,    // signed by an authority that nobody knows, whose certificate comes along
  // By an authority in between whose certificate does not come along, but names where it is (see issuer_files()) …
  intermediate_at_url,
  two_at_urls,      // … by one below that, which does so too, in PKCS #7
  stranger_at_url,  // … or by the authority that nobody knows
  nothing_at_url,   // … or at an address where nothing is
  // With its authority's word along (OCSP stapling):
  stapled_good,
  stapled_revoked,
  stapled_by_stranger,  // revoked, says another authority
  stapled_long_ago,     // revoked, by a word that has run out
  // By an authority in between, whose certificate comes along …
  expired_intermediate,
  future_intermediate,          // … and is not valid yet
  intermediate_for_others,      // … and may only sign for other hosts (name constraints)
  intermediate_no_authority,    // … and is no authority's
  intermediate_twice,           // … two times
  expired_intermediate_at_url,  // … or not, but names where it is, and has expired
  signed_by_old_key,            // in the known authority's name, with another key
  only_common_name,             // names its host nowhere else
  for_clients,                  // its extended key usage is that of clients
  critical_extension,           // with a critical extension that nobody knows
  old_protocol,                 // the server speaks TLS 1.1 and nothing newer
};

class TestAuthority {
 public:
  TestAuthority();
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  // The authority's own certificate: what a client must trust.
  const std::string& certificate_pem() const;
  // A certificate for a client with its key, both in PEM.
  std::string client_pem() const;

  // The certificates that others name the address of, by path, at http://issuers.test.
  std::map<std::string, std::string> issuer_files() const;

  // What connections to `host` are shown from now on; `trusted` where nothing is said.
  void set_kind(const std::string& host, CertificateKind kind);

  // Makes every handshake of this server context use the certificates. The authority outlives the context.
  void install(ssl_ctx_st* context);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace linkherd::tests
