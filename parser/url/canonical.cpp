#include "parser/url/canonical.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/registrable_domain.h"
#include "parser/url/tracking_parameters.h"
#include "parser/url/tracking_rules.h"
#include "parser/url/url_editor.h"

namespace linkherd::parser {
namespace {

// Each rule changes its URL in place and returns true if it changed anything. The result must parse to itself. So paths
// keep their first "/" and get no dot segments (the parser has resolved escaped dots). Domains keep the last label,
// which decides the kind of the host.

bool without_fragment(Url& url, const TrackingRules*) {
  if (!url.has_fragment()) return false;
  UrlEditor(url).remove_fragment();
  return true;
}

bool with_normal_escapes(Url& url, const TrackingRules*) {
  if (!url.is_special() || url.href().find('%') == std::string_view::npos) return false;
  const std::string path = normalize_escapes(url.path());
  const std::string query = normalize_escapes(url.query());
  const bool path_changes = path != url.path();
  const bool query_changes = query != url.query();
  if (path_changes) UrlEditor(url).set_path(path);
  if (query_changes) UrlEditor(url).set_query(query);
  return path_changes || query_changes;
}

bool without_trailing_dot(Url& url, const TrackingRules*) {
  const std::string_view host = url.host();
  if (url.host_kind() != HostKind::domain || host.size() < 2 || !host.ends_with('.') || host.ends_with("..")) {
    return false;
  }
  UrlEditor(url).set_host(std::string(host.substr(0, host.size() - 1)));
  return true;
}

bool without_empty_query(Url& url, const TrackingRules*) {
  if (!url.is_special() || !url.has_query() || !url.query().empty()) return false;
  UrlEditor(url).set_query("");
  return true;
}

bool apply_raw_rules(Url& url, const TrackingRules* rules) {
  if (rules == nullptr || !url.is_http()) return false;
  auto changed = rules->apply_raw_rules(url);
  if (!changed) return false;
  url = std::move(*changed);
  return true;
}

bool without_tracking(Url& url, const TrackingRules* rules) {
  if (!url.is_http() || url.query().empty()) return false;
  const TrackingParameters own(url.host());
  const auto foreign = rules == nullptr ? TrackingRules::Matches() : rules->matches(url);
  const auto is_tracking = [&](std::string_view name) {
    return own.contains(name) || (rules != nullptr && rules->is_tracking_parameter(foreign, name));
  };
  std::string kept;
  std::string_view rest = url.query();
  bool removed = false;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    const std::size_t before = url.query().size() - rest.size();
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::string_view name = pair.substr(0, pair.find('='));
    const bool escaped = name.find('%') != std::string_view::npos;
    if (escaped ? is_tracking(percent_decode(name)) : is_tracking(name)) {
      if (!removed) kept = url.query().substr(0, before == 0 ? 0 : before - 1);
      removed = true;
    } else if (removed) {
      if (!kept.empty()) kept += '&';
      kept += pair;
    }
  }
  if (removed) UrlEditor(url).set_query(kept);
  return removed;
}

bool as_https(Url& url, const TrackingRules*) {
  if (url.scheme() != "http") return false;
  UrlEditor(url).set_scheme("https");
  return true;
}

// Returns true if no label of the name is empty.
bool has_labels(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && !name.ends_with('.') && name.find("..") == std::string_view::npos;
}

// Returns the labels before the registrable domain, with a trailing dot: "www." for "www.example.com".
std::string_view subdomain(const Url& url) {
  std::string_view name = url.host();
  if (name.ends_with('.')) name.remove_suffix(1);  // as in the registrable domain
  if (!has_labels(name)) return {};
  return name.substr(0, name.size() - std::min(name.size(), registrable_domain(url).size()));
}

bool without_www_label(Url& url, const TrackingRules*) {
  if (!url.is_http() || url.host_kind() != HostKind::domain || !url.host().starts_with("www.")) return false;
  std::string_view site = url.host().substr(4);
  if (site.ends_with('.')) site.remove_suffix(1);
  if (!has_labels(site) || is_public_suffix(site)) return false;  // faster than subdomain()
  UrlEditor(url).set_host(std::string(url.host().substr(4)));
  return true;
}

// Removes a label for mobile versions, as in "m.example.com" and "en.m.wikipedia.org".
bool without_mobile_host(Url& url, const TrackingRules*) {
  constexpr std::array<std::string_view, 5> mobile_labels = {"m", "mobile", "wap", "touch", "amp"};
  if (!url.is_http() || url.host_kind() != HostKind::domain) return false;
  std::size_t start = 0;
  while (start < url.host().size()) {
    const std::string_view rest = url.host().substr(start);
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (is_one_of(mobile_labels, label)) {
      if (start >= subdomain(url).size()) return false;
      UrlEditor(url).set_host(std::string(url.host()).erase(start, label.size() + 1));
      return true;
    }
    start += label.size() + 1;
  }
  return false;
}

bool as_usual_address(Url& url, const TrackingRules*) {
  std::optional<Url> usual = resolve_site_alias(url);
  if (!usual) return false;
  url = std::move(*usual);
  return true;
}

bool is_index_file(std::string_view name) {
  constexpr std::array<std::string_view, 11> index_files = {"index.html",   "index.htm",   "index.shtml", "index.php",
                                                            "index.asp",    "index.aspx",  "index.jsp",   "default.htm",
                                                            "default.html", "default.asp", "default.aspx"};
  return is_one_of(index_files, name);
}

// Turns "/a/index.html" into "/a/". Repeated slashes before the file name are removed too, so that a second pass
// changes nothing.
bool without_index_file(Url& url, const TrackingRules*) {
  if (!url.is_http()) return false;
  std::string_view kept = url.path();
  std::string_view path = kept;
  while (true) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const std::size_t name = path.rfind('/') + 1;
    if (!is_index_file(path.substr(name))) break;
    path = path.substr(0, name);
    kept = path;
  }
  if (kept.size() == url.path().size()) return false;
  UrlEditor(url).set_path(std::string(kept));
  return true;
}

