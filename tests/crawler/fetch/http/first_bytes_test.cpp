#include "crawler/fetch/http/first_bytes.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/fetch/http/proxy_response.h"

namespace linkherd::crawler {

using namespace std::string_literals;

TEST_CASE("protocols are recognised by their first bytes") {
  struct Row {
    std::string bytes;
    FirstBytes kind;
    std::string message;
  };
  const std::vector<Row> rows{
      {"HTTP/1.1 200 OK\r\n", FirstBytes::response, {}},
      {"\r\n\r\nhttp/1.0 200\r\n", FirstBytes::response, {}},
      {"\r\n", FirstBytes::undecided, {}},
      {"\r\nHT", FirstBytes::undecided, {}},
      {"xxxxHTTP/1.1 200 OK", FirstBytes::response, {}},
      {"xxxxxHTTP/1.1 200 OK", FirstBytes::foreign, "the server's response does not begin with an HTTP status line"},
      {std::string(2000, '\n'), FirstBytes::foreign, "the server's response does not begin with an HTTP status line"},
      {"SSH-2.0-x\r\n", FirstBytes::foreign, "the server speaks SSH, not HTTP"},
      {"220 (vsFTPd 3.0.3)\r\n", FirstBytes::foreign, "the server speaks FTP, not HTTP"},
      {"220-mx.example ESMTP\r\n", FirstBytes::foreign, "the server speaks SMTP, not HTTP"},
      {"220 hello\r\n", FirstBytes::foreign, "the server speaks SMTP or FTP, not HTTP"},
      {"554 no service\r\n", FirstBytes::foreign, "the server speaks SMTP, not HTTP"},
      {"+OK ready\r\n", FirstBytes::foreign, "the server speaks POP3, not HTTP"},
      {"\x15\x03\x03\x00\x02\x02\x28 and more bytes"s, FirstBytes::foreign, "the server speaks TLS, not HTTP"},
      {"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\x00\x04"s, FirstBytes::foreign,
       "the server speaks HTTP/2, not HTTP/1.1"},
      {"\x00\x00\x00\x04\x00\x00\x00\x00\x00"s, FirstBytes::foreign, "the server speaks HTTP/2, not HTTP/1.1"},
      {"\x15\x03\x01\x00\x02\x02\x46"s, FirstBytes::foreign, "the server speaks TLS, not HTTP"},
      {"hello", FirstBytes::undecided, {}},
      {"<html>\n", FirstBytes::foreign, "the server sends a page without a status line and headers, as HTTP/0.9 did"},
      {"4\x00\x00\x00\x0a"
       "5.7.1-log and more"s,
       FirstBytes::foreign, "the server speaks MySQL, not HTTP"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.bytes.substr(0, 30));
    CHECK(read_first_bytes(row.bytes) == row.kind);
    if (row.kind == FirstBytes::foreign) CHECK(describe_foreign_bytes(row.bytes) == row.message);
    CHECK(response_start_in(row.bytes).has_value() == (row.kind == FirstBytes::response));
  }
}

TEST_CASE("a response is complete at its content length or last chunk or header end") {
  struct Row {
    std::string bytes;
    bool is_whole;
  };
  const std::vector<Row> rows{
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", false},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", true},
      {"HTTP/1.1 200 OK\r\nContent-Len", false},
      {"HTTP/1.1 204 No\r\n\r\n", true},
      {"HTTP/1.1 302 x\r\nLocation: /\r\nContent-Length: 5\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\n\r\nhi", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.bytes.substr(0, 80));
    CHECK(is_whole_response(row.bytes, false) == row.is_whole);
  }
  CHECK(is_whole_response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", true));
}

TEST_CASE("an error of the proxy itself is recognised in a relayed answer") {
  const auto kind_of = [](int status, const std::vector<storage::ResponseHeader>& headers, std::string_view body = {}) {
    const std::optional<ProxyFailure> own = read_relayed_response(status, headers, body);
    return own ? enum_name(failure_names, own->failure) : "";
  };
  CHECK(kind_of(404, {}) == "");
  CHECK(kind_of(502, {}) == "");
  CHECK(kind_of(407, {}) == "proxy_login");
  CHECK(kind_of(404, {{"x-squid-error", "ERR_DNS_FAIL 0"}}) == "proxy_failed");
  CHECK(kind_of(200, {{"x-squid-error", "ERR_DNS_FAIL 0"}}) == "");
  CHECK(kind_of(404, {{"x-squid-error", "ERR_ACCESS_DENIED 0"}}) == "proxy_refused");
  CHECK(kind_of(404, {{"proxy-status", "cdn; error=dns_error"}}) == "");  // of a server behind the proxy
  CHECK(kind_of(502, {{"proxy-status", "cdn; fwd=miss, corp; error=dns_error; details=x"}}) == "proxy_failed");
  CHECK(kind_of(502, {{"proxy-status", "corp; error=http_request_denied"}}) == "proxy_refused");
  CHECK(kind_of(404, {}, "<html><body id=ERR_CANNOT_FORWARD>") == "proxy_failed");
  CHECK(kind_of(404, {}, "<p>about ERR_ACCESS_DENIED</p>") == "");
}

}  // namespace linkherd::crawler
