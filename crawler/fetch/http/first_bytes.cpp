#include "crawler/fetch/http/first_bytes.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "crawler/fetch/http/response_headers.h"
#include "parser/ascii.h"

namespace linkherd::crawler {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t max_blank_bytes = std::size_t{1} << 10;
constexpr std::size_t max_junk_bytes = 4;
// Internet radio servers send ICY.
constexpr std::array status_line_starts{"http/"sv, "http "sv, "icy "sv};

enum class Match { no, maybe, yes };

Match match_status_line(std::string_view bytes) {
  Match match = Match::no;
  for (const std::string_view start : status_line_starts) {
    const std::size_t length = std::min(start.size(), bytes.size());
    if (!parser::equals_ignoring_case(bytes.substr(0, length), start.substr(0, length))) continue;
    if (length == start.size()) return Match::yes;
    match = Match::maybe;
  }
  return match;
}

struct StatusLine {
  Match match = Match::no;
  std::size_t at = 0;
};

StatusLine find_status_line(std::string_view bytes) {
  const std::size_t blank = std::min(bytes.find_first_not_of("\r\n \t"), bytes.size());
  if (blank > max_blank_bytes) return {};
  if (blank == bytes.size()) return {Match::maybe, blank};
  StatusLine found;
  for (std::size_t junk = 0; junk <= max_junk_bytes && blank + junk < bytes.size(); ++junk) {
    const Match match = match_status_line(bytes.substr(blank + junk));
    if (match == Match::yes) return {match, blank + junk};
    if (match == Match::maybe) found = {match, blank + junk};
  }
  return found;
}

struct Protocol {
  std::string_view start;
  std::string_view name;
};

constexpr std::array protocols{
    Protocol{"SSH-", "SSH"},        Protocol{"* OK", "IMAP"},      Protocol{"+OK", "POP3"},
    Protocol{"RFB ", "VNC"},        Protocol{"AMQP", "AMQP"},      Protocol{"-ERR", "Redis or POP3"},
    Protocol{"-NOAUTH", "Redis"},   Protocol{"-DENIED", "Redis"},  Protocol{"@RSYNCD", "rsync"},
    Protocol{":", "IRC"},           Protocol{"NOTICE ", "IRC"},    Protocol{"RTSP/", "RTSP"},
    Protocol{"SIP/", "SIP"},        Protocol{"<stream:", "XMPP"},  Protocol{"\xFF\xFD", "Telnet"},
    Protocol{"\xFF\xFB", "Telnet"}, Protocol{"\x03\0\0"sv, "RDP"}, Protocol{"GIOP", "CORBA"},
};

// Recognises greetings such as "220 mail.example ESMTP Postfix", "220 (vsFTPd 3.0.3)" and "200 news.example
// InterNetNews".
std::string_view protocol_of_greeting(std::string_view line) {
  if (line.size() < 4 || !std::ranges::all_of(line.substr(0, 3), parser::is_ascii_digit)) return {};
  if (line[3] != ' ' && line[3] != '-') return {};
  if (parser::contains_ignoring_case(line, "ftp")) return "FTP";
  if (parser::contains_ignoring_case(line, "smtp") || line.starts_with("554") || line.starts_with("421")) return "SMTP";
  if (parser::contains_ignoring_case(line, "nntp") || parser::contains_ignoring_case(line, "news")) return "NNTP";
  return line.starts_with("220") ? "SMTP or FTP" : std::string_view();
}

// Recognises the first frame of an HTTP/2 server: SETTINGS of stream 0.
bool is_http2_settings(std::string_view bytes) {
  constexpr std::size_t frame_header = 9;
  return bytes.size() >= frame_header && bytes[0] == 0 && bytes[3] == 4 && bytes.substr(5, 4) == "\0\0\0\0"sv;
}

bool is_tls_record(std::string_view bytes) {
  return bytes.size() >= 3 && bytes[0] >= 0x14 && bytes[0] <= 0x17 && bytes[1] == 3 && bytes[2] <= 4;
}

bool is_mysql_greeting(std::string_view bytes) {
  return bytes.size() > 5 && bytes[3] == 0 && (bytes[4] == 10 || static_cast<unsigned char>(bytes[4]) == 0xFF);
}

std::string_view protocol_of(std::string_view bytes) {
  if (is_http2_settings(bytes)) return "HTTP/2";  // a server that does not support older versions
  if (is_tls_record(bytes)) return "TLS";
  const auto* row = std::ranges::find_if(protocols, [bytes](const Protocol& p) { return bytes.starts_with(p.start); });
  if (row != protocols.end()) return row->name;
  const std::string_view greeting = protocol_of_greeting(bytes.substr(0, bytes.find('\n')));
  if (!greeting.empty()) return greeting;
  return is_mysql_greeting(bytes) ? "MySQL"sv : std::string_view();
}

bool begins_html(std::string_view bytes) {
  const std::string_view text = parser::trim_ascii(bytes.substr(0, 64));
  return text.starts_with('<');
}

}  // namespace

FirstBytes read_first_bytes(std::string_view bytes) {
  constexpr std::size_t enough = 16;  // bytes to distinguish the protocols
  switch (find_status_line(bytes).match) {
    case Match::yes: return FirstBytes::response;
    case Match::maybe: return FirstBytes::undecided;
    case Match::no: break;
  }
  const bool is_line = bytes.find('\n') != std::string_view::npos;
  // Such a server may wait for the client, so no further bytes arrive.
  const bool is_known = !protocol_of(bytes).empty();
  return is_line || is_known || bytes.size() >= enough ? FirstBytes::foreign : FirstBytes::undecided;
}

std::optional<std::size_t> response_start_in(std::string_view bytes) {
  const StatusLine line = find_status_line(bytes);
  return line.match == Match::yes ? std::optional(line.at) : std::nullopt;
}

bool is_whole_response(std::string_view bytes, bool answers_head) {
  ResponseHeaders headers;
  while (!headers.complete()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return headers.too_large();
    if (!headers.add_line(bytes.substr(0, end + 1))) return true;  // a limit is exceeded; no more bytes are wanted
    bytes.remove_prefix(end + 1);
  }
  const int status = headers.status();
  if (answers_head || status == 204 || status == 304 || is_redirect_status(status)) return true;
  if (parser::contains_ignoring_case(headers.find("transfer-encoding"), "chunked")) {
    return bytes.ends_with("\n0\r\n\r\n") || bytes == "0\r\n\r\n";
  }
  const std::string_view announced = headers.find("content-length");
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(announced.data(), announced.data() + announced.size(), length);
  return !announced.empty() && error == std::errc() && bytes.size() >= length;
}

std::string describe_foreign_bytes(std::string_view bytes) {
  const std::string_view protocol = protocol_of(bytes);
  if (!protocol.empty())
    return fmt::format("the server speaks {}, not HTTP{}", protocol, protocol == "HTTP/2" ? "/1.1" : "");
  if (begins_html(bytes)) return "the server sends a page without a status line and headers, as HTTP/0.9 did";
  return "the server's response does not begin with an HTTP status line";
}

}  // namespace linkherd::crawler
