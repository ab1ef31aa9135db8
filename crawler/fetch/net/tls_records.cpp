#include "crawler/fetch/net/tls_records.h"

#include <cstddef>

#include <openssl/ssl.h>
#include <sys/socket.h>

namespace linkherd::crawler {

namespace {

constexpr int max_records_per_turn = 2000;

struct Turn {
  const SSL* session = nullptr;
  int records = 0;
};
// Counts the records of one call of curl. A connection outlives the transfer that opened it, but never its thread.
thread_local Turn record_turn;

void on_tls_message(int is_written, int /*version*/, int content_type, const void* /*bytes*/, std::size_t /*size*/,
                    SSL* session, void* /*unused*/) {
  if (is_written != 0 || content_type != SSL3_RT_HEADER) return;
  if (record_turn.session != session) record_turn = {session, 0};
  if (++record_turn.records == max_records_per_turn) ::shutdown(SSL_get_fd(session), SHUT_RDWR);
}

}  // namespace

void limit_tls_records(ssl_ctx_st* context) { SSL_CTX_set_msg_callback(context, &on_tls_message); }

void begin_tls_turn() { record_turn = {}; }

}  // namespace linkherd::crawler
