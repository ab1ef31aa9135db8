#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "parser/url/canonical.h"

namespace linkherd::parser {
namespace {

// Maps an alternative address of a page to its main address, following the links and redirects of the site itself.
// Hosts have no "www." and no mobile labels, because the rules that remove them run first. In `from`, "*" matches any
// segment, and "{}" matches the segment that names the page. Text after "{}", as in "{}.pdf", must match the end of the
// segment and is not part of the name. If `from` and `to` are empty, only the host changes.
struct SiteAlias {
  std::string_view host, from;
  std::string_view to_host, to;
};
constexpr std::array site_aliases = {
    SiteAlias{"zhihu.com", "/tardis/*/art/{}", "zhuanlan.zhihu.com", "/p/{}"},
    SiteAlias{"zhihu.com", "/tardis/*/ans/{}", "zhihu.com", "/answer/{}"},
    SiteAlias{"zhihu.com", "/question/*/answer/{}", "zhihu.com", "/answer/{}"},
    SiteAlias{"youtu.be", "/{}", "youtube.com", "/watch?v={}"},
    SiteAlias{"youtube.com", "/shorts/{}", "youtube.com", "/watch?v={}"},
    SiteAlias{"youtube.com", "/live/{}", "youtube.com", "/watch?v={}"},
    SiteAlias{"youtube.com", "/embed/{}", "youtube.com", "/watch?v={}"},
    SiteAlias{"arxiv.org", "/pdf/{}.pdf", "arxiv.org", "/abs/{}"},
    SiteAlias{"arxiv.org", "/pdf/{}", "arxiv.org", "/abs/{}"},
    SiteAlias{"alphaxiv.org", "/abs/{}", "arxiv.org", "/abs/{}"},
    SiteAlias{"old.reddit.com", "", "reddit.com", ""},
    SiteAlias{"new.reddit.com", "", "reddit.com", ""},
    SiteAlias{"np.reddit.com", "", "reddit.com", ""},
    SiteAlias{"x.com", "", "twitter.com", ""},
};
constexpr std::string_view name_mark = "{}";

std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);  // the slash
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

// Returns the segment that names the page. Empty if the path does not match.
std::string_view name_in(std::string_view path, std::string_view pattern) {
  std::string_view name;
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  while (!path.empty() && !pattern.empty()) {
    std::string_view segment = take_segment(path);
    const std::string_view wanted = take_segment(pattern);
    if (segment.empty()) return {};
    if (wanted.starts_with(name_mark)) {
      const std::string_view ending = wanted.substr(name_mark.size());
      if (!segment.ends_with(ending)) return {};
      segment.remove_suffix(ending.size());
      name = segment;
    } else if (wanted != "*" && wanted != segment) {
      return {};
    }
  }
  return path.empty() && pattern.empty() ? name : std::string_view();
}

std::string address_of(const Url& url, const SiteAlias& alias, std::string_view name) {
  std::string address = "https://" + std::string(alias.to_host);
  if (alias.from.empty()) {
    address += url.path();
  } else {
    address += alias.to;
    address.replace(address.find(name_mark), name_mark.size(), name);
  }
  if (!url.query().empty()) address.append(1, address.find('?') == std::string::npos ? '?' : '&').append(url.query());
  return address;
}

}  // namespace

std::optional<Url> resolve_site_alias(const Url& url) {
  const bool is_plain = !url.port() && url.username().empty() && url.host_kind() == HostKind::domain;
  if (!url.is_http() || !is_plain) return std::nullopt;
  for (const SiteAlias& alias : site_aliases) {
    if (alias.host != url.host()) continue;
    const std::string_view name = alias.from.empty() ? url.host() : name_in(url.path(), alias.from);
    if (name.empty()) continue;
    Result<Url> usual = Url::parse(address_of(url, alias, name));
    if (usual.has_value()) return std::move(*usual);
  }
  return std::nullopt;
}

}  // namespace linkherd::parser
