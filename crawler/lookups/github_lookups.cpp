#include "crawler/lookups/github_lookups.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "crawler/classify/classify.h"
#include "crawler/classify/site_facts.h"
#include "crawler/fetch/http/redirect.h"
#include "crawler/fetch/http/response_headers.h"
#include "crawler/fetch/http/sent_secrets.h"

namespace linkherd::crawler {

namespace {

constexpr int not_seen = 404;  // the status of GitHub's pages for missing and for private repositories

void add_redirect(FetchResult& result, std::string_view location) {
  constexpr int permanent = 301;
  parser::Url to = redirect_target(result.final_url, location).value();
  result.redirects.push_back({std::string(result.final_url.href()), permanent, std::string(to.href())});
  result.final_url = std::move(to);
}

// Returns the result that the page itself would have had.
FetchResult result_of(FetchRequest request, const GithubResult& github_result, const storage::Snapshot& answer) {
  FetchResult result(std::move(request));
  result.fetched_at = answer.fetched_at;
  result.attempts = answer.attempts;
  result.response.status = github_result.state == GithubState::exists ? 200 : not_seen;
  if (result.link_url.scheme() == "http")
    add_redirect(result, fmt::format("https{}",
                                     result.link_url.href_without_fragment().substr(result.link_url.scheme().size())));
  if (!github_result.moved_to.empty()) add_redirect(result, github_result.moved_to);
  return result;
}

std::string describe(const GithubResult& github_result, const FetchResult& result) {
  switch (github_result.state) {
    case GithubState::missing: return "says that it does not exist or that this token may not see it";
    case GithubState::is_secret: return "says that it is private: this token can read it, other readers cannot";
    default: break;
  }
  if (github_result.moved_to.empty()) return "says that it exists";
  return fmt::format("says that it has moved to {}", result.final_url.href());
}

// Returns the end of the pause that the API requests. It may do so with 403 as well.
std::optional<Timestamp> requested_pause(const storage::Snapshot& answer) {
  if (answer.status != 403 && answer.status != 429) return std::nullopt;
  for (const storage::ResponseHeader& header : answer.headers) {
    if (header.name == "retry-after") return retry_after(429, {{header.name, header.value}}, answer.fetched_at);
  }
  return std::nullopt;
}

std::string problem_of_reply(const storage::Snapshot& answer) {
  if (answer.status == 0) {
    const std::string failure = answer.attempts.empty() ? "not asked" : answer.attempts.back().failure;
    return fmt::format("it did not answer ({})", failure);
  }
  if (answer.status != 200) return fmt::format("it answered with status {}", answer.status);
  return answer.is_body_complete ? std::string() : "its response is incomplete or too long";
}

}  // namespace

bool GithubLookups::add(FetchRequest& request) {
  if (has_given_up_) return false;
  const auto url = parser::Url::parse(request.href());
  if (!url || !github_link(*url, host_)) return false;
  waiting_.push_back(std::move(request));
  return true;
}

std::optional<GithubLookups::Request> GithubLookups::next_request(bool is_end) {
  if (!in_flight_.empty() || waiting_.empty() || (!is_end && waiting_.size() < at_once_)) return std::nullopt;
  links_.clear();
  while (!waiting_.empty() && in_flight_.size() < at_once_) {
    in_flight_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    links_.push_back(*github_link(parser::Url::parse(in_flight_.back().href()).value(), host_));
  }
  return Request{FetchRequest::post(Purpose::github, api_.url,
                                    {"Content-Type: application/json", "Authorization: Bearer " + api_.token},
                                    github_query(links_)),
                 std::exchange(not_before_, {})};
}

GithubLookups::Outcome GithubLookups::handle_response(const storage::Snapshot& response, std::string_view body) {
  Outcome outcome;
  GithubReply reply;
  reply.problem = problem_of_reply(response);
  if (reply.problem.empty()) reply = read_github_reply(body, links_, response.fetched_at);
  if (!reply.problem.empty()) {
    waiting_.insert(waiting_.begin(), std::move_iterator(in_flight_.begin()), std::move_iterator(in_flight_.end()));
    in_flight_.clear();
    if (reply.is_limit) {
      give_up_because(reply.problem, false);
    } else {
      note_failure(response, reply.problem);
    }
  } else {
    failures_ = 0;
    for (std::size_t i = 0; i < in_flight_.size(); ++i) {
      if (reply.results[i].state == GithubState::unknown) {
        outcome.unknown.push_back(std::move(in_flight_[i]));
      } else {
        outcome.known.push_back(known_link(std::move(in_flight_[i]), std::move(reply.results[i]), response));
      }
    }
    in_flight_.clear();
    if (reply.is_last) give_up_because("the rate limit of the token is used up", false);
  }
  if (has_given_up_) {
    std::vector<FetchRequest> rest = give_up();
    std::ranges::move(rest, std::back_inserter(outcome.unknown));
  }
  return outcome;
}

// A query may be too large for the API, which then answers 502. The next query has half as many links.
void GithubLookups::note_failure(const storage::Snapshot& reply, std::string_view problem) {
  constexpr int of_no_answer = 2;
  if (reply.status == 401) return give_up_because("it refuses the token", true);
  failures_ += reply.status == 0 ? of_no_answer : 1;
  const bool is_refused = reply.status == 403 || reply.status == 429;
  not_before_ = requested_pause(reply);
  const bool is_too_long = not_before_ && *not_before_ - reply.fetched_at > max_pause_;
  if (failures_ >= max_failures || is_too_long || (is_refused && !not_before_)) return give_up_because(problem, false);
  if (!is_refused) at_once_ = std::max<std::size_t>(1, at_once_ / 2);
}

void GithubLookups::give_up_because(std::string_view why, bool is_fault) {
  has_given_up_ = true;
  spdlog::log(is_fault ? spdlog::level::warn : spdlog::level::info,
              fmt::format("{} is not asked again in this run; linkherd fetches the pages of the links instead: {}",
                          api_.url.href(), why));
}

std::vector<FetchRequest> GithubLookups::give_up() {
  has_given_up_ = true;
  std::vector<FetchRequest> rest(std::move_iterator(waiting_.begin()), std::move_iterator(waiting_.end()));
  waiting_.clear();
  return rest;
}

GithubLookups::KnownLink GithubLookups::known_link(FetchRequest request, GithubResult github_result,
                                                   const storage::Snapshot& answer) const {
  FetchResult result = result_of(std::move(request), github_result, answer);
  storage::Snapshot snapshot;
  snapshot.fetched_at = result.fetched_at;
  snapshot.verdict = classify(result, {});
  snapshot.verdict.rule = "site_api:github_api";
  snapshot.verdict.evidence = fmt::format("{} {}.", api_.url.href(), describe(github_result, result));
  snapshot.status = result.response.status;
  snapshot.final_url = result.final_url.href();
  snapshot.redirects = std::move(result.redirects);
  snapshot.attempts = std::move(result.attempts);
  if (github_result.state == GithubState::exists) {
    result.redirects = snapshot.redirects;
    snapshot.metadata = std::move(github_result.metadata);
    snapshot.facts = site_facts(result, {});
    std::ranges::move(github_result.facts, std::back_inserter(snapshot.facts));
  } else {
    snapshot.verdict.reason = storage::reason::not_found;
  }
  // A server that answers in place of the API may repeat the token.
  SentSecrets({{{}, "Authorization", "Bearer " + api_.token}}, {&result.link_url}).mask_in(snapshot);
  return {std::move(result.request), std::move(result.link_url), std::move(snapshot)};
}

}  // namespace linkherd::crawler
