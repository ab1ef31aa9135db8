#include "crawler/frontier/robots.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/search.h"

namespace linkherd::crawler {

namespace {

// Path patterns of robots.txt (RFC 9309, sections 2.2.2 and 2.2.3): escapes are normalised, then matching takes linear
// time.

bool is_unreserved(unsigned char c) {
  return parser::is_ascii_alphanumeric(static_cast<char>(c)) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool must_be_escaped(unsigned char c) { return c <= 0x20 || c >= 0x7F; }

// Returns the octet of the escape at `text[i]`, or nullopt if no valid escape begins there.
std::optional<unsigned char> escape_at(std::string_view text, std::size_t i) {
  if (text[i] != '%' || i + 2 >= text.size()) return std::nullopt;
  const int high = parser::hex_value(text[i + 1]);
  const int low = parser::hex_value(text[i + 2]);
  if (high < 0 || low < 0) return std::nullopt;
  return static_cast<unsigned char>(high * 16 + low);
}

void append_escape(std::string& out, unsigned char octet) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  out += '%';
  out += digits[octet >> 4U];
  out += digits[octet & 15U];
}

std::string normalise(std::string_view text, bool is_pattern) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (const std::optional<unsigned char> octet = escape_at(text, i)) {
      if (is_unreserved(*octet)) {
        out += static_cast<char>(*octet);
      } else {
        append_escape(out, *octet);
      }
      i += 2;
      continue;
    }
    const bool is_wildcard = is_pattern && (c == '*' || (c == '$' && i + 1 == text.size()));
    if (!is_wildcard && (c == '*' || c == '$' || must_be_escaped(c))) {
      append_escape(out, c);
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

constexpr std::size_t max_text = std::size_t{500} * 1024;
// Longer than any URL that is sent. Longer lines are ignored, because a truncated rule would mean something else.
constexpr std::size_t max_line = std::size_t{16} * 1024;
constexpr double max_crawl_delay_seconds = 86400;
// Every rule is evaluated for every link of a host. The largest files of well-known hosts have a few thousand rules.
constexpr std::size_t max_rules = 10'000;
// Matching a rule with `*` takes time proportional to the path; a rule without it stops at the first difference.
constexpr std::size_t max_wildcard_rules = 1000;
constexpr std::size_t max_path_bytes = std::size_t{8} << 10;  // a longer path is matched by its beginning

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\0'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Returns "linkherd" for "linkherd/0.1.0 (+https://…)".
std::string_view product_of(std::string_view agent) {
  const auto* end =
      std::ranges::find_if_not(agent, [](char c) { return parser::is_ascii_letter(c) || c == '_' || c == '-'; });
  return agent.substr(0, static_cast<std::size_t>(end - agent.begin()));
}

// Returns the next line without its line break (LF, CR or CRLF) and removes both from `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos) {
    text = {};
  } else {
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return line;
}

struct Record {
  std::string_view key;
  std::string_view value;
};

Record read_record(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return {};
  return {trim(line.substr(0, colon)), trim(line.substr(colon + 1))};
}

std::optional<std::chrono::duration<double>> read_delay(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(seconds) || seconds < 0) return std::nullopt;
  return std::chrono::duration<double>(std::min(seconds, max_crawl_delay_seconds));
}

// Admits the first rules only; the rest is ignored, like text beyond 500 KiB.
class RuleLimits {
 public:
  bool allow(std::string_view pattern) {
    if (pattern.find('*') != std::string_view::npos && ++wildcards_ > max_wildcard_rules) return false;
    return ++rules_ <= max_rules;
  }

 private:
  std::size_t rules_ = 0;
  std::size_t wildcards_ = 0;
};

// The crawlers that the following rules address.
struct Group {
  bool ours = false;
  bool everyone = false;
  bool has_rules = false;  // the next user-agent line starts a new group
};

}  // namespace

std::string normalise_robots_pattern(std::string_view pattern) { return normalise(pattern, true); }
std::string normalise_robots_path(std::string_view path_and_query) { return normalise(path_and_query, false); }

