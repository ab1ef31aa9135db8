// A URL as defined by the WHATWG URL Standard (https://url.spec.whatwg.org). A Url is parsed once, is immutable, and
// stores its href with the offsets of the components. Accessors return views that are valid as long as the Url.
//
// Example: parse("HTTPS://User@EXAMPLE.com:443/a/../b?q#f") yields the href "https://User@example.com/b?q#f". Its
// scheme is "https", its username is "User", and its host is "example.com". It has no port, because 443 is the default.
// Its path is "/b", its query is "q", and its fragment is "f". The notes contain UrlNote::credentials.
//
// The parser is a state machine, which url_parser.cpp describes.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parser/enum_names.h"
#include "parser/result.h"

namespace linkherd::parser {

enum class HostKind : std::uint8_t { none, empty, domain, ipv4, ipv6, opaque };

// A bit set of the standard's validation errors that are not failures. Reports show them. Names are printed: DO NOT
// CHANGE them.
enum class UrlNote : std::uint16_t {
  none = 0,
  surrounding_space = 1 << 0,   // C0 controls or spaces around the URL were removed
  tab_or_newline = 1 << 1,      // tabs or line breaks inside the URL were removed
  backslash = 1 << 2,           // "\" was read as "/"
  missing_slashes = 1 << 3,     // "https:example.com"
  credentials = 1 << 4,         // "user:password@"
  invalid_code_point = 1 << 5,  // a character that no URL should contain, or a "%" that does not start an escape
  numeric_host = 1 << 6,        // an IPv4 address in an unusual notation, such as "0x7f.1"
  non_ascii_host = 1 << 7,      // an internationalised domain name, converted to punycode
  escaped_host = 1 << 8,        // "ex%41mple.com"
  extra_slashes = 1 << 9,       // "https:///example.com"
  drive_letter = 1 << 10,       // a Windows drive letter, as in "file:///c|/x" and "file://c:/x"
};
inline constexpr std::array<EnumName<UrlNote>, 11> url_note_names{{{UrlNote::surrounding_space, "surrounding_space"},
                                                                   {UrlNote::tab_or_newline, "tab_or_newline"},
                                                                   {UrlNote::backslash, "backslash"},
                                                                   {UrlNote::missing_slashes, "missing_slashes"},
                                                                   {UrlNote::credentials, "credentials"},
                                                                   {UrlNote::invalid_code_point, "invalid_code_point"},
                                                                   {UrlNote::numeric_host, "numeric_host"},
                                                                   {UrlNote::non_ascii_host, "non_ascii_host"},
                                                                   {UrlNote::escaped_host, "escaped_host"},
                                                                   {UrlNote::extra_slashes, "extra_slashes"},
                                                                   {UrlNote::drive_letter, "drive_letter"}}};
constexpr UrlNote operator|(UrlNote a, UrlNote b) {
  return static_cast<UrlNote>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool has_note(UrlNote set, UrlNote note) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(note)) != 0;
}

class Url {
 public:
  // Parses a URL, optionally relative to a base. Returns an Error if the standard defines the text as a failure. There
  // are two deviations from the standard:
  // - Bytes that are not UTF-8 are escaped unchanged instead of being replaced by U+FFFD. (Escapes that are not UTF-8,
  //   such as "%C4%E3", are kept, as in browsers.)
  // - URLs longer than 2 MiB and internationalised domains longer than 4 KiB are rejected.
  static Result<Url> parse(std::string_view text);
  static Result<Url> parse(std::string_view text, const Url& base);

  std::string_view href() const { return href_; }
  std::string take_href() && { return std::move(href_); }
  std::string_view href_without_fragment() const {
    return view(0, fragment_start_ == npos ? size() : fragment_start_ - 1);
  }

  std::string_view scheme() const { return view(0, scheme_end_); }  // lower case, without ":"
  std::string_view username() const { return view(username_start_, username_end_); }
  std::string_view password() const { return view(password_start_, password_end_); }
  std::string_view host() const { return view(host_start_, host_end_); }  // IPv6 in brackets; empty without a host
  HostKind host_kind() const { return host_kind_; }
  std::optional<std::uint16_t> port() const { return port_; }  // nullopt for the default port of the scheme
  std::uint16_t effective_port() const;  // the port, or else the default port of the scheme, or else 0
  std::string_view path() const { return view(path_start_, path_end_); }
  bool has_query() const { return query_start_ != npos; }
  std::string_view query() const {
    return has_query() ? view(query_start_, query_end_) : std::string_view();
  }  // without "?"
  bool has_fragment() const { return fragment_start_ != npos; }
  std::string_view fragment() const { return has_fragment() ? view(fragment_start_, size()) : std::string_view(); }

  std::string origin() const;  // "https://example.com:8443"; "null" for an opaque origin
  bool is_special() const;     // ftp, file, http, https, ws, wss
  bool is_http() const;        // http or https, the schemes that linkherd fetches
  UrlNote notes() const { return notes_; }

  bool operator==(const Url& other) const { return href_ == other.href_; }
  std::strong_ordering operator<=>(const Url& other) const { return href_.compare(other.href_) <=> 0; }

 private:
  friend class UrlParser;  // the parser, which is the only class that creates a Url
  friend class UrlEditor;  // changes parts of a Url for the canonical forms
  static constexpr std::uint32_t npos = UINT32_MAX;
  Url() = default;
  std::uint32_t size() const { return static_cast<std::uint32_t>(href_.size()); }
  std::string_view view(std::uint32_t begin, std::uint32_t end) const {
    return std::string_view(href_).substr(begin, end - begin);
  }

  std::string href_;
  std::uint32_t scheme_end_ = 0;
  std::uint32_t username_start_ = 0, username_end_ = 0, password_start_ = 0, password_end_ = 0;
  std::uint32_t host_start_ = 0, host_end_ = 0;
  std::uint32_t path_start_ = 0, path_end_ = 0;
  std::uint32_t query_start_ = npos, query_end_ = npos;
  std::uint32_t fragment_start_ = npos;
  std::optional<std::uint16_t> port_;
  HostKind host_kind_ = HostKind::none;
  UrlNote notes_ = UrlNote::none;
};

}  // namespace linkherd::parser

template <>
struct std::hash<linkherd::parser::Url> {
  std::size_t operator()(const linkherd::parser::Url& url) const noexcept {
    return std::hash<std::string_view>()(url.href());
  }
};
