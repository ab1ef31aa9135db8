// Sets the options of a curl handle for one request. They are constant; Transfer adds its callbacks.
#pragma once

#include <chrono>
#include <stdexcept>

#include <curl/curl.h>
#include <fmt/format.h>

#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/net/attempt_request.h"
#include "crawler/fetch/net/curl_loop.h"
#include "parser/timestamp.h"

namespace linkherd::crawler {

template <class T>
void set_option(CURL* easy, CURLoption option, T value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  if (code != CURLE_OK)
    throw std::runtime_error(fmt::format("curl option {}: {}", static_cast<int>(option), curl_easy_strerror(code)));
}

// In milliseconds for curl, which takes 0 for "no limit".
long curl_time(Duration duration);

// Returns true if the certificate of the server is verified.
bool verifies_certificate(const FetchOptions& options, const AttemptRequest& request);
// Returns true if the server may ask for the user's certificate.
bool shows_certificate(const FetchOptions& options, const AttemptRequest& request);

// `resolve` and `connect_to` are the lists of the route. All arguments must outlive the transfer.
void set_options(CURL* easy, const FetchOptions& options, const AttemptRequest& request, const Route& route,
                 const CurlList& resolve, const CurlList& connect_to);

}  // namespace linkherd::crawler