bool without_trailing_slash(Url& url, const TrackingRules*) {
  std::string_view path = url.path();
  if (!url.is_http() || path.size() < 2 || !path.ends_with('/')) return false;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  UrlEditor(url).set_path(std::string(path));
  return true;
}

// One rule of a canonical form: a pure function of the URL.
struct Rule {
  std::string_view name;
  CanonicalLayer from;  // the first layer that applies it
  bool (*apply)(Url&, const TrackingRules*);
};

// The rules in the order of application. Redirectors are unwrapped first, so that the rules of the lower layers also
// apply to their targets.
constexpr std::array rules_in_order = {
    Rule{"fragment", CanonicalLayer::whatwg, without_fragment},
    Rule{"escapes", CanonicalLayer::normalized, with_normal_escapes},
    Rule{"trailing_dot", CanonicalLayer::normalized, without_trailing_dot},
    Rule{"empty_query", CanonicalLayer::normalized, without_empty_query},
    Rule{"tracking_text", CanonicalLayer::untracked, apply_raw_rules},
    Rule{"tracking_parameters", CanonicalLayer::untracked, without_tracking},
    Rule{"https", CanonicalLayer::equivalent, as_https},
    Rule{"www", CanonicalLayer::equivalent, without_www_label},
    Rule{"mobile_host", CanonicalLayer::equivalent, without_mobile_host},
    Rule{"site_alias", CanonicalLayer::equivalent, as_usual_address},
    Rule{"index_file", CanonicalLayer::equivalent, without_index_file},
    Rule{"trailing_slash", CanonicalLayer::equivalent, without_trailing_slash},
};

// Applies the layers to a URL in order.
class Walk {
 public:
  Walk(const Url& url, const TrackingRules* rules) : original_(url), url_(url), rules_(rules) {}

  void run(CanonicalLayer layer) {
    if (layer == CanonicalLayer::untracked) unwrap();
    for (const Rule& rule : rules_in_order) {
      if (rule.from == layer && rule.apply(url_, rules_)) fired_.push_back(rule.name);
    }
  }
  CanonicalForm form() const { return {std::string(url_.href()), fired_}; }

 private:
  // Replaces a redirector link by its target and starts again at the first layer.
  void unwrap() {
    auto target = unwrap_redirector(original_, rules_);
    if (!target) return;
    url_ = std::move(*target);
    fired_.assign(1, "redirector");
    run(CanonicalLayer::whatwg);
    run(CanonicalLayer::normalized);
  }

  const Url& original_;
  Url url_;
  const TrackingRules* rules_;
  std::vector<std::string_view> fired_;
};

}  // namespace

CanonicalForm canonical_form(const Url& url, CanonicalLayer layer, const TrackingRules* rules) {
  Walk walk(url, rules);
  for (const auto& [each, name] : canonical_layer_names) {
    walk.run(each);
    if (each == layer) break;
  }
  return walk.form();
}

std::array<CanonicalForm, 4> canonical_forms(const Url& url, const TrackingRules* rules) {
  std::array<CanonicalForm, 4> forms;
  Walk walk(url, rules);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    walk.run(canonical_layer_names[i].value);
    forms[i] = walk.form();
  }
  return forms;
}

std::optional<Url> remove_tracking_parameters(const Url& url, const TrackingRules* rules) {
  Url plain = url;
  const bool has_text = apply_raw_rules(plain, rules);
  const bool has_parameters = without_tracking(plain, rules);
  return has_text || has_parameters ? std::optional(std::move(plain)) : std::nullopt;
}

std::string surt_key(const Url& url) {
  if (url.host().empty()) return std::string(url.href_without_fragment());
  std::string key;
  key.reserve(url.href().size());
  std::string_view host = url.host();
  if (url.host_kind() != HostKind::domain) {
    key = host;
  } else {
    if (host.size() > 1 && host.ends_with('.')) host.remove_suffix(1);
    while (true) {
      const std::size_t dot = host.rfind('.');
      key += host.substr(dot == std::string_view::npos ? 0 : dot + 1);
      if (dot == std::string_view::npos) break;
      key += ',';
      host = host.substr(0, dot);
    }
  }
  if (url.port()) key.append(1, ':').append(std::to_string(*url.port()));
  key.append(1, ')').append(url.path());
  if (url.has_query()) key.append(1, '?').append(url.query());
  return key;
}

}  // namespace linkherd::parser
