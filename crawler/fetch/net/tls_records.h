// Limits the TLS records per call of curl, because an endless sequence of records would block a whole thread.
//
// OpenSSL reads past records without data (tickets, key updates) as long as they arrive. curl 7.88 does the same with
// HTTP/2 frames without a body (pings, settings). Neither checks a timeout meanwhile. For bodies, curl reads at most a
// hundred buffers of 16 KiB, one record each, before it returns.
#pragma once

struct ssl_ctx_st;

namespace linkherd::crawler {

// Shuts down the connections of `context` that receive too many records in one turn.
void limit_tls_records(ssl_ctx_st* context);
// Begins the next turn of this thread; call it before each call of curl.
void begin_tls_turn();

}  // namespace linkherd::crawler
