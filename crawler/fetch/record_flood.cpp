#include "crawler/fetch/record_flood.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

namespace linkherd::crawler {

namespace {

// Of bodies curl takes at most a hundred buffers of 16 KiB, a record each, before it looks up again.
constexpr int most_records_a_turn = 2000;

struct Turn {
  const SSL* session = nullptr;
  int records = 0;
};
// A connection outlives the transfer that opened it, but never its thread.
thread_local Turn turn;

void on_message(int is_written, int /*version*/, int content_type, const void* /*bytes*/, std::size_t /*size*/,
                SSL* session, void* /*unused*/) {
  if (is_written != 0 || content_type != SSL3_RT_HEADER) return;
  if (turn.session != session) turn = {session, 0};
  if (++turn.records == most_records_a_turn) ::shutdown(SSL_get_fd(session), SHUT_RDWR);
}

}  // namespace

CURLcode watch_for_record_flood(CURL* /*easy*/, void* ssl_context, void* /*unused*/) {
  SSL_CTX_set_msg_callback(static_cast<SSL_CTX*>(ssl_context), &on_message);
  return CURLE_OK;
}

void start_record_turn() { turn = {}; }

}  // namespace linkherd::crawler
