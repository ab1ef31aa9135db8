#include "parser/url/url_parser.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/percent_encoding.h"

namespace linkherd::parser {
namespace {

struct SpecialScheme {
  std::string_view name;
  std::uint16_t port;
};
constexpr std::array special_schemes = {
    SpecialScheme{"ftp", 21},    SpecialScheme{"file", 0}, SpecialScheme{"http", 80},
    SpecialScheme{"https", 443}, SpecialScheme{"ws", 80},  SpecialScheme{"wss", 443},
};

constexpr bool is_scheme_character(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
}
constexpr bool is_tab_or_newline(char c) { return c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_c0_control_or_space(char c) { return static_cast<unsigned char>(c) <= 0x20; }

bool has_opaque_path(const Url& url) { return url.host_kind() == HostKind::none && !url.path().starts_with('/'); }

}  // namespace

bool is_special_scheme(std::string_view scheme) {
  return std::ranges::find(special_schemes, scheme, &SpecialScheme::name) != special_schemes.end();
}

std::uint16_t default_port(std::string_view scheme) {
  const auto* found = std::ranges::find(special_schemes, scheme, &SpecialScheme::name);
  return found == special_schemes.end() ? std::uint16_t{0} : found->port;
}

UrlBuilder::UrlBuilder(std::string_view text, const Url* base) : base_(base) { clean(text); }

Result<Url> UrlBuilder::build() {
  State state = error_.empty() ? State::scheme : State::failed;
  while (state != State::done && state != State::failed) state = step(state);
  if (state == State::failed) return Error{error_};
  return serialize();
}

void UrlBuilder::clean(std::string_view text) {
  if (text.size() > longest_url) {
    fail(fmt::format("the URL is longer than {} bytes", longest_url));
    return;
  }
  rest_ = text;
  while (!rest_.empty() && is_c0_control_or_space(rest_.front())) rest_.remove_prefix(1);
  while (!rest_.empty() && is_c0_control_or_space(rest_.back())) rest_.remove_suffix(1);
  if (rest_.size() != text.size()) note(UrlNote::surrounding_space);
  if (std::ranges::any_of(rest_, is_tab_or_newline)) {
    note(UrlNote::tab_or_newline);
    cleaned_.reserve(rest_.size());
    std::ranges::remove_copy_if(rest_, std::back_inserter(cleaned_), is_tab_or_newline);
    rest_ = cleaned_;
  }
}

UrlBuilder::State UrlBuilder::step(State state) {
  switch (state) {
    case State::scheme: return scheme();
    case State::no_scheme: return no_scheme();
    case State::special_relative_or_authority: return special_relative_or_authority();
    case State::path_or_authority: return path_or_authority();
    case State::relative: return relative();
    case State::relative_slash: return relative_slash();
    case State::special_authority_slashes: return special_authority_slashes();
    case State::special_authority_ignore_slashes: return special_authority_ignore_slashes();
    case State::authority: return authority();
    case State::file: return file();
    case State::file_slash: return file_slash();
    case State::file_host: return file_host();
    case State::path_start: return path_start();
    case State::path: return path();
    case State::opaque_path: return opaque_path();
    case State::query: return query();
    case State::fragment: return fragment();
    case State::done:
    case State::failed: break;
  }
  return state;
}

UrlBuilder::State UrlBuilder::fail(std::string message) {
  error_ = std::move(message);
  return State::failed;
}

bool UrlBuilder::next_is_slash() const { return rest_.starts_with('/') || (special_ && rest_.starts_with('\\')); }

std::string_view UrlBuilder::take_until(std::string_view ends) {
  const std::string_view taken = rest_.substr(0, rest_.find_first_of(ends));
  rest_.remove_prefix(taken.size());
  return taken;
}

// "scheme start state" and "scheme state".
UrlBuilder::State UrlBuilder::scheme() {
  std::size_t end = 0;
  while (end < rest_.size() && (end == 0 ? is_ascii_letter(rest_[end]) : is_scheme_character(rest_[end]))) ++end;
  if (end == 0 || end == rest_.size() || rest_[end] != ':') return State::no_scheme;
  scheme_.assign(rest_.substr(0, end));
  std::ranges::transform(scheme_, scheme_.begin(), ascii_lower);
  rest_.remove_prefix(end + 1);
  special_ = is_special_scheme(scheme_);
  if (special_ && !rest_.starts_with("//")) note(UrlNote::missing_slashes);
  if (scheme_ == "file") return State::file;
  if (special_ && base_ != nullptr && base_->scheme() == scheme_) return State::special_relative_or_authority;
  if (special_) return State::special_authority_slashes;
  if (!rest_.starts_with('/')) return State::opaque_path;
  rest_.remove_prefix(1);
  return State::path_or_authority;
}

UrlBuilder::State UrlBuilder::no_scheme() {
  if (base_ == nullptr) {
    return fail(rest_.empty() ? "the URL is empty" : "the URL has no scheme such as https: and there is no base URL");
  }
  if (has_opaque_path(*base_)) {
    if (!rest_.starts_with('#'))
      return fail("a relative URL cannot be resolved against a base such as mailto: or data:");
    scheme_ = base_->scheme();
    copy_path_and_query();
    return after_path();
  }
  return base_->scheme() == "file" ? State::file : State::relative;
}

UrlBuilder::State UrlBuilder::special_relative_or_authority() {
  if (!rest_.starts_with("//")) return State::relative;
  rest_.remove_prefix(2);
  return State::special_authority_ignore_slashes;
}

UrlBuilder::State UrlBuilder::path_or_authority() {
  if (rest_.starts_with('/')) {
    rest_.remove_prefix(1);
    return State::authority;
  }
  return State::path;
}

UrlBuilder::State UrlBuilder::relative() {
  scheme_ = base_->scheme();
  special_ = base_->is_special();
  if (next_is_slash()) {
    if (rest_.front() == '\\') note(UrlNote::backslash);
    rest_.remove_prefix(1);
    return State::relative_slash;
  }
  copy_authority();
  copy_path_and_query();
  if (rest_.empty() || rest_.front() == '?' || rest_.front() == '#') return after_path();
  query_.reset();
  shorten_path();
  return State::path;
}

UrlBuilder::State UrlBuilder::relative_slash() {
  if (next_is_slash()) {
    if (rest_.front() == '\\') note(UrlNote::backslash);
    rest_.remove_prefix(1);
    return special_ ? State::special_authority_ignore_slashes : State::authority;
  }
  copy_authority();
  return State::path;
}

UrlBuilder::State UrlBuilder::special_authority_slashes() {
  if (rest_.starts_with("//")) rest_.remove_prefix(2);
  return State::special_authority_ignore_slashes;
}

UrlBuilder::State UrlBuilder::special_authority_ignore_slashes() {
  while (next_is_slash()) {
    if (rest_.front() == '\\') note(UrlNote::backslash);
    rest_.remove_prefix(1);
  }
  return State::authority;
}

UrlBuilder::State UrlBuilder::opaque_path() {
  const std::string_view text = take_until("?#");
  if (has_invalid_url_unit(text)) note(UrlNote::invalid_code_point);
  append_percent_encoded(path_, text, c0_control_encode_set);
  // A space in front of "?" or "#" would be stripped if they were removed, so it is escaped; one at the end is gone
  // already.
  if (!rest_.empty() && path_.ends_with(' ')) path_.replace(path_.size() - 1, 1, "%20");
  return after_path();
}

UrlBuilder::State UrlBuilder::after_path() {
  if (rest_.empty()) return State::done;
  const State next = rest_.front() == '?' ? State::query : State::fragment;
  rest_.remove_prefix(1);
  return next;
}

UrlBuilder::State UrlBuilder::query() {
  const std::string_view text = take_until("#");
  if (has_invalid_url_unit(text)) note(UrlNote::invalid_code_point);
  query_.emplace();
  append_percent_encoded(*query_, text, special_ ? special_query_encode_set : query_encode_set);
  return after_path();
}

UrlBuilder::State UrlBuilder::fragment() {
  if (has_invalid_url_unit(rest_)) note(UrlNote::invalid_code_point);
  fragment_.emplace();
  append_percent_encoded(*fragment_, rest_, fragment_encode_set);
  return State::done;
}

Result<Url> UrlBuilder::serialize() const {
  Url url;
  std::string& href = url.href_;
  const auto end = [&href] { return static_cast<std::uint32_t>(href.size()); };
  href.reserve(scheme_.size() + username_.size() + password_.size() + (host_ ? host_->text.size() : 0) + path_.size() +
               (query_ ? query_->size() : 0) + (fragment_ ? fragment_->size() : 0) + 16);
  href += scheme_;
  url.scheme_end_ = end();
  href += host_ ? "://" : ":";
  url.username_start_ = end();
  href += username_;
  url.username_end_ = end();
  if (!password_.empty()) href += ':';
  url.password_start_ = end();
  href += password_;
  url.password_end_ = end();
  if (!username_.empty() || !password_.empty()) href += '@';
  url.host_start_ = end();
  if (host_) {
    href += host_->text;
    url.host_kind_ = host_->kind;
  }
  url.host_end_ = end();
  if (port_) fmt::format_to(std::back_inserter(href), ":{}", *port_);
  // Without a host, a path that begins with "//" would be read as one.
  if (!host_ && path_.starts_with("//")) href += "/.";
  url.path_start_ = end();
  href += path_;
  url.path_end_ = end();
  if (query_) {
    href += '?';
    url.query_start_ = end();
    href += *query_;
    url.query_end_ = end();
  }
  if (fragment_) {
    href += '#';
    url.fragment_start_ = end();
    href += *fragment_;
  }
  if (href.size() > longest_url) return Error{fmt::format("the URL is longer than {} bytes", longest_url)};
  url.port_ = port_;
  url.notes_ = notes_;
  return url;
}

}  // namespace linkherd::parser
