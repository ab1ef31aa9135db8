#include "crawler/browser/browser_process.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

namespace linkherd::tests {

using crawler::browser_arguments;
using crawler::BrowserCommand;
using crawler::BrowserProcess;

TEST_CASE("the browser has no way around the proxy, and keeps its sandbox unless the user gives it up") {
  const auto has = [](const std::vector<std::string>& arguments, std::string_view argument) {
    return std::ranges::find(arguments, argument) != arguments.end();
  };
  BrowserCommand command{.program = "chromium", .proxy_port = 4711};
  const std::vector<std::string> arguments = browser_arguments(command, "/tmp/x");
  CHECK(has(arguments, "--proxy-server=http://127.0.0.1:4711"));
  CHECK(has(arguments, "--proxy-bypass-list=<-loopback>"));
  CHECK(has(arguments, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"));
  CHECK(has(arguments, "--disable-quic"));
  CHECK(has(arguments, "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"));
  CHECK(has(arguments, "--user-data-dir=/tmp/x/profile"));
  CHECK_FALSE(has(arguments, "--no-sandbox"));
  CHECK_FALSE(has(arguments, "--ignore-certificate-errors"));

  command.has_sandbox = false;
  command.verifies_certificates = false;
  const std::vector<std::string> unsafe = browser_arguments(command, "/tmp/x");
  CHECK(has(unsafe, "--no-sandbox"));
  CHECK(has(unsafe, "--ignore-certificate-errors"));
}

TEST_CASE("root gets no browser without asking for one that has no sandbox") {
  if (geteuid() != 0) return;  // only root is refused
  const auto process = BrowserProcess::start({.program = "/bin/true"});
  REQUIRE(process.has_error());
  CHECK(process.error().message.find("--browser-no-sandbox") != std::string::npos);
}

}  // namespace linkherd::tests
