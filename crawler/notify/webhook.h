// Tells a web service about a run: one POST, signed, repeated where it may have failed for a reason that passes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/fetch/fetch_options.h"
#include "parser/result.h"
#include "parser/url/url.h"

namespace linkherd::crawler {

// HMAC-SHA256 in lower-case hexadecimal, and in Base64.
std::string hmac_hex(std::string_view secret, std::string_view text);
std::string hmac_base64(std::string_view secret, std::string_view text);

struct WebhookMessage {
  parser::Url url;
  std::string body;                                            // JSON
  std::vector<std::pair<std::string, std::string>> headers{};  // besides Content-Type
  // What is wrong with an answer of status 2xx; empty: nothing.
  std::function<std::string(std::string_view body)> refusal{};
};

// Sends it, and returns once it was accepted with a status 2xx. Of `options` it uses the time limits, retries,
// certificates, user agent, proxy and allowed addresses. A redirect is followed with the same POST, from https never to
// http and never to an address that `options` do not allow; the URL itself may lead to any address. No error quotes
// more of a URL than its origin, because the rest is often secret.
Result<void> send_webhook(const WebhookMessage& message, const FetchOptions& options,
                          const std::function<bool()>& is_stopped);

}  // namespace linkherd::crawler
