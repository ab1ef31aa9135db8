// The search for <meta charset> in the first bytes of a page, before anything is known about its encoding.
#include <cstddef>

#include "parser/ascii.h"
#include "parser/html/encodings.h"

namespace linkherd::parser {
namespace {

// Long enough for pages that put comments and scripts first; the standard's 1024 bytes miss many real ones.
constexpr std::size_t prescan_bytes = 8192;

// The value behind "charset" and "=" in the attributes of one <meta> tag, quoted or not, alone or inside a content
// attribute.
std::string_view charset_value(std::string_view tag) {
  for (std::size_t at = 0; at < tag.size(); ++at) {
    if (!starts_ignoring_case(tag.substr(at), "charset")) continue;
    std::size_t p = at + 7;
    while (p < tag.size() && is_ascii_space(tag[p])) ++p;
    if (p >= tag.size() || tag[p] != '=') continue;
    ++p;
    while (p < tag.size() && (is_ascii_space(tag[p]) || tag[p] == '"' || tag[p] == '\'')) ++p;
    const std::size_t begin = p;
    while (p < tag.size() && !is_ascii_space(tag[p]) && tag[p] != '"' && tag[p] != '\'' && tag[p] != ';' &&
           tag[p] != '/')
      ++p;
    return tag.substr(begin, p - begin);
  }
  return {};
}

}  // namespace

std::string_view prescan_meta_charset(std::string_view bytes) {
  bytes = bytes.substr(0, prescan_bytes);
  std::size_t at = 0;
  while ((at = bytes.find('<', at)) != std::string_view::npos) {
    const std::string_view rest = bytes.substr(at);
    if (rest.starts_with("<!--")) {
      const std::size_t end = rest.find("-->", 2);
      if (end == std::string_view::npos) return {};
      at += end + 3;
      continue;
    }
    if (starts_ignoring_case(rest, "<meta") && rest.size() > 5 && (is_ascii_space(rest[5]) || rest[5] == '/')) {
      const std::string_view label = charset_value(rest.substr(5, rest.find('>') - 5));
      if (const Encoding* encoding = find_encoding(label)) {
        return encoding->kind == EncodingKind::utf16 ? std::string_view("utf-8") : label;
      }
    }
    ++at;
  }
  return {};
}

}  // namespace linkherd::parser
