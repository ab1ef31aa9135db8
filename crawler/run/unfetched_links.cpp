#include "crawler/run/unfetched_links.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/lists/host_names.h"
#include "parser/url/mail_address.h"

namespace linkherd::crawler {

namespace {

namespace reason = storage::reason;
using parser::LinkNote;
using parser::LinkOccurrence;
using parser::Url;
using storage::Health;
using storage::Verdict;
using storage::without_request;

// Recognizes "http::StatusCode", in Markdown that documents code.
bool is_path_of_code(std::string_view written) {
  const std::size_t colons = written.find("::");
  const auto is_of_path = [](char c) {
    return parser::is_ascii_alphanumeric(c) || std::string_view("_:()!#").find(c) != std::string_view::npos;
  };
  if (colons == 0 || colons == std::string_view::npos || colons + 2 >= written.size()) return false;
  return !parser::is_ascii_digit(written[colons + 2]) && std::ranges::all_of(written, is_of_path);
}

Verdict evaluate_mail_address(const Url& url, bool includes_mail) {
  if (!includes_mail) {
    return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                           "mail addresses are checked only with --include-mail");
  }
  if (auto problem = parser::find_mailto_problem(url)) {
    return without_request(Health::dead, reason::invalid_mail_address, "mail", std::move(*problem));
  }
  return without_request(Health::alive, reason::ok, "mail", "a valid mail address; no mail was sent");
}

}  // namespace

std::optional<Verdict> verdict_if_excluded(const LinkOccurrence& occurrence, const LinkFilter* filter) {
  if (!occurrence.ignored_by.empty()) {
    return without_request(Health::skipped, reason::ignored, "list", "the document says " + occurrence.ignored_by);
  }
  if (filter == nullptr) return std::nullopt;
  auto exclusion = filter->excludes(occurrence.url, occurrence.href);
  if (!exclusion) return std::nullopt;
  return without_request(Health::skipped, reason::excluded, exclusion->rule, std::move(exclusion->evidence));
}

std::optional<Verdict> verdict_without_request(const LinkOccurrence& occurrence, const std::optional<Url>& url,
                                               bool is_offline, bool includes_mail) {
  const bool is_missing_include =
      occurrence.element == parser::LinkElement::include && !url && !parser::has_placeholder(occurrence.url);
  if (is_missing_include && occurrence.has(LinkNote::placeholder)) {
    return without_request(Health::skipped, reason::relative_link, "file",
                           "the file may be generated, ignored by git, or in another folder of the site generator");
  }
  if (occurrence.has(LinkNote::placeholder)) {
    return without_request(Health::skipped, reason::placeholder, "placeholder", "example address, not checked");
  }
  if (occurrence.has(LinkNote::empty_target)) {
    return without_request(Health::skipped, reason::empty_target, "empty_target",
                           occurrence.url.empty()
                               ? "the link has no target"
                               : fmt::format("the link has no target: no definition of [{}]", occurrence.url));
  }
  if (url && url->is_http()) {
    if (!is_offline) return std::nullopt;
    return without_request(Health::skipped, reason::offline, "offline", "--offline checks only files and anchors");
  }
  if (url && url->scheme() == "mailto") return evaluate_mail_address(*url, includes_mail);
  if (url) {
    return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                           "only http and https links are fetched, not " + std::string(url->scheme()));
  }
  if (occurrence.has(LinkNote::relative)) {
    return without_request(Health::skipped, reason::relative_link, "relative",
                           "a relative link without a base URL" +
                               (occurrence.has(LinkNote::missing_scheme)
                                    ? fmt::format("; did you mean {}?", parser::add_https_scheme(occurrence.url))
                                    : std::string()));
  }
  if (is_path_of_code(occurrence.url)) {
    return without_request(Health::skipped, reason::unsupported_scheme, "scheme",
                           "a Rust path, which rustdoc resolves");
  }
  const auto parsed = Url::parse(occurrence.url);
  return without_request(Health::dead, reason::invalid_url, "url",
                         parsed.has_error() ? parsed.error().message : "not a valid URL");
}

}  // namespace linkherd::crawler
