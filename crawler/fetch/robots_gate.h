// Enforces robots.txt for the hops of one fetch thread. It fetches the file once per origin, before the first hop
// there.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "crawler/clock/clock.h"
#include "crawler/fetch/attempt_runner.h"
#include "crawler/fetch/fetch_options.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/frontier/robots.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

class RobotsGate {
 public:
  RobotsGate(boost::asio::io_context& io, AttemptRunner& runner, const Clock& clock, RobotsMode mode)
      : io_(io), runner_(runner), clock_(clock), mode_(mode) {}

  // Restores rules that an earlier run has read. They are valid for a day (RFC 9309, 2.4).
  void restore(const storage::HostState& host);
  // Adds the known rules to the host states for the next run.
  void add_to(std::vector<storage::HostState>& states) const;

  // Returns true if the next hop to `origin` depends on robots.txt, although its link is listed. Listed links need no
  // permission, but robots.txt of a host with many pending links may contain a Crawl-delay.
  bool is_needed(const std::string& origin, std::size_t pending) const;
  // Returns true if a listed link is fetched despite a refusal: whatever robots.txt says, and also if only robots.txt
  // cannot be fetched.
  bool may_ignore(const AttemptResult& refusal, const std::string& origin);

  // Returns nullopt if the hop may run. Otherwise returns the response that ends it: disallowed, robots.txt could not
  // be requested (nor could the page), or the host refuses requests (429). `request` must outlive the operation.
  boost::asio::awaitable<std::optional<AttemptResult>> refusal(const AttemptRequest& request);

  // Returns the rules that the host itself has sent so far, without a request. Null if there are none.
  const RobotsRules* known_rules(const std::string& origin) const;
  // Returns true if the host itself has answered the request for robots.txt since `time`, in whatever way.
  bool has_answered_since(const std::string& origin, Timestamp time) const;

 private:
  using Handler = boost::asio::any_completion_handler<void()>;
  struct Origin {
    std::optional<RobotsRules> rules;
    Timestamp read_at;
    bool lasting = true;  // false: the rules follow from a server error, so that the next run requests the file again
    bool moved = false;   // the last robots.txt request went to another origin, because of a redirect
    bool is_fetching = false;
    int users = 0;  // operations that use this entry
    std::vector<Handler> waiting;
  };
  boost::asio::awaitable<AttemptResult> fetch_rules(const AttemptRequest& request, Origin& origin);
  boost::asio::awaitable<void> wait_for(Origin& origin);
  bool is_fresh(const Origin& origin) const;
  Origin& origin_of(const std::string& name);

  boost::asio::io_context& io_;
  AttemptRunner& runner_;
  const Clock& clock_;
  const RobotsMode mode_;
  std::unordered_map<std::string, Origin> origins_;
  std::unordered_set<std::string> unanswered_;  // origins that answer, but whose robots.txt could not be fetched
};

}  // namespace linkherd::crawler
