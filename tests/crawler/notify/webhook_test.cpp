#include "crawler/notify/webhook.h"

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/small_internet.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace linkherd::tests;

namespace {

// A receiver at http://127.0.0.1:PORT that responds quickly.
struct Receiver {
  SmallInternet internet;
  FetchOptions options;

  Receiver() {
    options.timeout = std::chrono::milliseconds(300);
    options.retry.max_retries = 2;
    options.retry.first_wait = std::chrono::milliseconds(1);
  }
  HostScript& at() { return internet.host("127.0.0.1"); }
  std::string address(const std::string& target) const {
    return "http://127.0.0.1:" + std::to_string(internet.http_port()) + target;
  }
  // Returns the failure, or an empty string.
  std::string failure_of(
      const std::string& target, const std::function<std::string(std::string_view)>& refusal = {},
      const std::function<bool()>& is_stopped = [] { return false; }) const {
    const Result<void> sent = send_webhook(
        {parser::Url::parse(address(target)).value(), "{\"a\":1}", {{"X-Test", "yes"}}, refusal}, options, is_stopped);
    return sent.has_error() ? sent.error().message : std::string();
  }
  std::string says(const std::string& words) const { return address("") + words; }
};

}  // namespace

TEST_CASE("webhook signatures match the examples of RFC 4231 and Feishu") {
  CHECK(hmac_hex("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hmac_base64("Jefe", "what do ya want for nothing?") == "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM=");
  CHECK(hmac_hex("", "").size() == 64);
}

TEST_CASE("a webhook message is one POST that is retried on transient errors") {
  Receiver receiver;
  receiver.at().page("/ok", status_page(204));
  receiver.at().page("/ok?key=secret", status_page(204));
  receiver.at().pages("/busy", {status_page(503), status_page(429, {{"Retry-After", "0"}}), status_page(200)});
  receiver.at().page("/down?key=secret", status_page(500));
  receiver.at().page("/no", status_page(403));
  Page reset;
  reset.delivery = Delivery::reset_early;
  receiver.at().pages("/reset", {reset, status_page(200)});
  CHECK(receiver.failure_of("/ok?key=secret") == "");
  REQUIRE(receiver.internet.requests().size() == 1);
  const ReceivedRequest seen = receiver.internet.requests().front();
  CHECK(seen.method == "POST");
  CHECK(seen.target == "/ok?key=secret");
  CHECK(seen.body == "{\"a\":1}");
  CHECK(seen.header("Content-Type") == "application/json");
  CHECK(seen.header("X-Test") == "yes");
  CHECK(receiver.failure_of("/busy") == "");
  CHECK(receiver.failure_of("/reset") == "");
  CHECK(receiver.failure_of("/down?key=secret") == receiver.says(" answers with status 500"));
  CHECK(receiver.internet.count("127.0.0.1", "/down?key=secret") == 3);
  CHECK(receiver.failure_of("/no") == receiver.says(" answers with status 403"));
  CHECK(receiver.internet.count("127.0.0.1", "/no") == 1);
  const auto refuses = [](std::string_view /*body*/) { return "code 19021"; };
  CHECK(receiver.failure_of("/ok", refuses) == receiver.says(" refuses: code 19021"));
}

TEST_CASE("a hanging webhook receiver is given up and a stopped run gives it up at once") {
  Receiver receiver;
  receiver.options.retry.max_retries = 1;
  Page page;
  page.delivery = Delivery::silence;
  receiver.at().page("/silent", page);
  page.delivery = Delivery::endless;
  receiver.at().page("/endless", page);
  CHECK(receiver.failure_of("/silent") == receiver.says(": Timeout was reached"));
  CHECK(receiver.internet.count("127.0.0.1", "/silent") == 2);
  CHECK(receiver.failure_of("/endless") == receiver.says(": Timeout was reached"));
  receiver.options.timeout = std::chrono::minutes(5);
  CHECK(receiver.failure_of("/silent", {}, [] { return true; }) == receiver.says(": stopped together with this run"));
}

TEST_CASE("webhook redirects repeat the message but not to private addresses unless allowed") {
  Receiver receiver;
  receiver.at().page("/new", status_page(200));
  receiver.at().page("/old", redirect_page(308, "/new"));
  receiver.at().page("/loop", redirect_page(307, "/loop"));
  receiver.at().page("/see", redirect_page(303, "/new"));
  receiver.at().page("/file", redirect_page(301, "file:///etc/passwd"));
  const std::string refused = receiver.failure_of("/old");
  CHECK(refused ==
        receiver.says(" redirects to " + receiver.address("") + ", a private address (see --allow-private)"));
  CHECK(receiver.internet.count("127.0.0.1", "/new") == 0);
  receiver.options.addresses.all = true;
  CHECK(receiver.failure_of("/old") == "");
  CHECK(receiver.internet.requests().back().method == "POST");
  CHECK(receiver.internet.requests().back().body == "{\"a\":1}");
  CHECK(receiver.failure_of("/loop") == receiver.says(" redirects too many times"));
  CHECK(receiver.failure_of("/see") == receiver.says(" answers with status 303"));
  CHECK(receiver.failure_of("/file").starts_with(
      receiver.says(" redirects to an address that linkherd does not follow")));
}
