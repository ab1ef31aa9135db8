// Builds HTTP/2 frames by hand (RFC 9113), for servers that break the protocol. For scripts of a RawServer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "tests/support/raw_server.h"

namespace linkherd::tests::http2 {

namespace frame_type {
constexpr char data = 0, headers = 1, rst_stream = 3, settings = 4, ping = 6, goaway = 7, continuation = 9;
}
constexpr char end_stream = 1, end_headers = 4, ack = 1;

namespace error {
constexpr std::uint32_t none = 0, protocol = 1, internal = 2, refused_stream = 7, cancel = 8, http_1_1_required = 13;
}

std::string frame(char type, char flags, std::uint32_t stream, const std::string& payload);
std::string rst_stream(std::uint32_t stream, std::uint32_t error);
std::string goaway(std::uint32_t error);

// Encode a header field with HPACK, as a literal that uses no table (RFC 7541, 6.2.2). Values have at most 126 bytes.
std::string status(int code);
std::string header(std::string_view name, std::string_view value);

// Returns a complete response with an HTML page.
std::string page(std::uint32_t stream, const std::string& html);

// The connection preface of an HTTP/2 client.
constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Sends the server's settings and reads up to the first request. `seen` holds the bytes that were already read. Returns
// the stream of the request, or 0 if the client has disconnected.
std::uint32_t read_request(ServerConnection& client, std::string seen);
// Sends the server's settings, then calls `answer` for every request until the client disconnects.
void serve(ServerConnection& client, std::string seen, const std::function<void(std::uint32_t stream)>& answer);

// Set the ALPN callback of a TLS server. `choose_http2` selects HTTP/2 regardless of the client's offer. `prefer_http2`
// selects it if the client offers it, and selects no protocol otherwise. `require_http2` selects it if the client
// offers it, and refuses every other handshake.
void choose_http2(ssl_ctx_st* context);
void prefer_http2(ssl_ctx_st* context);
void require_http2(ssl_ctx_st* context);

}  // namespace linkherd::tests::http2