// Takes each literal piece at its earliest position. That is correct for patterns whose only wildcard is `*`, because
// an earlier end never leaves less room for the following pieces. Therefore there is no backtracking.
bool matches_robots_pattern(std::string_view pattern, std::string_view path) {
  const bool to_the_end = pattern.ends_with('$');
  if (to_the_end) pattern.remove_suffix(1);

  std::size_t star = pattern.find('*');
  const std::string_view start = pattern.substr(0, star);
  if (!path.starts_with(start)) return false;
  std::size_t at = start.size();
  if (star == std::string_view::npos) return !to_the_end || at == path.size();

  while (true) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    if (star == std::string_view::npos) break;
    const std::string_view piece = pattern.substr(0, star);
    const std::size_t found = parser::find_linear(path, piece, at);
    if (found == std::string_view::npos) return false;
    at = found + piece.size();
  }
  if (to_the_end) return path.size() - at >= pattern.size() && path.ends_with(pattern);
  return parser::find_linear(path, pattern, at) != std::string_view::npos;
}

RobotsRules RobotsRules::disallow_all() {
  RobotsRules rules;
  rules.rules_.push_back({.pattern = "/", .allow = false});
  return rules;
}

RobotsRules RobotsRules::parse(std::string_view text, std::string_view product_token) {
  const std::string product = parser::to_ascii_lower(product_of(product_token));
  if (text.size() > max_text) {
    text = text.substr(0, max_text);
    text = text.substr(0, text.find_last_of("\r\n") + 1);  // a truncated line would mean something else
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);

  RobotsRules ours;      // all groups that name linkherd, merged
  RobotsRules everyone;  // all groups for "*", used if none names linkherd
  RuleLimits of_ours, of_everyone;
  bool named = false;
  Group group;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.size() > max_line) continue;
    const auto [key, value] = read_record(line);
    const bool allow = parser::equals_ignoring_case(key, "allow");
    if (parser::equals_ignoring_case(key, "user-agent")) {
      if (std::exchange(group.has_rules, false)) group = {};
      const bool is_us = !product.empty() && parser::equals_ignoring_case(product_of(value), product);
      group.ours = group.ours || is_us;
      group.everyone = group.everyone || value == "*" || (value.starts_with('*') && is_blank(value[1]));
      named = named || is_us;
    } else if (allow || parser::equals_ignoring_case(key, "disallow")) {
      group.has_rules = true;
      if (value.empty() || !(group.ours || group.everyone)) continue;
      const Rule rule{.pattern = normalise_robots_pattern(value), .allow = allow};
      if (group.ours && of_ours.allow(rule.pattern)) ours.rules_.push_back(rule);
      if (group.everyone && of_everyone.allow(rule.pattern)) everyone.rules_.push_back(rule);
    } else if (parser::equals_ignoring_case(key, "crawl-delay")) {
      const std::optional<std::chrono::duration<double>> delay = read_delay(value);
      if (group.ours) ours.crawl_delay_ = std::max(ours.crawl_delay_, delay);
      if (group.everyone) everyone.crawl_delay_ = std::max(everyone.crawl_delay_, delay);
    }
  }
  return named ? std::move(ours) : std::move(everyone);
}

RobotsRules RobotsRules::from_response(int status, std::string_view body, std::string_view product_token) {
  if (status >= 200 && status < 300) return parse(body, product_token);
  // A redirect that led nowhere counts as a missing file, like a 4xx (RFC 9309, 2.3.1.2 and 2.3.1.3).
  if (status >= 300 && status < 500) return {};
  return disallow_all();
}

std::string RobotsRules::text() const {
  std::string text = "User-agent: *\n";
  for (const Rule& rule : rules_)
    text.append(rule.allow ? "Allow: " : "Disallow: ").append(rule.pattern).append(1, '\n');
  if (crawl_delay_) text += fmt::format("Crawl-delay: {}\n", crawl_delay_->count());
  return text;
}

bool RobotsRules::allows(std::string_view path_and_query) const {
  std::string path = normalise_robots_path(path_and_query.substr(0, max_path_bytes));
  if (!path.starts_with('/')) path.insert(0, 1, '/');
  if (path == "/robots.txt") return true;
  std::size_t max_match_bytes = 0;
  bool allowed = true;
  for (const Rule& rule : rules_) {
    const std::size_t length = rule.pattern.size();
    if (length < max_match_bytes || (length == max_match_bytes && !rule.allow)) continue;
    if (!matches_robots_pattern(rule.pattern, path)) continue;
    max_match_bytes = length;
    allowed = rule.allow;
  }
  return allowed;
}

}  // namespace linkherd::crawler
