#include "crawler/fetch/robots_gate.h"

#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "crawler/fetch/decode_body.h"
#include "crawler/fetch/redirect.h"
#include "crawler/fetch/response_headers.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

constexpr std::string_view product_token = "linkherd";
constexpr std::size_t longest_robots = std::size_t{500} << 10;  // RFC 9309, 2.5
constexpr int most_redirects = 5;                               // RFC 9309, 2.3.1.2

std::string path_and_query(const parser::Url& url) {
  std::string text(url.path());
  if (url.has_query()) text.append("?").append(url.query());
  return text;
}

}  // namespace

asio::awaitable<std::optional<HopAnswer>> RobotsGate::refusal(const HopRequest& request) {
  Origin& origin = origins_[request.url.origin()];
  while (origin.fetching) co_await wait_for(origin);
  if (!origin.rules) {
    origin.fetching = true;
    HopAnswer answer = co_await fetch_rules(request);
    origin.fetching = false;
    for (Handler& handler : std::exchange(origin.waiting, {})) asio::post(io_, std::move(handler));
    const int status = answer.status != 0 ? answer.status : answer.unverified_status;
    if (status == 0) co_return answer;
    const DecodedBody body =
        decode_body(find_header(answer.headers, "content-encoding"), std::move(answer.body), longest_robots);
    // A chain of redirects that does not end is no robots.txt, hence no rules.
    origin.rules = RobotsRules::from_response(is_redirect_status(status) ? 404 : status, body.bytes, product_token);
  }
  if (origin.rules->allows(path_and_query(request.url))) co_return std::nullopt;
  co_return failed_hop(FailureKind::robots_disallowed, "robots.txt asks not to fetch this");
}

asio::awaitable<HopAnswer> RobotsGate::fetch_rules(const HopRequest& request) {
  HopRequest robots = request;
  robots.validators.reset();
  robots.keep_connection = true;
  robots.any_body = true;
  robots.head = false;
  robots.max_body = longest_robots;
  Result<parser::Url> next = parser::Url::parse("/robots.txt", request.url);
  HopAnswer answer;
  for (int redirects = 0; next && redirects <= most_redirects; ++redirects) {
    robots.url = *next;
    answer = co_await runner_.run(robots);
    if (!is_redirect_status(answer.status)) break;
    next = redirect_target(robots.url, find_header(answer.headers, "location"));
  }
  co_return answer;
}

asio::awaitable<void> RobotsGate::wait_for(Origin& origin) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [](auto handler, Origin* o) { o->waiting.push_back(Handler(std::move(handler))); }, asio::use_awaitable, &origin);
}

}  // namespace linkherd::crawler
