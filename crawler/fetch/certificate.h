// What a TLS server's certificate says about itself, read from a finished transfer, and what is wrong with it in words.
#pragma once

#include <optional>
#include <string>

#include <curl/curl.h>

#include "crawler/fetch/failure.h"
#include "parser/timestamp.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

struct CertificateFacts {
  storage::Certificate certificate;
  std::optional<Timestamp> starts;
  std::string names;  // the hosts that it is for: "DNS:example.com, DNS:www.example.com"
};

// Nothing for plain HTTP and for connections that were reused. The handle must have been set up with CURLOPT_CERTINFO;
// curl has nothing to tell where it refused the certificate, only where verification was off.
std::optional<CertificateFacts> read_certificate(CURL* easy);

// "certificate expired on 2024-05-01". `facts` may be missing.
std::string describe_certificate_failure(FailureKind failure, const CertificateFacts* facts);

}  // namespace linkherd::crawler
