#include "crawler/fetch/http/extra_headers.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <re2/re2.h>

#include "parser/ascii.h"
#include "parser/glob_pattern.h"

namespace linkherd::crawler {

namespace {

// Headers about the form of the response, not the identity of the client. Any other name may carry a secret, like
// X-Api-Key or PRIVATE-TOKEN.
constexpr std::array<std::string_view, 10> harmless_names{
    "accept", "accept-charset", "accept-encoding", "accept-language",           "cache-control",
    "dnt",    "pragma",         "sec-gpc",         "upgrade-insecure-requests", "user-agent"};
// Headers of the connection or of the request itself. Another value would break the request.
constexpr std::array<std::string_view, 8> own_names{"host",    "connection", "content-length", "transfer-encoding",
                                                    "upgrade", "te",         "trailer",        "expect"};

bool is_token(std::string_view text) {
  static constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return parser::is_ascii_letter(c) || parser::is_ascii_digit(c) || marks.find(c) != std::string_view::npos;
  });
}

bool is_header_value(std::string_view text) {
  return std::ranges::none_of(
      text, [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f'; });
}

std::string base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// The first word, which must be a pattern, and the rest.
struct Split {
  std::string pattern;
  std::string_view rest;
};
Result<Split> split_pattern(std::string_view text, const Error& malformed) {
  text = parser::trim_ascii(text);
  const std::size_t space = text.find_first_of(" \t");
  if (space == std::string_view::npos) return malformed;
  Split split{std::string(text.substr(0, space)), parser::trim_ascii(text.substr(space))};
  const Result<UrlPattern> pattern = UrlPattern::parse(split.pattern);
  if (!pattern) return pattern.error();
  return split;
}

std::string line_of(const HeaderRule& rule) {
  // curl's notation for a header with an empty value.
  return rule.value.empty() ? rule.name + ";" : rule.name + ": " + rule.value;
}

}  // namespace

std::string basic_authorization(std::string_view credentials) { return "Basic " + base64(credentials); }

// The errors never quote a value, because it may be a secret.
Result<HeaderRule> parse_header(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = parser::trim_ascii(text.substr(0, colon));
  if (colon == std::string_view::npos || !is_token(name)) return Error{"a header must have the form NAME: VALUE"};
  const std::string_view value = parser::trim_ascii(text.substr(colon + 1));
  if (!is_header_value(value)) return Error{"the value of " + std::string(name) + " has a control character"};
  if (parser::is_one_of(own_names, parser::to_ascii_lower(name)))
    return Error{std::string(name) + " cannot be set: linkherd sets this header itself"};
  return HeaderRule{{}, std::string(name), std::string(value)};
}

Result<HeaderRule> parse_header_for(std::string_view text) {
  const Result<Split> split = split_pattern(text, {"a header for some URLs must have the form PATTERN NAME: VALUE"});
  if (!split) return split.error();
  Result<HeaderRule> rule = parse_header(split->rest);
  if (rule) rule->pattern = split->pattern;
  return rule;
}

Result<HeaderRule> parse_basic_auth(std::string_view text) {
  const Error malformed{"a login must have the form PATTERN USER:PASSWORD"};
  const Result<Split> split = split_pattern(text, malformed);
  if (!split) return split.error();
  constexpr std::size_t max_bytes = 4096;
  if (split->rest.find(':') == std::string_view::npos || split->rest.size() > max_bytes) return malformed;
  return HeaderRule{split->pattern, "Authorization", basic_authorization(split->rest)};
}

bool is_own_origin(const parser::Url& link, const parser::Url& hop) {
  if (link.host() != hop.host()) return false;
  if (link.scheme() == hop.scheme()) return link.effective_port() == hop.effective_port();
  return link.scheme() == "http" && hop.scheme() == "https" && !link.port() && !hop.port();
}

ExtraHeaders::ExtraHeaders(const std::vector<HeaderRule>& rules) {
  for (const HeaderRule& rule : rules) {
    Compiled compiled{rule, std::nullopt, parser::is_one_of(harmless_names, parser::to_ascii_lower(rule.name))};
    if (!rule.pattern.empty()) {
      Result<UrlPattern> pattern = UrlPattern::parse(rule.pattern);
      if (!pattern) throw std::runtime_error(pattern.error().message);
      compiled.pattern = std::move(*pattern);
    }
    rules_.push_back(std::move(compiled));
  }
}

std::vector<const HeaderRule*> ExtraHeaders::for_hop(const parser::Url& hop, bool is_to_own_origin) const {
  std::vector<const HeaderRule*> found;
  for (const Compiled& compiled : rules_) {
    const bool meant =
        compiled.pattern ? compiled.pattern->matches(hop, is_to_own_origin) : is_to_own_origin || compiled.harmless;
    if (meant) found.push_back(&compiled.rule);
  }
  return found;
}

void add_headers(std::vector<std::string>& lines, const std::vector<const HeaderRule*>& extra) {
  const auto find = [&lines](const HeaderRule& rule) {
    const std::string start = parser::to_ascii_lower(rule.name) + ":";
    return std::ranges::find_if(
        lines, [&start](const std::string& line) { return parser::starts_ignoring_case(line, start); });
  };
  for (const HeaderRule* rule : extra) {
    const auto same = find(*rule);
    if (same == lines.end()) {
      lines.push_back(line_of(*rule));
    } else if (parser::equals_ignoring_case(rule->name, "cookie")) {
      same->append("; ").append(rule->value);
    } else {
      *same = line_of(*rule);
    }
  }
}

UrlPattern::UrlPattern(std::unique_ptr<re2::RE2> expression) : expression_(std::move(expression)) {}
UrlPattern::~UrlPattern() = default;
UrlPattern::UrlPattern(UrlPattern&&) noexcept = default;
UrlPattern& UrlPattern::operator=(UrlPattern&&) noexcept = default;

Result<UrlPattern> UrlPattern::parse(std::string_view text) {
  if (const std::optional<std::string> regex = parser::regex_for_glob(text)) {
    const std::string_view start = text.starts_with('*') ? "https://[^/]*" : "";
    return Error{fmt::format("{} is a glob, but a regular expression is needed: '{}{}'", text, start, *regex)};
  }
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(true);
  // Hosts are case-insensitive; a path that differs only in case is no reason to withhold a header.
  options.set_case_sensitive(false);
  const std::string expression(text);
  auto compiled = std::make_unique<re2::RE2>(expression, options);
  if (!compiled->ok())
    return Error{fmt::format("\"{}\" is not a valid regular expression: {}", text, compiled->error())};
  return UrlPattern(std::move(compiled));
}

bool UrlPattern::matches(const parser::Url& url, bool is_to_own_origin) const {
  const std::string scheme = std::string(url.scheme()) + "://";
  const auto matches_with = [&](const std::string& host) {
    const std::string text = host + std::string(url.path());
    const bool may_lack_scheme = is_to_own_origin || url.scheme() == "https";
    return (may_lack_scheme && starts(text, 0, host.size())) ||
           starts(scheme + text, scheme.size(), scheme.size() + host.size());
  };
  const std::string host(url.host());
  // The default port of the scheme may be present or absent.
  return matches_with(fmt::format("{}:{}", host, url.effective_port())) || (!url.port() && matches_with(host));
}

// The match must cover the whole host and port at least.
bool UrlPattern::starts(std::string_view text, std::size_t host_start, std::size_t port_end) const {
  re2::StringPiece found;
  if (!expression_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::ANCHOR_START, &found, 1)) return false;
  const std::size_t end = found.size();
  return end > host_start && end >= port_end;
}

}  // namespace linkherd::crawler
