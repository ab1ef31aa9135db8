#include "tests/crawler/fetch/hostile/hostile_case.h"

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/resource.h>

#include "crawler/classify/classify.h"
#include "crawler/fetch/http/decode_body.h"
#include "tests/crawler/fetch/fetch_pool_fixture.h"
#include "tests/support/small_internet.h"

namespace linkherd::tests {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long max_growth = 4L << 20;  // KiB: a sanitizer's own memory counts too
#else
constexpr long max_growth = 64L << 10;
#endif
// Processor time of the client and the server. Every case needs a few seconds at most, with a sanitizer too.
constexpr double max_cpu_seconds = 30;
// On a very busy machine, that may take long. A fetch that takes longer hangs.
constexpr auto max_wait = std::chrono::minutes(4);

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Only cases that must end by a timeout have a short one. The others get more time for a busy machine.
crawler::FetchOptions usual_options(const Expected& expected) {
  const bool by_timeout =
      expected.reason == storage::reason::timeout ||
      std::ranges::find(expected.other_reasons, storage::reason::timeout) != expected.other_reasons.end();
  crawler::FetchOptions options;
  options.threads = 1;
  options.dns_servers = {"127.0.0.1:9"};  // no name is resolved
  options.timeout = std::chrono::milliseconds(by_timeout ? 1000 : 30'000);
  options.connect_timeout = std::chrono::milliseconds(by_timeout ? 700 : 20'000);
  options.retry.max_retries = 0;
  options.retry.first_wait = std::chrono::milliseconds(10);
  options.max_body = std::size_t{1} << 20;
  options.politeness.host_request_interval = std::chrono::milliseconds(1);
  return options;
}

FetchResult fetch(const crawler::FetchOptions& options, const std::string& url) {
  const crawler::Clock clock;
  crawler::ByteBudget bodies(options.body_budget);
  crawler::BoundedQueue<FetchResult> results(16);
  crawler::FetchPool pool(options, clock, bodies, results);
  pool.submit(request_for(url));
  auto result = results.pop_for(max_wait);
  if (!result) {
    const crawler::PoolStatus status = pool.status();
    throw std::runtime_error(fmt::format("no result came: {} pending, {} under way", status.pending, status.in_flight));
  }
  crawler::decode_content(result->response, options.max_body);
  result->response.lease = {};  // the lease refers to `bodies`, which is destroyed here
  return std::move(*result);
}

}  // namespace

void survive_own_server(const Expected& expected, const CaseOptions& setting) {
  crawler::FetchOptions options = usual_options(expected);
  if (setting.adjust) setting.adjust(options);
  const long before = peak_memory();
  const double started = cpu_seconds();
  const FetchResult result = fetch(options, setting.url);
  const double took = cpu_seconds() - started;
  const storage::Verdict verdict = crawler::classify(result, {});
  CAPTURE(result.response.detail);
  CAPTURE(verdict.evidence);
  CHECK(enum_name(storage::health_names, verdict.health) == enum_name(storage::health_names, expected.health));
  if (std::ranges::find(expected.other_reasons, verdict.reason) == expected.other_reasons.end())
    CHECK(verdict.reason == expected.reason);
  CHECK(took < max_cpu_seconds);
  CHECK(result.response.body.size() <= options.max_body);
  CHECK(peak_memory() - before < max_growth);
  if (setting.check_result) setting.check_result(result);
}

void survive(const Script& script, const Expected& expected, const CaseOptions& setting) {
  const RawServer server(script, setting.tls);
  CaseOptions elsewhere = setting;
  elsewhere.adjust = [&](crawler::FetchOptions& options) {
    const std::string port = std::to_string(server.port());
    options.connect_to = {"*:80:127.0.0.1:" + port, "*:443:127.0.0.1:" + port};
    if (setting.adjust) setting.adjust(options);
  };
  survive_own_server(expected, elsewhere);
}

Script respond_with(std::string answer) { return respond_in_turn({std::move(answer)}); }

Script respond_in_turn(std::vector<std::string> answers) {
  return [answers = std::move(answers)](ServerConnection& client) {
    client.read_request();
    client.send(answers[std::min(answers.size(), static_cast<std::size_t>(client.number())) - 1]);
  };
}

Script respond_endlessly(std::string start, std::string again) {
  return [start = std::move(start), again = std::move(again)](ServerConnection& client) {
    client.read_request();
    bool is_connected = client.send(start);
    while (is_connected) is_connected = client.send(again);
  };
}

Script respond_slowly(std::string answer, std::chrono::milliseconds interval) {
  return [answer = std::move(answer), interval](ServerConnection& client) {
    client.read_request();
    for (const char c : answer) {
      if (!client.send({&c, 1})) return;
      client.pause(interval);
    }
  };
}

void check_body_truncated(const crawler::FetchResult& result) { CHECK_FALSE(result.response.is_body_complete()); }

std::string ok(std::string_view headers, std::string_view body) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n{}\r\n{}", body.size(),
                     headers, body);
}

std::string redirect(std::string_view location, int status, std::string_view headers) {
  return fmt::format("HTTP/1.1 {} Moved\r\nLocation: {}\r\nContent-Length: 0\r\nConnection: close\r\n{}\r\n", status,
                     location, headers);
}

}  // namespace linkherd::tests
