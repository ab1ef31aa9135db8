// Parses and evaluates robots.txt (RFC 9309): groups are selected by product token, the longest matching rule wins, and
// Allow wins ties. Patterns support `*` and `$`.
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
  // Reads at most 500 KiB and ignores malformed lines. `product_token` is matched case-insensitively.
  static RobotsRules parse(std::string_view text, std::string_view product_token);
  // Chooses by the status of the response: 2xx is parsed, 3xx and 4xx allow everything, 5xx and no response (0)
  // disallow everything.
  static RobotsRules from_response(int status, std::string_view body, std::string_view product_token);

  // `path_and_query` is the path as sent, such as "/p/1?x=y". It is compared octet by octet after its escapes are
  // normalised.
  bool allows(std::string_view path_and_query) const;
  std::optional<std::chrono::duration<double>> crawl_delay() const { return crawl_delay_; }
  // Returns the rules as a robots.txt that addresses every crawler. parse() restores equal rules from it.
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
//
// Normalisation gives patterns and paths one form. Unreserved characters are unescaped, all characters that a URL may
// not contain are escaped, and escapes are in upper case. In a pattern, `*` and a final `$` keep their meaning. In a
// path they are escaped, and match `%2A` and `%24` in a pattern.
std::string normalise_robots_pattern(std::string_view pattern);
std::string normalise_robots_path(std::string_view path_and_query);

// Both arguments are normalised. The pattern must match from the start of the path, and up to its end only if it ends
// in `$`.
bool matches_robots_pattern(std::string_view pattern, std::string_view path);

}  // namespace linkherd::crawler
