// robots.txt as RFC 9309 says: groups by product token, the longest matching rule wins, Allow wins ties, `*` and `$` in
// patterns.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linkherd::crawler {

class RobotsRules {
 public:
  RobotsRules() = default;  // allows everything
  static RobotsRules disallow_all();
  // Reads at most 500 KiB; what is malformed is ignored. `product_token` is matched without regard to case.
  static RobotsRules parse(std::string_view text, std::string_view product_token);
  // By the status of the answer: 2xx is parsed, 4xx allows all, 5xx and no answer (0) disallow all.
  static RobotsRules from_response(int status, std::string_view body, std::string_view product_token);

  // `path_and_query`: "/p/1?x=y" as sent; compared octet by octet after normalising escapes.
  bool allows(std::string_view path_and_query) const;
  std::optional<std::chrono::duration<double>> crawl_delay() const { return crawl_delay_; }
  // The same rules as a robots.txt for everyone: what parse() reads back from it is equal.
  std::string text() const;

  bool operator==(const RobotsRules&) const = default;

 private:
  struct Rule {
    std::string pattern;
    bool allow = false;

    bool operator==(const Rule&) const = default;
  };
  std::vector<Rule> rules_;
  std::optional<std::chrono::duration<double>> crawl_delay_;
};

// Path patterns (RFC 9309, 2.2.2 and 2.2.3), matched in linear time.
// One spelling for a pattern and for a path: unreserved characters unescaped, all that may not stand in a URL escaped,
// escapes in upper case. In a pattern `*` and a last `$` keep their meaning; in a path they are escaped, as `%2A` and
// `%24` in a pattern.
std::string normalise_robots_pattern(std::string_view pattern);
std::string normalise_robots_path(std::string_view path_and_query);

// Both normalised. The pattern must match from the start of the path, and to its end only if it ends in `$`.
bool matches_robots_pattern(std::string_view pattern, std::string_view path);

}  // namespace linkherd::crawler
