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

// "certificate expired on 2024-05-01, 3 days ago". `facts` may be missing.
std::string describe_certificate_failure(FailureKind failure, const CertificateFacts* facts, Timestamp now);

// The files with certificates that the user names: looked at once, before anything is fetched.

// What is wrong with the two PEM files, in one line: not there, no certificate, no key, a key with a password, or not
// the certificate's key. `key` may be empty: then it is in the same file.
std::optional<Error> find_client_certificate_fault(const std::string& certificate, const std::string& key);

// What is wrong with the text of a file of certificate authorities: there is no certificate in it, or a broken one.
std::optional<Error> find_authorities_fault(std::string_view pem);

}  // namespace linkherd::crawler
