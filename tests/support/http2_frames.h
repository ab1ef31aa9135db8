// Builds HTTP/2 frames by hand (RFC 9113) for servers that violate the protocol. Used in scripts of a RawServer.
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

// Header fields as HPACK has them without its tables (RFC 7541, 6.2.2); values have at most 126 bytes.
std::string status(int code);
std::string header(std::string_view name, std::string_view value);

// A whole answer: a page in HTML.
std::string page(std::uint32_t stream, const std::string& html);

// How a client of HTTP/2 begins.
constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Greets, and reads up to the first request, of which `seen` has come already. Gives its stream; 0: the client has
// gone.
std::uint32_t read_request(Conversation& client, std::string seen);
// Greets, and lets `answer` send what it wants to every request, until the client goes.
void serve(Conversation& client, std::string seen, const std::function<void(std::uint32_t stream)>& answer);

// How a TLS server agrees on HTTP/2: whatever it is offered; where it is offered, and no version in all other
// handshakes; or these are refused.
void choose_http2(ssl_ctx_st* context);
void prefer_http2(ssl_ctx_st* context);
void require_http2(ssl_ctx_st* context);

}  // namespace linkherd::tests::http2
