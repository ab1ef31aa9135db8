#include "crawler/fetch/robots_gate.h"

#include <chrono>
#include <iterator>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "crawler/fetch/http/decode_body.h"
#include "crawler/fetch/http/redirect.h"
#include "crawler/fetch/http/response_headers.h"

namespace linkherd::crawler {

namespace asio = boost::asio;

namespace {

constexpr std::string_view product_token = "linkherd";
constexpr std::size_t max_robots_bytes = std::size_t{500} << 10;  // RFC 9309, 2.5
constexpr Duration max_validity = std::chrono::hours(24);         // RFC 9309, 2.4
// Size of the rules for linkherd; longer ones are fetched again in the next run.
constexpr std::size_t max_kept_bytes = std::size_t{32} << 10;
constexpr std::size_t max_origins = 20'000;  // per thread
constexpr int max_redirects = 5;             // RFC 9309, 2.3.1.2
// Used if robots.txt redirects to another origin and that origin fails. This proves nothing about the pages of the
// first origin.
constexpr int unreachable_status = 503;

std::string path_and_query(const parser::Url& url) {
  std::string text(url.path());
  if (url.has_query()) text.append("?").append(url.query());
  return text;
}

// Counts an operation while it uses an origin.
class Use {
 public:
  explicit Use(int& users) : users_(users) { ++users_; }
  ~Use() { --users_; }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  int& users_;
};

// Returns true if the failure has a local cause, so that neither the server nor the file is to blame.
bool is_put_off(const AttemptResult& response) {
  return response.is_no_evidence() || response.failure == FailureKind::interrupted;
}

}  // namespace

bool RobotsGate::is_fresh(const Origin& origin) const {
  const Duration age = clock_.now() - origin.read_at;
  return origin.rules && age >= Duration::zero() && age < max_validity;
}

void RobotsGate::restore(const storage::HostState& host) {
  if (!host.robots_at) return;
  if (origins_.size() >= max_origins) return;
  Origin& origin = origins_[host.origin];
  origin.rules = RobotsRules::parse(host.robots, product_token);
  origin.read_at = *host.robots_at;
}

void RobotsGate::add_to(std::vector<storage::HostState>& states) const {
  std::unordered_map<std::string_view, std::size_t> positions;
  for (std::size_t i = 0; i < states.size(); ++i) positions.emplace(states[i].origin, i);
  std::vector<storage::HostState> others;
  for (const auto& [name, origin] : origins_) {
    if (!origin.lasting || !is_fresh(origin)) continue;
    std::string text = origin.rules->text();
    if (text.size() > max_kept_bytes) continue;
    const auto position = positions.find(name);
    storage::HostState& state = position != positions.end() ? states[position->second] : others.emplace_back();
    state.origin = name;
    state.robots = std::move(text);
    state.robots_at = origin.read_at;
    state.crawl_delay = origin.rules->crawl_delay();
  }
  states.insert(states.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
}

const RobotsRules* RobotsGate::known_rules(const std::string& name) const {
  const auto found = origins_.find(name);
  if (found == origins_.end() || !found->second.lasting || !is_fresh(found->second)) return nullptr;
  return &*found->second.rules;
}

bool RobotsGate::has_answered_since(const std::string& name, Timestamp time) const {
  const auto found = origins_.find(name);
  return found != origins_.end() && found->second.rules && !found->second.moved && found->second.read_at >= time;
}

// Removes unused rules if there are too many, so that a run over millions of hosts does not keep them all. Removed
// rules are fetched again if necessary.
RobotsGate::Origin& RobotsGate::origin_of(const std::string& name) {
  if (origins_.size() >= max_origins && !origins_.contains(name)) {
    std::erase_if(origins_, [](const auto& entry) { return entry.second.users == 0; });
  }
  return origins_[name];
}

bool RobotsGate::is_needed(const std::string& origin, std::size_t pending) const {
  constexpr std::size_t many = 10;
  switch (mode_) {
    case RobotsMode::respect: return true;
    case RobotsMode::ignore: return false;
    case RobotsMode::listed: break;
  }
  if (unanswered_.contains(origin)) return false;
  return known_rules(origin) != nullptr || pending >= many;
}

bool RobotsGate::may_ignore(const AttemptResult& refusal, const std::string& origin) {
  if (mode_ != RobotsMode::listed) return false;
  switch (refusal.failure) {
    case FailureKind::robots_disallowed: return true;
    case FailureKind::timeout:
    case FailureKind::connection_reset:
    case FailureKind::bad_response:
    case FailureKind::odd_status_line:
    case FailureKind::headers_too_large: unanswered_.insert(origin); return true;
    default: return false;
  }
}

asio::awaitable<std::optional<AttemptResult>> RobotsGate::refusal(const AttemptRequest& request) {
  Origin& origin = origin_of(request.url.origin());
  const Use use(origin.users);
  while (origin.is_fetching) co_await wait_for(origin);
  if (!is_fresh(origin)) {
    origin.is_fetching = true;
    AttemptResult response = co_await fetch_rules(request, origin);
    origin.is_fetching = false;
    for (Handler& handler : std::exchange(origin.waiting, {})) asio::post(io_, std::move(handler));
    int status = response.status != 0 ? response.status : response.unverified_status;
    if (origin.moved && !is_put_off(response) && (status == 0 || status == 429)) status = unreachable_status;
    // The page could not be requested either, because the host is refusing requests.
    if (status == 0 || status == 429) co_return response;
    origin.read_at = clock_.now();
    origin.lasting = status < 500;
    const DecodedBody body =
        decode_body(find_header(response.headers, "content-encoding"), std::move(response.body), max_robots_bytes);
    // A redirect chain that does not end counts as no robots.txt, hence no rules.
    origin.rules = RobotsRules::from_response(is_redirect_status(status) ? 404 : status, body.bytes, product_token);
  }
  if (origin.rules->allows(path_and_query(request.url))) co_return std::nullopt;
  co_return failed_attempt(FailureKind::robots_disallowed, "robots.txt disallows this URL");
}

asio::awaitable<AttemptResult> RobotsGate::fetch_rules(const AttemptRequest& request, Origin& origin) {
  AttemptRequest robots = request;
  robots.purpose = AttemptPurpose::robots;
  robots.validators = nullptr;
  robots.is_head = false;
  robots.cookie.clear();
  robots.max_body = max_robots_bytes;
  Result<parser::Url> next = parser::Url::parse("/robots.txt", request.url);
  AttemptResult response;
  for (int redirects = 0; next && redirects <= max_redirects; ++redirects) {
    robots.url = *next;
    robots.should_keep_connection = true;
    origin.moved = next->origin() != request.url.origin();
    robots.is_to_own_origin = request.is_to_own_origin && !origin.moved;
    response = co_await runner_.run(robots);
    if (!is_redirect_status(response.status)) break;
    next = redirect_target(robots.url, find_header(response.headers, "location"));
    if (next && !next->is_http()) break;
  }
  co_return response;
}

asio::awaitable<void> RobotsGate::wait_for(Origin& origin) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [](auto handler, Origin* o) { o->waiting.push_back(Handler(std::move(handler))); }, asio::use_awaitable, &origin);
}

}  // namespace linkherd::crawler
