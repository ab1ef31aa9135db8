// Describes one attempt: one request, and the way to its server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <curl/curl.h>

#include "crawler/fetch/http/fetch_request.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/address_policy.h"
#include "crawler/fetch/net/connect_rules.h"
#include "crawler/fetch/net/connection_options.h"
#include "crawler/fetch/net/slots.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

enum class AttemptPurpose : std::uint8_t {
  page,        // fetches the URL of a hop
  statement,   // likewise, but the response is kept in whatever type, such as a statement about a link
  robots,      // fetches robots.txt of the hop's host
  issuer,      // fetches a certificate that a server omits
  unverified,  // shows what is behind a refused certificate or TLS version: accepts any, and takes no body
};

// The request of an attempt. What the pointers refer to must outlive the attempt.
struct AttemptRequest {
  parser::Url url;
  AttemptPurpose purpose = AttemptPurpose::page;
  const Validators* validators = nullptr;  // of this URL; may be null
  bool is_head = false;
  bool needs_fresh_connection = false;  // use neither an existing connection nor a cached DNS failure
  bool should_keep_connection = false;
  bool is_to_own_origin = true;              // the user's settings for the link's own host may be sent
  bool should_imitate_browser = false;       // with the headers of a browser
  HttpVersion version = HttpVersion::http1;  // the newest version that https servers are offered
  std::size_t max_body = 0;
  std::string cookie = {};                           // cookies that the redirect chain has received for this URL
  std::optional<Duration> time_left = std::nullopt;  // of the link
  StallWatch::Slot* slot = nullptr;                  // notified of every byte; may be null

  bool verifies_server() const { return purpose != AttemptPurpose::unverified; }
  // Returns true if a body is kept whatever its type.
  bool keeps_any_body() const { return purpose != AttemptPurpose::page && verifies_server(); }
};

// The way of a request to its server, in the terms of curl.
struct Route {
  const Proxy* proxy = nullptr;  // must outlive the attempt
  ConnectTarget target = {};
  std::vector<IpAddress> addresses = {};  // of the target; may be empty if a proxy resolves names
  bool may_be_private = false;            // the user named the target, so any address is permitted
  std::string proxy_pin = {};             // the address of the proxy, for CURLOPT_RESOLVE
  std::string curl_url = {};              // without fragment; the host may be an alias
  std::string tls_name = {};              // the real host name, if the host is an alias
  std::string connect_to = {};            // CURLOPT_CONNECT_TO; empty: as in the URL
  std::vector<std::string> resolve = {};  // CURLOPT_RESOLVE
  curl_slist* headers = nullptr;          // whole lines; must outlive the attempt
  Duration timeout = {};
  std::vector<std::string> missing_issuers = {};  // certificates (DER) that the server is known to omit
};

}  // namespace linkherd::crawler
