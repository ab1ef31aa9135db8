// Interprets the answers that a proxy itself creates. A proxy that cannot reach a host does not prove that the host is
// gone. A proxy that denies access proves nothing about the host. Pure rules.
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

// Interprets an answer to CONNECT other than 2xx.
ProxyFailure read_connect_answer(int status, const std::vector<Header>& headers);

// Interprets CURLINFO_PROXY_ERROR after CURLE_PROXY.
ProxyFailure read_socks_reply(CURLproxycode code);

// Interprets an answer to a request for an http URL, if its headers or page show that the proxy created it. Returns
// nullopt if it may come from the server.
std::optional<ProxyFailure> read_relayed_answer(int status, const std::vector<Header>& headers, std::string_view body);

}  // namespace linkherd::crawler
