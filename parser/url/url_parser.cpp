// The basic URL parser of the URL Standard (https://url.spec.whatwg.org/#concept-basic-url-parser). It has the states
// of the standard, without the state overrides that only setters need.
//
// The parser is a state machine. Each state is a member function that consumes its part of the remaining text, appends
// the serialised form to the href, records offsets, and returns the next state. The standard advances one code point
// at a time; a state here consumes a whole component. Parsing "https://Example.com/a/../b?q" without a base visits:
//
//   scheme                            consumes "https:", appends "https:"
//   special_authority_slashes         consumes "//"
//   special_authority_ignore_slashes  consumes further slashes (here none)
//   authority                         consumes "Example.com", appends "//example.com"
//   path_start                        consumes "/"
//   path                              consumes "a/../b", appends "/a", removes it for "..", appends "/b"
//   query                             consumes "q", appends "?q"
//   done
//
// A text without a scheme continues in no_scheme. That state fails without a base; otherwise the relative states copy
// components from the base. The file states handle Windows drive letters. State::failed ends parsing with an Error.
#include "parser/url/url_parser.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "parser/ascii.h"
#include "parser/url/host.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/url.h"

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

constexpr bool is_scheme_character(char c) { return is_ascii_alphanumeric(c) || c == '+' || c == '-' || c == '.'; }
constexpr bool is_tab_or_newline(char c) { return c == '\t' || c == '\n' || c == '\r'; }
constexpr bool is_c0_control_or_space(char c) { return static_cast<unsigned char>(c) <= 0x20; }

constexpr ByteSet query_or_fragment = ByteSet().with("?#");

bool has_opaque_path(const Url& url) { return url.host_kind() == HostKind::none && !url.path().starts_with('/'); }

}  // namespace

bool is_special_scheme(std::string_view scheme) {
  return std::ranges::find(special_schemes, scheme, &SpecialScheme::name) != special_schemes.end();
}

std::uint16_t default_port(std::string_view scheme) {
  const auto* found = std::ranges::find(special_schemes, scheme, &SpecialScheme::name);
  return found == special_schemes.end() ? std::uint16_t{0} : found->port;
}

class UrlParser {
 public:
  // `base` may be null. `text` and `base` must outlive the builder.
  UrlParser(std::string_view text, const Url* base);

  Result<Url> parse();

 private:
  enum class State {
    scheme,
    no_scheme,
    special_relative_or_authority,
    path_or_authority,
    relative,
    relative_slash,
    special_authority_slashes,
    special_authority_ignore_slashes,
    authority,
    file,
    file_slash,
    file_host,
    path_start,
    path,
    opaque_path,
    query,
    fragment,
    done,
    failed,
  };

  State step(State state);
  State scheme();
  State no_scheme();
  State special_relative_or_authority();
  State path_or_authority();
  State relative();
  State relative_slash();
  State special_authority_slashes();
  State special_authority_ignore_slashes();
  State authority();
  State file();
  State file_slash();
  State file_host();
  State path_start();
  State path();
  State opaque_path();
  State query();
  State fragment();

  void clean(std::string_view text);
  State fail(std::string message);
  void note(UrlNote note) { url_.notes_ = url_.notes_ | note; }
  bool next_is_slash() const;  // true for "/", and in special schemes also for "\"
  void take_slash();
  std::string_view take_until(const ByteSet& ends);
  bool at_end_of_path() const { return rest_.empty() || rest_.front() == '?' || rest_.front() == '#'; }
  void append(std::string_view text, const ByteSet& encode_set);

  void start_scheme(std::string_view scheme);
  void start_authority();  // appends "//" and an empty host
  void read_credentials(std::string_view text);
  bool read_host_and_port(std::string_view text);
  bool read_host(std::string_view text);
  bool read_port(std::string_view text);
  void inherit_authority();
  void inherit_path();
  State inherit_for_query_or_fragment();

  std::uint32_t size() const { return url_.size(); }
  std::string_view written_path() const { return std::string_view(url_.href_).substr(url_.path_start_); }
  void append_segment(std::string_view segment, bool last);
  void shorten_path();
  void finish_path();
  State after_path();  // returns the state for "?", "#" or the end of the text

  std::string cleaned_;  // the text without tabs and line breaks; empty if it had none
  std::string_view rest_;
  const Url* base_;
  bool is_special_ = false;
  Url url_;
  std::string error_;
};

