#include "parser/url/canonical.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "parser/url/percent_encoding.h"
#include "parser/url/registrable_domain.h"
#include "parser/url/tracking_parameters.h"

namespace linkherd::parser {
namespace {

// Nothing where the text is no URL: then the rule that made it does not apply.
std::optional<Url> read_back(std::string_view text) {
  auto url = Url::parse(text);
  return url ? std::optional<Url>(std::move(url).value()) : std::nullopt;
}

// The URL with `part`, one of its own views, replaced by `text`. Nothing where that is no URL: then the rule does not
// apply.
std::optional<Url> with_replaced(const Url& url, std::string_view part, std::string_view text) {
  const auto begin = static_cast<std::size_t>(part.data() - url.href().data());
  const std::string_view href = url.href();
  return read_back(fmt::format("{}{}{}", href.substr(0, begin), text, href.substr(begin + part.size())));
}

// The query without its "?" where `query` is empty.
std::optional<Url> with_query(const Url& url, std::string_view query) {
  if (!query.empty()) return with_replaced(url, url.query(), query);
  const auto begin = static_cast<std::size_t>(url.query().data() - url.href().data()) - 1;
  return with_replaced(url, url.href().substr(begin, url.query().size() + 1), "");
}

std::optional<Url> without_fragment(const Url& url) {
  if (!url.has_fragment()) return std::nullopt;
  return read_back(url.href_without_fragment());
}

std::optional<Url> with_normal_escapes(const Url& url) {
  if (!url.is_special()) return std::nullopt;
  const std::string path = normalize_escapes(url.path());
  const std::string query = normalize_escapes(url.query());
  if (path == url.path() && query == url.query()) return std::nullopt;
  // The query first: it stands behind the path, whose new length would move it.
  auto changed = url.query().empty() ? std::optional<Url>(url) : with_replaced(url, url.query(), query);
  return changed ? with_replaced(*changed, changed->path(), path) : std::nullopt;
}

std::optional<Url> without_trailing_dot(const Url& url) {
  const std::string_view host = url.host();
  if (url.host_kind() != HostKind::domain || host.size() < 2 || !host.ends_with('.') || host.ends_with("..")) {
    return std::nullopt;
  }
  return with_replaced(url, host, host.substr(0, host.size() - 1));
}

std::optional<Url> without_empty_query(const Url& url) {
  if (!url.is_special() || !url.has_query() || !url.query().empty()) return std::nullopt;
  return with_query(url, "");
}

std::optional<Url> without_tracking(const Url& url) {
  if (!url.is_http() || url.query().empty()) return std::nullopt;
  std::string kept;
  std::string_view rest = url.query();
  bool removed = false;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    if (is_tracking_parameter(url.host(), percent_decode(pair.substr(0, pair.find('='))))) {
      removed = true;
      continue;
    }
    if (!kept.empty()) kept += '&';
    kept += pair;
  }
  return removed ? with_query(url, kept) : std::nullopt;
}

std::optional<Url> as_https(const Url& url) {
  if (url.scheme() != "http") return std::nullopt;
  return with_replaced(url, url.scheme(), "https");
}

// What stands in front of the registrable domain, with its dot: "www." of "www.example.com".
std::string_view subdomain(const Url& url) {
  if (url.host_kind() != HostKind::domain) return {};
  return url.host().substr(0, url.host().size() - std::min(url.host().size(), registrable_domain(url).size()));
}

std::optional<Url> without_www(const Url& url) {
  if (!url.is_http() || !subdomain(url).starts_with("www.")) return std::nullopt;
  return with_replaced(url, url.host().substr(0, 4), "");
}

// "m.example.com", and "en.m.wikipedia.org" as well: a label that says nothing but "for small screens".
std::optional<Url> without_mobile_host(const Url& url) {
  constexpr std::array<std::string_view, 5> mobile_labels = {"m", "mobile", "wap", "touch", "amp"};
  if (!url.is_http()) return std::nullopt;
  std::string_view rest = subdomain(url);
  while (!rest.empty()) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (std::ranges::find(mobile_labels, label) != mobile_labels.end()) {
      return with_replaced(url, rest.substr(0, std::min(rest.size(), label.size() + 1)), "");
    }
    rest.remove_prefix(std::min(rest.size(), label.size() + 1));
  }
  return std::nullopt;
}

bool is_index_file(std::string_view name) {
  constexpr std::array<std::string_view, 11> index_files = {"index.html",   "index.htm",   "index.shtml", "index.php",
                                                            "index.asp",    "index.aspx",  "index.jsp",   "default.htm",
                                                            "default.html", "default.asp", "default.aspx"};
  return std::ranges::find(index_files, name) != index_files.end();
}

// "/a/index.html" is "/a/". Slashes behind it are looked through, so that the next rule leaves nothing for a second
// pass.
std::optional<Url> without_index_file(const Url& url) {
  if (!url.is_http()) return std::nullopt;
  std::string_view kept = url.path();
  std::string_view path = kept;
  while (true) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const std::size_t name = path.rfind('/') + 1;
    if (!is_index_file(path.substr(name))) break;
    path = path.substr(0, name);
    kept = path;
  }
  return kept.size() == url.path().size() ? std::nullopt : with_replaced(url, url.path(), kept);
}

std::optional<Url> without_trailing_slash(const Url& url) {
  std::string_view path = url.path();
  if (!url.is_http() || path.size() < 2 || !path.ends_with('/')) return std::nullopt;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return with_replaced(url, url.path(), path);
}

struct Rule {
  std::string_view name;
  CanonicalLayer from;                      // the first layer that has it
  std::optional<Url> (*apply)(const Url&);  // the changed URL; nothing where there is nothing to change
};

// In the order in which they run. Redirectors come first, so that their targets meet the rules of the layers below too.
constexpr std::array rules = {
    Rule{"redirector", CanonicalLayer::untracked, unwrap_redirector},
    Rule{"fragment", CanonicalLayer::whatwg, without_fragment},
    Rule{"escapes", CanonicalLayer::normalized, with_normal_escapes},
    Rule{"trailing_dot", CanonicalLayer::normalized, without_trailing_dot},
    Rule{"empty_query", CanonicalLayer::normalized, without_empty_query},
    Rule{"tracking_parameters", CanonicalLayer::untracked, without_tracking},
    Rule{"https", CanonicalLayer::equivalent, as_https},
    Rule{"www", CanonicalLayer::equivalent, without_www},
    Rule{"mobile_host", CanonicalLayer::equivalent, without_mobile_host},
    Rule{"index_file", CanonicalLayer::equivalent, without_index_file},
    Rule{"trailing_slash", CanonicalLayer::equivalent, without_trailing_slash},
};

}  // namespace

CanonicalForm canonical_form(const Url& url, CanonicalLayer layer) {
  CanonicalForm form;
  std::optional<Url> changed;
  for (const Rule& rule : rules) {
    if (rule.from > layer) continue;
    if (auto next = rule.apply(changed ? *changed : url)) {
      changed = std::move(next);
      form.rules.push_back(rule.name);
    }
  }
  form.url = (changed ? *changed : url).href();
  return form;
}

std::array<CanonicalForm, 4> canonical_forms(const Url& url) {
  return {canonical_form(url, CanonicalLayer::whatwg), canonical_form(url, CanonicalLayer::normalized),
          canonical_form(url, CanonicalLayer::untracked), canonical_form(url, CanonicalLayer::equivalent)};
}

}  // namespace linkherd::parser
