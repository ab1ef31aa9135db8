// What a TLS server's certificate says about itself, read from a finished transfer, and what is wrong with it in words.
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
  std::string names;               // the hosts that it is for: "DNS:example.com, DNS:www.example.com"
  std::vector<std::string> chain;  // all that the server sent, in PEM, its own first; only of a second look
};

// Nothing for plain HTTP and for connections that were reused. The handle must have been set up with CURLOPT_CERTINFO;
// curl has nothing to tell where it refused the certificate, only where verification was off.
std::optional<CertificateFacts> read_certificate(CURL* easy, bool with_chain);

// Why a verification failed: the error, and the certificate of the chain that it was found in.
struct CertificateFault {
  long error = 0;  // an X509_V_ERR_* code
  int depth = 0;   // of the certificate: 0 is the server's own
  std::string subject;
  std::string issuer;
  std::optional<Timestamp> starts;
  std::optional<Timestamp> expires;
};

// Reads the fault of a verification that has just failed.
CertificateFault read_certificate_fault(x509_store_ctx_st* verification);

// "certificate expired on 2024-05-01, 3 days ago". `facts` and `fault` may be missing.
std::string describe_certificate_failure(FailureKind failure, const CertificateFacts* facts,
                                         const CertificateFault* fault, Timestamp now);

// The files with certificates that the user names: looked at once, before anything is fetched.

// What is wrong with the two PEM files, in one line: not there, no certificate, no key, a key with a password, or not
// the certificate's key. `key` may be empty: then it is in the same file.
std::optional<Error> find_client_certificate_fault(const std::string& certificate, const std::string& key);

// What is wrong with the text of a file of certificate authorities: there is no certificate in it, or a broken one.
std::optional<Error> find_authorities_fault(std::string_view pem);

}  // namespace linkherd::crawler
