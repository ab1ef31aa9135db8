#include "crawler/fetch/next_hop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "crawler/fetch/http/redirect.h"
#include "crawler/fetch/http/response_headers.h"
#include "crawler/fetch/http/retry_policy.h"

namespace linkherd::crawler {

namespace {

constexpr Duration lookup_timeout = std::chrono::seconds(30);
constexpr int max_lookup_redirects = 3;
constexpr int max_relocation_redirects = 5;

// Such requests prolong a run, so they have less time.
bool is_about_dead_link(const FetchRequest& request) {
  return request.purpose() == Purpose::archive || request.is_for_relocation();
}

int max_chain_length_of(const FetchRequest& request, const FetchOptions& options) {
  if (!is_about_dead_link(request)) return options.max_redirects;
  return std::min(request.is_lookup() ? max_lookup_redirects : max_relocation_redirects, options.max_redirects);
}

bool end_with(AttemptResult& response, FailureKind failure, std::string detail) {
  response.failure = failure;
  response.detail = std::move(detail);
  return false;
}

void start_hop(FetchState& fetch, parser::Url url) {
  fetch.hop_url = std::move(url);
  fetch.not_before.reset();
  fetch.retries = 0;
  fetch.alternative = Alternative::none;
  fetch.refusal.reset();
  fetch.needs_fresh_connection = fetch.request.is_confirmation();
}

void collect_cookies(FetchState& fetch, const AttemptResult& response, Timestamp now) {
  const std::vector<Cookie> before = fetch.cookies.all;
  for (const storage::ResponseHeader& header : response.headers) {
    if (header.name != "set-cookie") continue;
    if (auto cookie = parse_set_cookie(fetch.hop_url, header.value, now))
      keep_cookie(fetch.cookies.all, std::move(*cookie), now);
  }
  fetch.cookies.has_new = fetch.cookies.has_new || fetch.cookies.all != before;
}

// A cookie wall expects its own cookies: the chain starts again with the cookies that it has set. Some walls set one
// cookie per round. Without a new cookie the response would be the same again.
bool pass_cookie_wall(FetchState& fetch, const parser::Url& to) {
  constexpr int max_rounds = 3;
  if (!fetch.cookies.has_new || fetch.cookies.all.empty() || fetch.cookies.rounds == max_rounds) return false;
  ++fetch.cookies.rounds;
  fetch.cookies.has_new = false;
  fetch.cookies.sent_from = fetch.redirects.size();
  start_hop(fetch, to);
  return true;
}

// Makes `to` the next hop; `redirect` leads to it. Returns false and sets the failure of the response if the redirect
// cannot be followed.
bool follow(EndedAttempt& hop, storage::Redirect redirect, parser::Url to) {
  FetchState& fetch = hop.fetch;
  AttemptResult& response = hop.response;
  const FetchOptions& options = hop.options;
  fetch.redirects.push_back(std::move(redirect));
  collect_cookies(fetch, response, hop.now);
  if (fetch.request.is_lookup() && to.host() != fetch.hop_url.host()) {
    return end_with(response, FailureKind::bad_redirect, fmt::format("redirected to another host: {}", to.href()));
  }
  if (closes_loop(fetch.redirects, to, fetch.cookies.sent_from.value_or(0))) {
    if (pass_cookie_wall(fetch, to)) return true;
    return end_with(response, FailureKind::redirect_loop, fmt::format("redirected back to {}", to.href()));
  }
  const int max_chain_length = max_chain_length_of(fetch.request, options);
  if (static_cast<int>(fetch.redirects.size()) > max_chain_length) {
    return end_with(response, FailureKind::too_many_redirects, fmt::format("more than {} redirects", max_chain_length));
  }
  if (time_left(fetch, options) <= Duration::zero()) {
    return end_with(response, FailureKind::timeout,
                    fmt::format("redirected for longer than {}", format_duration(fetch.spent)));
  }
  start_hop(fetch, std::move(to));
  return true;
}

std::optional<bool> follow_redirect(EndedAttempt& hop) {
  FetchState& fetch = hop.fetch;
  AttemptResult& response = hop.response;
  if (response.failure != FailureKind::none || !is_redirect_status(response.status)) return std::nullopt;
  const std::string location(find_header(response.headers, "location"));
  if (location.empty()) {
    const bool was_cut = !response.detail.empty();
    return end_with(response, FailureKind::bad_redirect,
                    was_cut ? fmt::format("a redirect whose target cannot be read: {}", response.detail)
                            : "a redirect without Location");
  }
  Result<parser::Url> to = redirect_target(fetch.hop_url, location);
  storage::Redirect redirect{std::string(fetch.hop_url.href()), response.status,
                             to ? std::string(to->href()) : location};
  if (to && to->is_http()) return follow(hop, std::move(redirect), std::move(*to));
  fetch.redirects.push_back(std::move(redirect));
  return to ? end_with(response, FailureKind::unsupported_scheme, fmt::format("redirected to {}", to->href()))
            : end_with(response, FailureKind::bad_redirect, to.error().message);
}

std::optional<bool> follow_page(EndedAttempt& hop) {
  FetchState& fetch = hop.fetch;
  if (fetch.request.is_lookup()) return std::nullopt;
  const auto found = page_redirect(hop.response, fetch.hop_url, fetch.request.body_limit(hop.options.max_body));
  if (!found || repeats_reload(fetch.redirects, fetch.hop_url, found->to)) return std::nullopt;
  if (hop.options.is_known_page && hop.options.is_known_page(fetch, hop.response)) return std::nullopt;
  Result<parser::Url> to = redirect_target(fetch.hop_url, found->to.href());
  if (!to) return std::nullopt;
  storage::Redirect redirect{.from = std::string(fetch.hop_url.href()),
                             .status = hop.response.status,
                             .to = std::string(to->href()),
                             .kind = found->kind,
                             .is_canonical = found->is_permanent};
  return follow(hop, std::move(redirect), std::move(*to));
}

// Many servers refuse HEAD or answer it arbitrarily. No response to HEAD may make a link dead, in this run or by
// strikes: 404 and 410 are confirmed with GET in any case.
bool must_use_get(const FetchState& fetch, const AttemptResult& response, const FetchOptions& options) {
  if (!uses_head(fetch, options)) return false;
  const bool is_refusal =
      response.status >= 400 && response.status < 500 && response.status != 405 && response.status != 408;
  if (options.method == MethodPlan::head && is_refusal) return false;
  switch (response.failure) {
    case FailureKind::none:
      return !is_redirect_status(response.status) && response.status != 304 && response.status != 429 &&
             (response.status < 200 || response.status >= 300);
    case FailureKind::bad_response:
    case FailureKind::odd_status_line:
    case FailureKind::connection_reset:
    case FailureKind::headers_too_large:
    case FailureKind::timeout: return true;
    default: return false;
  }
}

// Keeps the response while the hop is repeated in another way. A long body is cut.
void keep_refusal(EndedAttempt& hop, Alternative alternative) {
  constexpr std::size_t max_kept_bytes = std::size_t{64} << 10;
  AttemptResult& response = hop.response;
  if (response.body.size() > max_kept_bytes) {
    response.body.resize(max_kept_bytes);
    response.body.shrink_to_fit();
    response.body_state = BodyState::cut;
  }
  response.lease = {};  // otherwise a used-up budget would delay the next hop
  hop.fetch.refusal = std::make_unique<AttemptResult>(std::move(response));
  hop.fetch.alternative = alternative;
}

// Returns true if the server may support only the other version of HTTP.
bool wants_other_version(const EndedAttempt& hop) {
  const FetchState& fetch = hop.fetch;
  if (!hop.may_change_version || hop.response.version != HttpVersion::in_doubt) return false;
  if (fetch.alternative != Alternative::none || fetch.request.is_follow_up()) return false;
  if (hop.response.status == 421 && !fetch.needs_fresh_connection) return false;  // the connection may be the reason
  return time_left(fetch, hop.options) > Duration::zero();
}

void change_version(EndedAttempt& hop) {
  keep_refusal(hop, Alternative::other_version);
  hop.fetch.needs_fresh_connection = true;
}

// Immediately and without counting as a retry. A timeout takes long, so the next retry uses the other version in that
// case.
std::optional<bool> try_other_version(EndedAttempt& hop) {
  if (hop.response.failure == FailureKind::timeout || !wants_other_version(hop)) return std::nullopt;
  change_version(hop);
  return true;
}

std::optional<bool> use_get(EndedAttempt& hop) {
  if (!must_use_get(hop.fetch, hop.response, hop.options)) return std::nullopt;
  const bool in_other_version = wants_other_version(hop);
  hop.fetch.should_use_get = true;
  start_hop(hop.fetch, hop.fetch.hop_url);
  if (in_other_version) change_version(hop);
  return true;
}

std::optional<bool> try_again(EndedAttempt& hop) {
  FetchState& fetch = hop.fetch;
  const AttemptResult& response = hop.response;
  const RetryDecision decision =
      decide_retry(response, fetch.needs_fresh_connection, fetch.retries, hop.options.retry, hop.now, hop.jitter);
  const bool counts = decision.retry == Retry::later;
  if (decision.retry == Retry::none || (counts && fetch.request.is_follow_up())) return std::nullopt;
  if (decision.wait >= time_left(fetch, hop.options)) return std::nullopt;
  const bool in_other_version = wants_other_version(hop);
  if (counts) ++fetch.retries;
  fetch.spent += decision.wait;
  fetch.not_before = hop.now + decision.wait;
  fetch.needs_fresh_connection = !counts || response.failure != FailureKind::none || fetch.request.is_confirmation();
  if (in_other_version) change_version(hop);
  return true;
}

std::optional<bool> imitate_browser(EndedAttempt& hop) {
  constexpr std::array<int, 4> refusals{400, 403, 405, 406};
  const AttemptResult& response = hop.response;
  if (!hop.options.retry_as_browser || !hop.may_imitate_browser) return std::nullopt;
  if (hop.fetch.request.is_follow_up()) return std::nullopt;
  if (response.failure != FailureKind::none || !response.detail.empty()) return std::nullopt;
  if (std::ranges::find(refusals, response.status) == refusals.end()) return std::nullopt;
  if (hop.options.is_wall && hop.options.is_wall(response)) return std::nullopt;
  start_hop(hop.fetch, hop.fetch.hop_url);
  hop.fetch.should_use_get = true;
  keep_refusal(hop, Alternative::browser);
  return true;
}

}  // namespace

const std::array<NextHopRule, 6> next_hop_rules{{{NextHop::other_version, try_other_version},
                                                 {NextHop::redirect, follow_redirect},
                                                 {NextHop::page_redirect, follow_page},
                                                 {NextHop::get_after_head, use_get},
                                                 {NextHop::retry, try_again},
                                                 {NextHop::browser, imitate_browser}}};

bool make_next_hop(EndedAttempt& hop) {
  for (const NextHopRule& rule : next_hop_rules) {
    if (const std::optional<bool> goes_on = rule.apply(hop)) return *goes_on;
  }
  return false;
}

bool is_no_refusal(const AttemptResult& response) {
  if (response.failure != FailureKind::none) return false;
  return (response.status >= 200 && response.status < 400) || response.status == 404 || response.status == 410;
}

bool uses_head(const FetchState& fetch, const FetchOptions& options) {
  return options.method != MethodPlan::get && !fetch.should_use_get && !fetch.request.is_confirmation() &&
         !fetch.request.is_follow_up();
}

Duration time_left(const FetchState& fetch, const FetchOptions& options) {
  const Duration whole =
      is_about_dead_link(fetch.request) ? std::min(lookup_timeout, options.link_timeout) : options.link_timeout;
  return std::max(Duration::zero(), whole - fetch.spent);
}

}  // namespace linkherd::crawler
