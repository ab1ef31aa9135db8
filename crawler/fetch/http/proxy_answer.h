// What a proxy's own answer means for a link. A proxy that does not reach a host has not shown that the host is gone,
// and a proxy that may not let it through says nothing about it. Pure rules.
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
  std::string words;  // what the proxy did: "answers HTTP 503 (ERR_DNS_FAIL)"
};

// The answer to CONNECT, if it is not 2xx.
ProxyFailure read_connect_answer(int status, const std::vector<Header>& headers);

// CURLINFO_PROXY_ERROR after CURLE_PROXY.
ProxyFailure read_socks_reply(CURLproxycode code);

// The answer to a request for an http URL, if the proxy says in its headers or its page that it is its own and not the
// server's. nullopt: it may be the server's.
std::optional<ProxyFailure> read_relayed_answer(int status, const std::vector<Header>& headers, std::string_view body);

}  // namespace linkherd::crawler
