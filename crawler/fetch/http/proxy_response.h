// Interprets the responses that a proxy itself creates. A proxy that cannot reach a host does not prove that the host
// is gone. A proxy that denies access proves nothing about the host. Pure rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

#include "crawler/fetch/http/failure.h"
#include "crawler/fetch/http/response_headers.h"

namespace linkherd::crawler {

struct ProxyFailure {
  FailureKind failure = FailureKind::proxy_failed;
  std::string message;  // what the proxy did, such as "answers HTTP 503 (ERR_DNS_FAIL)"
};

// Interprets a response to CONNECT other than 2xx.
ProxyFailure read_connect_response(int status, const std::vector<storage::ResponseHeader>& headers);

// Interprets CURLINFO_PROXY_ERROR after CURLE_PROXY.
ProxyFailure read_socks_reply(CURLproxycode code);

// Interprets a response to a request for an http URL, if its headers or page show that the proxy created it. Returns
// nullopt if it may come from the server.
std::optional<ProxyFailure> read_relayed_response(int status, const std::vector<storage::ResponseHeader>& headers,
                                                  std::string_view body);

}  // namespace linkherd::crawler
