// Runs one fetch against one hostile server and checks that it ends as expected in bounded time and memory. Each case
// is a test of its own.
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

// What the link must become: health and reason, as a report has them.
struct Expected {
  Health health = Health::alive;
  std::string reason = "ok";
  std::vector<std::string> other_reasons{};  // if it depends on who gives up first
};

// How a case differs from a plain GET of http://hostile.test/page.
struct Setting {
  std::string url = "http://hostile.test/page";
  std::function<void(crawler::FetchOptions&)> adjust{};
  std::function<void(ssl_ctx_st*)> tls{};
  // Also looks at the result, its body decoded.
  std::function<void(const crawler::FetchResult&)> look{};
};

// Plays the script to every connection. Checks health and reason, that the fetch took less than 30 seconds, and that
// the process did not grow by more than 64 MiB (more under a sanitizer).
void survive(const Script& script, const Expected& expected, const Setting& setting = {});

// The same against a server of the test's own: `adjust` says how to get there.
void survive_elsewhere(const Expected& expected, const Setting& setting);

// For Setting: what more to look at in a result.
void body_is_cut(const crawler::FetchResult& result);

// Scripts.
Script says(std::string answer);                        // reads the request, says it, closes
Script says_in_turn(std::vector<std::string> answers);  // one a connection; the last again and again
Script says_endlessly(std::string start, std::string again);
Script drips(std::string answer, std::chrono::milliseconds interval);              // byte by byte
std::string ok(std::string_view headers, std::string_view body = "<p>hello</p>");  // 200, text/html, with its length
std::string redirect(std::string_view location, int status = 302, std::string_view headers = {});

}  // namespace linkherd::tests
