#include "parser/lists/resolve.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"
#include "parser/lists/host_names.h"
#include "parser/lists/line_index.h"

namespace linkherd::parser {
namespace {

// RFC 2606 and RFC 6761: names that nobody can own. All below these, and "example" below the others.
constexpr std::array<std::string_view, 4> reserved_endings{"test", "invalid", "example", "localhost"};
constexpr std::array<std::string_view, 3> endings_with_example{"com", "org", "net"};

std::string_view last_label(std::string_view host) { return host.substr(host.rfind('.') + 1); }

bool is_reserved_host(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  const std::string_view ending = last_label(host);
  if (std::ranges::find(reserved_endings, ending) != reserved_endings.end()) return true;
  if (ending.size() == host.size() || last_label(host.substr(0, host.size() - ending.size() - 1)) != "example")
    return false;
  return std::ranges::find(endings_with_example, ending) != endings_with_example.end();
}

constexpr bool is_name_character(char c) {
  return is_ascii_alphanumeric(c) || std::string_view("_-. ").find(c) != std::string_view::npos;
}

// "{id}", "{{ site.url }}", "${HOST}", "<your-name>": a name in brackets. JSON in a query is none.
bool has_placeholder(std::string_view target) {
  if (target.find('{') == std::string_view::npos && target.find('<') == std::string_view::npos) return false;
  for (std::size_t at = find_either(target, '{', '<'); at != std::string_view::npos;
       at = find_either(target, '{', '<', at + 1)) {
    const char close = target[at] == '{' ? '}' : '>';
    const std::string_view inside = target.substr(at + 1, 64);
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(inside, is_name_character) - inside.begin());
    if (length > 0 && length < inside.size() && inside[length] == close) return true;
  }
  return false;
}

bool has_web_scheme(std::string_view target) { return target.starts_with("https://") || target.starts_with("http://"); }

bool has_scheme(std::string_view target) {
  if (target.empty() || !is_ascii_letter(target.front())) return false;
  const auto length = static_cast<std::size_t>(
      std::ranges::find_if_not(target, [](char c) { return is_name_character(c) ? c != ' ' && c != '_' : c == '+'; }) -
      target.begin());
  return length < target.size() && target[length] == ':';
}

}  // namespace

bool is_local_target(std::string_view target) {
  target = trim_ascii(target);
  return target.empty() || target.front() == '#';
}

ResolvedTarget resolve_target(std::string_view target, const Url* base, BareHost bare_host) {
  target = trim_ascii(target);
  ResolvedTarget result;
  const bool placeholder = has_placeholder(target);
  // A list in a folder is on no site yet: what names a host there is read as a person reads it.
  const bool on_site = base != nullptr && base->scheme() != "file";
  const bool on_web = has_web_scheme(target);  // as most do: nothing more to find out
  const bool host_first = !on_web && starts_with_host_name(target) && (!on_site || bare_host == BareHost::is_host);
  const bool slashes_first = target.starts_with("//") && !on_site;
  if (host_first || slashes_first) result.notes.push_back(LinkNote::missing_scheme);
  const bool relative = !on_web && !host_first && !slashes_first && !has_scheme(target);
  const auto read = [&]() -> Result<Url> {
    if (host_first) return Url::parse("https://" + std::string(target));
    if (slashes_first) return Url::parse("https:" + std::string(target));
    return base == nullptr ? Url::parse(target) : Url::parse(target, *base);
  };
  if (relative && base == nullptr) {
    if (placeholder) result.notes.push_back(LinkNote::placeholder);
    result.notes.push_back(LinkNote::relative);
    return result;
  }
  Result<Url> url = read();
  const bool reserved = url.has_value() && url->host_kind() == HostKind::domain && is_reserved_host(url->host());
  if (placeholder || reserved) result.notes.push_back(LinkNote::placeholder);
  if (url.has_value()) {
    result.href = std::move(*url).take_href();
  } else if (!placeholder) {
    result.notes.push_back(LinkNote::invalid_url);
  }
  return result;
}

}  // namespace linkherd::parser
