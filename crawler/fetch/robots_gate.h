// Keeps one fetch thread's hops to what robots.txt allows: fetches it once an origin, before the first hop there.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "crawler/clock/clock.h"
#include "crawler/fetch/hop_runner.h"
#include "crawler/fetch/http/fetch_result.h"
#include "crawler/frontier/robots.h"
#include "storage/host_state.h"

namespace linkherd::crawler {

class RobotsGate {
 public:
  RobotsGate(boost::asio::io_context& io, HopRunner& runner, const Clock& clock)
      : io_(io), runner_(runner), clock_(clock) {}

  // What an earlier run read; it holds for a day (RFC 9309, 2.4).
  void restore(const storage::HostState& host);
  // Adds what is known to the states that the next run will be given.
  void add_to(std::vector<storage::HostState>& states) const;

  // Nothing where the hop may be run; else how it ends without having been tried: disallowed; or robots.txt could not
  // be requested, in which case neither could the page; or the host refuses requests (429). `request` outlives the
  // operation.
  boost::asio::awaitable<std::optional<HopAnswer>> refusal(const HopRequest& request);

  // What the host itself has said by now, without asking; null where that is nothing.
  const RobotsRules* known_rules(const std::string& origin) const;
  // Whether the host itself has answered the question for its robots.txt, in whatever way.
  bool has_answered_since(const std::string& origin, Timestamp time) const;

 private:
  using Handler = boost::asio::any_completion_handler<void()>;
  struct Origin {
    std::optional<RobotsRules> rules;
    Timestamp read_at;
    bool lasting = true;  // false: a server error stood for the rules, and another run asks again
    bool moved = false;   // robots.txt was last looked for at another origin, where a redirect led
    bool is_fetching = false;
    int users = 0;  // operations that refer to this
    std::vector<Handler> waiting;
  };
  boost::asio::awaitable<HopAnswer> fetch_rules(const HopRequest& request, Origin& origin);
  boost::asio::awaitable<void> wait_for(Origin& origin);
  bool is_fresh(const Origin& origin) const;
  Origin& origin_of(const std::string& name);

  boost::asio::io_context& io_;
  HopRunner& runner_;
  const Clock& clock_;
  std::unordered_map<std::string, Origin> origins_;
};

}  // namespace linkherd::crawler