Result<Url> Url::parse(std::string_view text) { return UrlParser(text, nullptr).parse(); }

Result<Url> Url::parse(std::string_view text, const Url& base) { return UrlParser(text, &base).parse(); }

UrlParser::UrlParser(std::string_view text, const Url* base) : base_(base) { clean(text); }

Result<Url> UrlParser::parse() {
  State state = error_.empty() ? State::scheme : State::failed;
  while (state != State::done && state != State::failed) state = step(state);
  if (url_.href_.size() > max_url_bytes) fail(fmt::format("the URL is longer than {} bytes", max_url_bytes));
  if (!error_.empty()) return Error{std::move(error_)};
  return {boost::system::in_place_value, std::move(url_)};
}

void UrlParser::clean(std::string_view text) {
  if (text.size() > max_url_bytes) {
    fail(fmt::format("the URL is longer than {} bytes", max_url_bytes));
    return;
  }
  rest_ = text;
  while (!rest_.empty() && is_c0_control_or_space(rest_.front())) rest_.remove_prefix(1);
  while (!rest_.empty() && is_c0_control_or_space(rest_.back())) rest_.remove_suffix(1);
  if (rest_.size() != text.size()) note(UrlNote::surrounding_space);
  const auto has = [this](char c) { return rest_.find(c) != std::string_view::npos; };
  if (!has('\t') && !has('\n') && !has('\r')) return;
  note(UrlNote::tab_or_newline);
  cleaned_.reserve(rest_.size());
  std::ranges::remove_copy_if(rest_, std::back_inserter(cleaned_), is_tab_or_newline);
  rest_ = cleaned_;
}

