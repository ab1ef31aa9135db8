// Tests the responses of the scripted web server with libcurl.
#include "tests/support/http_server.h"

#include <curl/curl.h>
#include <doctest/doctest.h>

#include "tests/support/curl_client.h"

namespace linkherd::tests {
namespace {

Page big_page(Delivery delivery) {
  Page page = html_page(std::string(10'000, 'x'));
  page.delivery = delivery;
  return page;
}

struct Row {
  Delivery delivery;
  int curl_code;
  long status;
  std::size_t body_bytes;
};

ClientResponse ask_for(Delivery delivery, const std::string& scheme) {
  SmallInternet internet;
  internet.host("site.test").page("/", big_page(delivery));
  ClientRequest request;
  request.url = scheme + "://site.test/";
  if (delivery == Delivery::silence || delivery == Delivery::stall) request.timeout = std::chrono::milliseconds(1500);
  return get(internet, request);
}

}  // namespace

TEST_CASE("every delivery has the expected effect on a client") {
  const std::vector<Row> rows{
      {Delivery::whole, CURLE_OK, 200, 10'000},
      {Delivery::chunked, CURLE_OK, 200, 10'000},
      {Delivery::until_close, CURLE_OK, 200, 10'000},
      {Delivery::silence, CURLE_OPERATION_TIMEDOUT, 0, 0},
      {Delivery::stall, CURLE_OPERATION_TIMEDOUT, 200, 5'000},
      {Delivery::cut, CURLE_PARTIAL_FILE, 200, 5'000},
      {Delivery::reset_early, CURLE_RECV_ERROR, 0, 0},
      {Delivery::close, CURLE_GOT_NOTHING, 0, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.delivery));
    const ClientResponse answer = ask_for(row.delivery, "http");
    CHECK(answer.curl_code == row.curl_code);
    CHECK(answer.status == row.status);
    CHECK(answer.body.size() == row.body_bytes);
  }
}

TEST_CASE("deliveries have the same effect over TLS") {
  for (const Delivery delivery : {Delivery::whole, Delivery::chunked, Delivery::until_close}) {
    CAPTURE(static_cast<int>(delivery));
    const ClientResponse answer = ask_for(delivery, "https");
    CHECK(answer.curl_code == CURLE_OK);
    CHECK(answer.body.size() == 10'000);
  }
  CHECK(ask_for(Delivery::stall, "https").curl_code == CURLE_OPERATION_TIMEDOUT);
  CHECK(ask_for(Delivery::cut, "https").curl_code != CURLE_OK);
}

TEST_CASE("a reset inside the body is an error for the client") {
  const ClientResponse answer = ask_for(Delivery::reset, "http");
  CHECK((answer.curl_code == CURLE_RECV_ERROR || answer.curl_code == CURLE_PARTIAL_FILE));
}

TEST_CASE("a dripping page arrives whole") {
  SmallInternet internet;
  Page page = html_page("<title>drip</title>");
  page.delivery = Delivery::drip;
  page.drip_bytes = 8;
  page.drip_interval = std::chrono::milliseconds(1);
  internet.host("site.test").page("/", page);
  const ClientResponse answer = get(internet, "http://site.test/");
  CHECK(answer.curl_code == CURLE_OK);
  CHECK(answer.body == "<title>drip</title>");
}

TEST_CASE("an endless page ends when the client disconnects") {
  SmallInternet internet;
  internet.host("site.test").page("/", big_page(Delivery::endless));
  ClientRequest request;
  request.url = "http://site.test/";
  request.max_bytes = 300'000;
  const ClientResponse answer = get(internet, request);
  CHECK(answer.curl_code == CURLE_WRITE_ERROR);
  CHECK(answer.body.size() > 300'000);
}

TEST_CASE("raw bytes are sent unchanged") {
  SmallInternet internet;
  Page page;
  page.body = "HTTP/1.1 999 Request denied\r\nX-Wall: yes\r\n\r\nno";
  page.delivery = Delivery::raw;
  internet.host("site.test").page("/", page);
  const ClientResponse answer = get(internet, "http://site.test/");
  CHECK(answer.status == 999);
  CHECK(answer.body == "no");
  page.body = "this is no HTTP";
  internet.host("site.test").page("/garbage", page);
  CHECK(get(internet, "http://site.test/garbage").curl_code == CURLE_UNSUPPORTED_PROTOCOL);
}

TEST_CASE("HEAD and 204 and 304 have no body") {
  SmallInternet internet;
  internet.host("site.test").page("/", big_page(Delivery::whole)).page("/none", status_page(204));
  ClientRequest request;
  request.url = "http://site.test/";
  request.head = true;
  const ClientResponse head = get(internet, request);
  CHECK(head.status == 200);
  CHECK(head.body.empty());
  CHECK(head.head.find("Content-Length: 10000") != std::string::npos);
  const ClientResponse none = get(internet, "http://site.test/none");
  CHECK(none.curl_code == CURLE_OK);
  CHECK(none.status == 204);
  CHECK(none.body.empty());
}

TEST_CASE("a page keeps its own headers and gets the missing ones") {
  SmallInternet internet;
  Page page;
  page.body = "x";
  page.headers = {{"content-type", "application/pdf"}, {"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}};
  internet.host("site.test").page("/", page);
  const std::string head = get(internet, "http://site.test/").head;
  CHECK(head.find("application/pdf") != std::string::npos);
  CHECK(head.find("text/html") == std::string::npos);
  CHECK(head.find("Set-Cookie: a=1\r\nSet-Cookie: b=2") != std::string::npos);
  CHECK(head.find("Content-Length: 1\r\n") != std::string::npos);
}

TEST_CASE("a script that throws answers 500 and says why") {
  SmallInternet internet;
  internet.host("site.test").handler([](const ReceivedRequest&) -> Page { throw std::runtime_error("not planted"); });
  const ClientResponse answer = get(internet, "http://site.test/x");
  CHECK(answer.status == 500);
  CHECK(answer.body.find("not planted") != std::string::npos);
}

}  // namespace linkherd::tests
