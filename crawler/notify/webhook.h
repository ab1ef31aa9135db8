// Notifies a web service of a run with one signed POST request. Repeats it after transient failures.
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

// HMAC-SHA256 in lowercase hexadecimal, and in Base64.
std::string hmac_hex(std::string_view secret, std::string_view text);
std::string hmac_base64(std::string_view secret, std::string_view text);

struct WebhookMessage {
  parser::Url url;
  std::string body;                                            // JSON
  std::vector<std::pair<std::string, std::string>> headers{};  // in addition to Content-Type
  // Returns what is wrong with a 2xx response, or an empty string.
  std::function<std::string(std::string_view body)> refusal{};
};

// Sends the message and returns after a 2xx response. Uses the time limits, retries, certificates, user agent, proxy
// and allowed addresses of `options`. The URL itself may lead to any address.
//
// A redirect is followed with the same POST, but never from https to http and never to an address that `options`
// forbids. An Error contains at most the origin of a URL, because the rest is often secret.
Result<void> send_webhook(const WebhookMessage& message, const FetchOptions& options,
                          const std::function<bool()>& is_stopped);

}  // namespace linkherd::crawler
