// Performs one request with curl: collects a bounded response, and returns it or the reason why there is none.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <curl/curl.h>

#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/byte_budget.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/fetch/net/attempt_request.h"
#include "crawler/fetch/net/curl_loop.h"

namespace linkherd::crawler {

// The arguments must outlive the transfer. Rethrows exceptions from curl's callbacks.
boost::asio::awaitable<AttemptResult> run_transfer(CurlLoop& loop, const FetchOptions& options,
                                                   const AttemptRequest& request, const Route& route,
                                                   ByteBudget& bodies);

// Records the socket that curl uses for a transfer. `events`: CURL_POLL_*, what curl waits for.
void note_socket(CURL* easy, curl_socket_t socket, int events);

}  // namespace linkherd::crawler
