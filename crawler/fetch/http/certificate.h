// Reads the certificate of a TLS server from a finished transfer, and describes in plain English what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "crawler/fetch/http/failure.h"
#include "parser/result.h"
#include "parser/timestamp.h"
#include "storage/snapshot.h"

struct x509_store_ctx_st;

namespace linkherd::crawler {

struct CertificateFacts {
  storage::Certificate certificate;
  std::optional<Timestamp> starts;
  std::string names;  // the hosts that it is valid for: "DNS:example.com, DNS:www.example.com"
  // All certificates that the server sent, as PEM, its own first; filled only with `with_chain`.
  std::vector<std::string> chain;
};

// Returns nullopt for plain HTTP and for reused connections. The handle must have been set up with CURLOPT_CERTINFO.
// Works only if verification was off, because curl has no information about a certificate that it refused.
std::optional<CertificateFacts> read_certificate(CURL* easy, bool with_chain);

// Why a verification failed: the error, and the certificate of the chain that has it.
struct CertificateFault {
  long error = 0;  // an X509_V_ERR_* code
  int depth = 0;   // position in the chain; 0 is the server's own certificate
  std::string subject;
  std::string issuer;
  std::optional<Timestamp> starts;
  std::optional<Timestamp> expires;
};

// Reads the fault from a verification that has just failed.
CertificateFault read_certificate_fault(x509_store_ctx_st* verification);

// Returns a message such as "certificate expired on 2024-05-01, 3 days ago". `facts` and `fault` may be null.
std::string describe_certificate_failure(FailureKind failure, const CertificateFacts* facts,
                                         const CertificateFault* fault, Timestamp now);

// Checks of the certificate files that the user names. They run once, before anything is fetched.

// Returns what is wrong with the two PEM files, in one line, or nullopt if nothing is. Possible problems are a missing
// file, no certificate, no key, a key with a password, and a key of another certificate. If `key` is empty, the key is
// in the certificate's file.
std::optional<Error> check_client_certificate(const std::string& certificate, const std::string& key);

// Returns what is wrong with the text of a CA file: it contains no certificate, or a broken one. Returns nullopt if
// nothing is wrong.
std::optional<Error> find_authorities_fault(std::string_view pem);

}  // namespace linkherd::crawler
