// Requests to a scripted server, and its responses: valid, broken or missing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linkherd::tests {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Returns the value of the first header with that name (case-insensitive), or an empty string.
std::string header_value(const Headers& headers, std::string_view name);

// How a response is delivered. "Half" means half of the body.
enum class Delivery {
  whole,        // with its Content-Length
  chunked,      // Transfer-Encoding: chunked
  until_close,  // no length; the end of the connection ends the body
  drip,         // `drip_bytes` every `drip_interval`, including the head
  silence,      // no byte, while the connection stays open
  stall,        // the head and half, then nothing, while the connection stays open
  cut,          // the head and half, then the connection is closed
  reset,        // the head and half, then a TCP reset
  reset_early,  // a TCP reset instead of a response
  close,        // the connection is closed without a byte
  raw,          // `body` instead of a complete HTTP message, then the connection is closed
  endless,      // repeats `body`, chunked, until the client disconnects
};

struct Page {
  int status = 200;
  Headers headers;  // Content-Type and Content-Length are added if missing
  std::string body;
  Delivery delivery = Delivery::whole;
  std::chrono::milliseconds delay{0};  // before the first byte
  std::size_t drip_bytes = 16;
  std::chrono::milliseconds drip_interval{20};
};

Page html_page(std::string body, std::string content_type = "text/html; charset=utf-8");
Page status_page(int status, Headers headers = {});
Page redirect_page(int status, std::string location);

struct ReceivedRequest {
  std::string host;  // of the Host header: lower case, without port
  std::string method;
  std::string target;  // "/path?query", as sent
  Headers headers;
  std::string body;
  bool tls = false;
  std::uint64_t connection = 0;  // identifies the connection
  std::string server_address;    // the address that the client connected to
  std::chrono::steady_clock::time_point time;

  std::string header(std::string_view name) const { return header_value(headers, name); }
  std::string url() const { return (tls ? "https://" : "http://") + host + target; }
};

}  // namespace linkherd::tests
