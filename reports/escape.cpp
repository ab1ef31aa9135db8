#include "reports/escape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "parser/utf8.h"

namespace linkherd::reports {
namespace {

bool breaks_the_line(char32_t c) {
  return (c >= U'\t' && c <= U'\r') || c == U'\u0085' || c == U'\u2028' || c == U'\u2029';
}

// What a terminal obeys instead of showing: C0, DEL and C1, and what makes text run against its reading direction.
bool is_obeyed(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return control || direction;
}

// How much of the front is ASCII that every terminal shows as it is.
std::size_t plain_length(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
}

}  // namespace

std::string escape_for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = plain_length(text.substr(at));
    out.append(text, at, plain);
    at += plain;
    if (at == text.size()) break;
    const CodePoint point = decode_utf8(text, at);
    if (breaks_the_line(point.value)) {
      const bool is_crlf = point.value == U'\r' && text.substr(at, 2) == "\r\n";
      at += is_crlf ? 1 : 0;
      out += ' ';
    } else if (is_obeyed(point.value)) {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(point.value));
    } else {
      append_utf8(out, point.value);
    }
    at += point.length;
  }
  return out;
}

}  // namespace linkherd::reports
