// Keeps one fetch thread's hops to what robots.txt allows: fetches it once an origin, before the first hop there.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "crawler/fetch/hop_answer.h"
#include "crawler/fetch/hop_runner.h"
#include "crawler/frontier/robots.h"

namespace linkherd::crawler {

class RobotsGate {
 public:
  RobotsGate(boost::asio::io_context& io, HopRunner& runner) : io_(io), runner_(runner) {}

  // Nothing where the hop may go ahead; else how it ends without having been tried: disallowed, or robots.txt could not
  // even be asked for, in which case neither could the page. `request` outlives the operation.
  boost::asio::awaitable<std::optional<HopAnswer>> refusal(const HopRequest& request);

 private:
  using Handler = boost::asio::any_completion_handler<void()>;
  struct Origin {
    std::optional<RobotsRules> rules;
    bool fetching = false;
    std::vector<Handler> waiting;
  };
  boost::asio::awaitable<HopAnswer> fetch_rules(const HopRequest& request);
  boost::asio::awaitable<void> wait_for(Origin& origin);

  boost::asio::io_context& io_;
  HopRunner& runner_;
  std::unordered_map<std::string, Origin> origins_;
};

}  // namespace linkherd::crawler
