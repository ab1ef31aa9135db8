// Runs one fetch against one hostile server, and checks that it ends correctly, in bounded time and memory. Every case
// is a separate test, so that its name says which attack the program survives.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/fetch_result.h"
#include "storage/verdict.h"
#include "tests/support/raw_server.h"

namespace linkherd::tests {

using storage::Health;
using Script = RawServer::Script;

// The expected health and reason of the link, as a report contains them.
struct Expected {
  Health health = Health::alive;
  std::string reason = "ok";
  std::vector<std::string> other_reasons{};  // also valid if the result depends on which side times out first
};

// The differences between a case and a plain GET of http://hostile.test/page.
struct CaseOptions {
  std::string url = "http://hostile.test/page";
  std::function<void(crawler::FetchOptions&)> adjust{};
  std::function<void(ssl_ctx_st*)> tls{};
  // Checks the result further, with its body decoded.
  std::function<void(const crawler::FetchResult&)> check_result{};
};

// Runs the script for every connection. Checks health and reason, that the fetch took less than thirty seconds
// of processor time, and that the process did not grow by more than 64 MiB, or more under a sanitizer.
void survive(const Script& script, const Expected& expected, const CaseOptions& setting = {});

// Does the same with a server that the test itself runs. `adjust` sets the options that lead to it.
void survive_own_server(const Expected& expected, const CaseOptions& setting);

// A value for CaseOptions::check_result: checks that the body was truncated.
void check_body_truncated(const crawler::FetchResult& result);

// Scripts.
Script respond_with(std::string answer);                   // reads the request, sends `answer`, closes the connection
Script respond_in_turn(std::vector<std::string> answers);  // one per connection; the last one is repeated
Script respond_endlessly(std::string start, std::string again);
Script respond_slowly(std::string answer, std::chrono::milliseconds interval);     // byte by byte
std::string ok(std::string_view headers, std::string_view body = "<p>hello</p>");  // 200, text/html, Content-Length
std::string redirect(std::string_view location, int status = 302, std::string_view headers = {});

}  // namespace linkherd::tests