UrlParser::State UrlParser::step(State state) {
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

UrlParser::State UrlParser::fail(std::string message) {
  error_ = std::move(message);
  return State::failed;
}

bool UrlParser::next_is_slash() const { return rest_.starts_with('/') || (is_special_ && rest_.starts_with('\\')); }

void UrlParser::take_slash() {
  if (rest_.front() == '\\') note(UrlNote::backslash);
  rest_.remove_prefix(1);
}

std::string_view UrlParser::take_until(const ByteSet& ends) {
  std::size_t end = 0;
  while (end < rest_.size() && !ends.contains(rest_[end])) ++end;
  const std::string_view taken = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return taken;
}

void UrlParser::append(std::string_view text, const ByteSet& encode_set) {
  if (append_url_text(url_.href_, text, encode_set)) note(UrlNote::invalid_code_point);
}

void UrlParser::start_scheme(std::string_view scheme) {
  std::string& href = url_.href_;
  href.reserve(scheme.size() + rest_.size() + (base_ != nullptr ? base_->size() : 0) + 8);
  href.assign(scheme);
  std::ranges::transform(href, href.begin(), ascii_lower);
  url_.scheme_end_ = size();
  href += ':';
  is_special_ = is_special_scheme(url_.scheme());
  url_.username_start_ = url_.username_end_ = url_.password_start_ = url_.password_end_ = size();
  url_.host_start_ = url_.host_end_ = url_.path_start_ = size();
}

// Implements the "scheme start state" and the "scheme state".
UrlParser::State UrlParser::scheme() {
  std::size_t end = 0;
  while (end < rest_.size() && (end == 0 ? is_ascii_letter(rest_[end]) : is_scheme_character(rest_[end]))) ++end;
  if (end == 0 || end == rest_.size() || rest_[end] != ':') return State::no_scheme;
  start_scheme(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  if (is_special_ && !rest_.starts_with("//")) note(UrlNote::missing_slashes);
  if (url_.scheme() == "file") return State::file;
  if (is_special_ && base_ != nullptr && base_->scheme() == url_.scheme()) return State::special_relative_or_authority;
  if (is_special_) return State::special_authority_slashes;
  if (!rest_.starts_with('/')) return State::opaque_path;
  rest_.remove_prefix(1);
  return State::path_or_authority;
}

UrlParser::State UrlParser::no_scheme() {
  if (base_ == nullptr) {
    return fail(rest_.empty() ? "the URL is empty" : "the URL has no scheme such as https: and there is no base URL");
  }
  if (has_opaque_path(*base_)) {
    if (!rest_.starts_with('#'))
      return fail("a relative URL cannot be resolved against a base such as mailto: or data:");
    return inherit_for_query_or_fragment();
  }
  start_scheme(base_->scheme());
  return base_->scheme() == "file" ? State::file : State::relative;
}

UrlParser::State UrlParser::special_relative_or_authority() {
  if (!rest_.starts_with("//")) return State::relative;
  rest_.remove_prefix(2);
  return State::special_authority_ignore_slashes;
}

UrlParser::State UrlParser::path_or_authority() {
  if (!rest_.starts_with('/')) return State::path;
  rest_.remove_prefix(1);
  return State::authority;
}

UrlParser::State UrlParser::relative() {
  if (next_is_slash()) {
    take_slash();
    return State::relative_slash;
  }
  if (at_end_of_path()) return inherit_for_query_or_fragment();
  inherit_path();
  shorten_path();
  return State::path;
}

UrlParser::State UrlParser::relative_slash() {
  if (next_is_slash()) {
    take_slash();
    return is_special_ ? State::special_authority_ignore_slashes : State::authority;
  }
  inherit_authority();
  return State::path;
}

UrlParser::State UrlParser::special_authority_slashes() {
  if (rest_.starts_with("//")) rest_.remove_prefix(2);
  return State::special_authority_ignore_slashes;
}

UrlParser::State UrlParser::special_authority_ignore_slashes() {
  while (next_is_slash()) {
    if (!has_note(url_.notes_, UrlNote::missing_slashes)) note(UrlNote::extra_slashes);
    take_slash();
  }
  return State::authority;
}

// Copies everything before the path from the base. A relative URL has the scheme of its base, so all offsets are equal.
void UrlParser::inherit_authority() {
  // The "/." that prevents a path from being parsed as a host is not copied.
  const std::uint32_t end = base_->host_kind_ == HostKind::none ? base_->scheme_end_ + 1 : base_->path_start_;
  url_.href_.assign(base_->href_, 0, end);
  url_.scheme_end_ = base_->scheme_end_;
  url_.username_start_ = base_->username_start_;
  url_.username_end_ = base_->username_end_;
  url_.password_start_ = base_->password_start_;
  url_.password_end_ = base_->password_end_;
  url_.host_start_ = base_->host_start_;
  url_.host_end_ = base_->host_end_;
  url_.port_ = base_->port_;
  url_.host_kind_ = base_->host_kind_;
  url_.path_start_ = end;
}

void UrlParser::inherit_path() {
  inherit_authority();
  url_.href_ += base_->path();
}

// Handles relative URLs without a path: "", "?…" and "#…". Copies the path of the base, and its query unless the text
// has one.
UrlParser::State UrlParser::inherit_for_query_or_fragment() {
  inherit_path();
  finish_path();
  if (!rest_.starts_with('?') && base_->has_query()) {
    url_.href_ += '?';
    url_.query_start_ = size();
    url_.href_ += base_->query();
    url_.query_end_ = size();
  }
  return after_path();
}

UrlParser::State UrlParser::opaque_path() {
  append(take_until(query_or_fragment), c0_control_encode_set);
  // A space before "?" or "#" is escaped, because it would be stripped if the query and fragment were removed later.
  // Trailing spaces of the text are already removed.
  if (!rest_.empty() && written_path().ends_with(' ')) url_.href_.replace(size() - 1, 1, "%20");
  finish_path();
  return after_path();
}

UrlParser::State UrlParser::after_path() {
  if (rest_.empty()) return State::done;
  const State next = rest_.front() == '?' ? State::query : State::fragment;
  rest_.remove_prefix(1);
  return next;
}

UrlParser::State UrlParser::query() {
  url_.href_ += '?';
  url_.query_start_ = size();
  append(rest_.substr(0, rest_.find('#')), is_special_ ? special_query_encode_set : query_encode_set);
  url_.query_end_ = size();
  rest_.remove_prefix(std::min(rest_.find('#'), rest_.size()));
  return after_path();
}

UrlParser::State UrlParser::fragment() {
  url_.href_ += '#';
  url_.fragment_start_ = size();
  append(rest_, fragment_encode_set);
  return State::done;
}

// The authority states: credentials, host and port.

namespace {

// Returns the end of the host: the first ":" outside brackets, or the end of the text.
std::size_t end_of_host(std::string_view host_and_port) {
  bool inside_brackets = false;
  for (std::size_t i = 0; i < host_and_port.size(); ++i) {
    const char c = host_and_port[i];
    if (c == '[') inside_brackets = true;
    if (c == ']') inside_brackets = false;
    if (c == ':' && !inside_brackets) return i;
  }
  return host_and_port.size();
}

constexpr ByteSet plain_domain_characters =
    ByteSet().with_range('a', 'z').with_range('A', 'Z').with_range('0', '9').with("-_.");

// Returns true for a domain that only needs lowercasing. It consists of letters, digits, "-", "_" and dots, and it is
// not an IPv4 address.
bool is_plain_domain(std::string_view text) {
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return plain_domain_characters.contains(c); }))
    return false;
  // A host is an IPv4 address if its last part is a number, and a number begins with a digit. A trailing dot is
  // ignored.
  const std::string_view name = text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
  const std::size_t last = name.rfind('.') + 1;
  return last < name.size() && !is_ascii_digit(name[last]);
}

