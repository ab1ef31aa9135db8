// Cuts TLS connections on which records come without end. curl 7.88 reads HTTP/2 frames that belong to no body (pings,
// settings) for as long as there are any, and looks at no timeout meanwhile: one such server would hold up a whole
// thread.
#pragma once

#include <curl/curl.h>

namespace linkherd::crawler {

// For CURLOPT_SSL_CTX_FUNCTION.
CURLcode watch_for_record_flood(CURL* easy, void* ssl_context, void* unused);

// Before curl is given its turn on this thread: what it reads until the next call is one turn's.
void start_record_turn();

}  // namespace linkherd::crawler
