#include "tests/support/http_response.h"

#include <array>
#include <charconv>

#include <boost/beast/http/status.hpp>

namespace linkherd::tests {

bool is_bodiless(int status) { return status < 200 || status == 204 || status == 304; }

std::string response_head(const Page& page, bool keep_alive) {
  const std::string phrase =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(static_cast<unsigned>(page.status)));
  std::string head = "HTTP/1.1 " + std::to_string(page.status) + " " + phrase + "\r\n";
  for (const auto& [name, value] : page.headers) head.append(name).append(": ").append(value).append("\r\n");
  const auto missing = [&page](std::string_view name) { return header_value(page.headers, name).empty(); };
  if (!is_bodiless(page.status)) {
    if (missing("Content-Type")) head += "Content-Type: text/html; charset=utf-8\r\n";
    if (page.delivery == Delivery::chunked || page.delivery == Delivery::endless) {
      head += "Transfer-Encoding: chunked\r\n";
    } else if (page.delivery != Delivery::until_close && missing("Content-Length") && missing("Transfer-Encoding")) {
      head += "Content-Length: " + std::to_string(page.body.size()) + "\r\n";
    }
  }
  if (!keep_alive && missing("Connection")) head += "Connection: close\r\n";
  return head + "\r\n";
}

std::string chunk(std::string_view text) {
  std::array<char, 16> digits{};
  const auto [end, error] = std::to_chars(digits.begin(), digits.end(), text.size(), 16);
  std::string bytes(digits.begin(), end);
  return bytes.append("\r\n").append(text).append("\r\n");
}

}  // namespace linkherd::tests