constexpr ByteSet ends_of_authority = ByteSet().with("/?#");
constexpr ByteSet ends_of_special_authority = ends_of_authority.with("\\");

}  // namespace

void UrlParser::start_authority() {
  url_.href_ += "//";
  url_.username_start_ = url_.username_end_ = url_.password_start_ = url_.password_end_ = size();
  url_.host_start_ = url_.host_end_ = url_.path_start_ = size();
  url_.host_kind_ = HostKind::empty;
}

// Implements the "authority state", the "host state" and the "port state".
UrlParser::State UrlParser::authority() {
  start_authority();
  std::string_view text = take_until(is_special_ ? ends_of_special_authority : ends_of_authority);
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    note(UrlNote::credentials);
    read_credentials(text.substr(0, at));
    text.remove_prefix(at + 1);
    if (text.empty()) return fail("there is no host after the \"@\"");
  }
  return read_host_and_port(text) ? State::path_start : State::failed;
}

void UrlParser::read_credentials(std::string_view text) {
  const std::size_t colon = text.find(':');
  append(text.substr(0, colon), userinfo_encode_set);
  url_.username_end_ = url_.password_start_ = url_.password_end_ = size();
  if (colon != std::string_view::npos && colon + 1 < text.size()) {
    url_.href_ += ':';
    url_.password_start_ = size();
    append(text.substr(colon + 1), userinfo_encode_set);
    url_.password_end_ = size();
  }
  if (url_.password_end_ > url_.username_start_) url_.href_ += '@';
}

bool UrlParser::read_host_and_port(std::string_view text) {
  const std::size_t end = end_of_host(text);
  if (end == 0 && (is_special_ || !text.empty())) {
    fail("the URL has no host");
    return false;
  }
  if (!read_host(text.substr(0, end))) return false;
  const bool fine = end == text.size() || read_port(text.substr(end + 1));
  url_.path_start_ = size();
  return fine;
}

bool UrlParser::read_host(std::string_view text) {
  url_.host_start_ = size();
  if (is_special_ && is_plain_domain(text)) {
    url_.href_ += text;
    std::transform(url_.href_.begin() + url_.host_start_, url_.href_.end(), url_.href_.begin() + url_.host_start_,
                   ascii_lower);
    url_.host_kind_ = HostKind::domain;
  } else {
    const Result<ParsedHost> parsed = parse_host(text, is_special_);
    if (!parsed) {
      fail(parsed.error().message);
      return false;
    }
    url_.href_ += parsed->text;
    url_.host_kind_ = parsed->kind;
    note(parsed->notes);
  }
  url_.host_end_ = url_.path_start_ = size();
  return true;
}

bool UrlParser::read_port(std::string_view text) {
  unsigned value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') {
      fail("the port is not a number");
      return false;
    }
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > 65535) {
      fail("the port is greater than 65535");
      return false;
    }
  }
  const bool is_default = is_special_ && value == default_port(url_.scheme());
  if (text.empty() || is_default) return true;
  url_.port_ = static_cast<std::uint16_t>(value);
  url_.href_ += ':';
  url_.href_ += std::to_string(value);
  return true;
}

// The path states, including the file scheme: drive letters, dot segments, backslashes.

namespace {

constexpr ByteSet ends_of_segment = ByteSet().with("/?#");
constexpr ByteSet ends_of_special_segment = ends_of_segment.with("\\");

// Returns true if the whole text is a drive letter such as "c:" or "c|".
bool is_windows_drive_letter(std::string_view text) {
  return text.size() == 2 && is_ascii_letter(text[0]) && (text[1] == ':' || text[1] == '|');
}

bool starts_with_windows_drive_letter(std::string_view text) {
  if (!is_windows_drive_letter(text.substr(0, 2))) return false;
  return text.size() == 2 || std::string_view("/\\?#").find(text[2]) != std::string_view::npos;
}

// Returns true for a serialised path that is only a drive letter, such as "/c:".
bool is_normalized_drive_path(std::string_view path) {
  return path.size() == 3 && path[0] == '/' && is_windows_drive_letter(path.substr(1)) && path[2] == ':';
}

// Returns 1 or 2 for a segment of one or two dots, which may be written as "%2e". Returns 0 for other segments.
int dot_segment(std::string_view segment) {
  if (segment.empty() || segment.size() > 6) return 0;
  int dots = 0;
  while (!segment.empty()) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (escaped_byte(segment, 0) == '.') {
      segment.remove_prefix(3);
    } else {
      return 0;
    }
    if (++dots > 2) return 0;
  }
  return dots;
}

}  // namespace

UrlParser::State UrlParser::file() {
  start_authority();
  if (next_is_slash()) {
    take_slash();
    return State::file_slash;
  }
  if (base_ == nullptr || base_->scheme() != "file") return State::path;
  if (at_end_of_path()) return inherit_for_query_or_fragment();
  if (starts_with_windows_drive_letter(rest_)) {
    note(UrlNote::drive_letter);
    inherit_authority();
  } else {
    inherit_path();
    shorten_path();
  }
  return State::path;
}

UrlParser::State UrlParser::file_slash() {
  if (next_is_slash()) {
    take_slash();
    return State::file_host;
  }
  if (base_ != nullptr && base_->scheme() == "file") {
    inherit_authority();
    const std::string_view base_path = base_->path();
    const std::string_view first_segment = base_path.substr(0, base_path.find('/', 1));
    if (!starts_with_windows_drive_letter(rest_) && is_normalized_drive_path(first_segment)) {
      url_.href_ += first_segment;
    }
  }
  return State::path;
}

UrlParser::State UrlParser::file_host() {
  const std::string_view from_here = rest_;
  const std::string_view text = take_until(ends_of_special_segment);
  if (is_windows_drive_letter(text)) {
    note(UrlNote::drive_letter);
    rest_ = from_here;  // in "file://c:/x" the drive letter belongs to the path
    return State::path;
  }
  if (text.empty()) return State::path_start;
  if (!read_host(text)) return State::failed;
  if (url_.host() == "localhost") {
    url_.href_.resize(url_.host_start_);
    url_.host_end_ = url_.path_start_ = size();
    url_.host_kind_ = HostKind::empty;
  }
  return State::path_start;
}

UrlParser::State UrlParser::path_start() {
  if (!is_special_ && at_end_of_path()) {
    finish_path();
    return after_path();
  }
  if (next_is_slash()) take_slash();
  return State::path;
}

UrlParser::State UrlParser::path() {
  const ByteSet& ends = is_special_ ? ends_of_special_segment : ends_of_segment;
  while (true) {
    const std::string_view segment = take_until(ends);
    const bool more = next_is_slash();
    append_segment(segment, !more);
    if (!more) break;
    take_slash();
  }
  finish_path();
  return after_path();
}

void UrlParser::append_segment(std::string_view segment, bool last) {
  if (const int dots = dot_segment(segment); dots > 0) {
    if (dots == 2) shorten_path();
    if (last) url_.href_ += '/';
    return;
  }
  const bool drive_letter = is_windows_drive_letter(segment) && url_.scheme() == "file" && written_path().empty();
  url_.href_ += '/';
  if (drive_letter) {
    if (segment.back() == '|') note(UrlNote::drive_letter);
    url_.href_ += segment.front();
    url_.href_ += ':';
    return;
  }
  append(segment, path_encode_set);
}

void UrlParser::shorten_path() {
  const std::string_view path = written_path();
  if (path.empty() || (is_normalized_drive_path(path) && url_.scheme() == "file")) return;
  url_.href_.resize(url_.href_.rfind('/'));
}

void UrlParser::finish_path() {
  // Without a host, a path that begins with "//" would be parsed as a host.
  if (url_.host_kind_ == HostKind::none && written_path().starts_with("//")) {
    url_.href_.insert(url_.path_start_, "/.");
    url_.path_start_ += 2;
  }
  url_.path_end_ = size();
}

}  // namespace linkherd::parser
