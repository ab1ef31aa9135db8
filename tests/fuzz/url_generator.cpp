#include "tests/fuzz/url_generator.h"

#include <array>
#include <string_view>

#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

using namespace std::literals;

constexpr std::array bases = {
    "http://example.org/foo/bar"sv,
    "https://u:p@h:8080/a/b/c?q#f"sv,
    "file:///C:/a/b"sv,
    "file:///tmp/x"sv,
    "file://host/a"sv,
    "foo://h/a/b"sv,
    "foo:/a/b"sv,
    "foo://h"sv,
    "mailto:a@b"sv,
    "data:text/plain,x"sv,
    "http://h"sv,
    "ws://h/x"sv,
    "non-special:/..//p"sv,
    "foo:a b?q"sv,
    "about:blank"sv,
    "not a base"sv,
};

constexpr std::array bits = {
    "http:"sv,
    "https:"sv,
    "HTTP://"sv,
    "ws:"sv,
    "wss:"sv,
    "ftp:"sv,
    "file:"sv,
    "file://"sv,
    "foo:"sv,
    "foo://"sv,
    "a1+-.:"sv,
    "data:"sv,
    "mailto:"sv,
    "blob:"sv,
    "//"sv,
    "/"sv,
    "\\"sv,
    "?"sv,
    "#"sv,
    "@"sv,
    ":"sv,
    ":80"sv,
    ":443"sv,
    ":0"sv,
    ":65535"sv,
    ":65536"sv,
    "["sv,
    "]"sv,
    "[::1]"sv,
    "[1::8]"sv,
    "%"sv,
    "%2e"sv,
    "%2E"sv,
    "%2F"sv,
    "%00"sv,
    "%41"sv,
    "%zz"sv,
    "%C4%E3"sv,
    "%ff"sv,
    "."sv,
    ".."sv,
    "/../"sv,
    "/./"sv,
    "/.//"sv,
    "%2e%2e/"sv,
    "C:"sv,
    "c|"sv,
    "C|/"sv,
    " "sv,
    "\t"sv,
    "\n"sv,
    "\r"sv,
    "^"sv,
    "|"sv,
    "<"sv,
    ">"sv,
    "\""sv,
    "`"sv,
    "{"sv,
    "}"sv,
    "'"sv,
    "&"sv,
    "="sv,
    "+"sv,
    "*"sv,
    "$"sv,
    "!"sv,
    ","sv,
    ";"sv,
    "~"sv,
    "_"sv,
    "-"sv,
    "("sv,
    ")"sv,
    "h"sv,
    "a"sv,
    "Z"sv,
    "example.com"sv,
    "localhost"sv,
    "1.2.3.4"sv,
    "0x7f.1"sv,
    "256"sv,
    "0"sv,
    "09"sv,
    "1e3"sv,
    "xn--"sv,
    "xn--zca"sv,
    "u:p@"sv,
    "中"sv,
    "é"sv,
    "ß"sv,
    "ς"sv,
    "。"sv,
    "．"sv,
    "\u00AD"sv,
    "\u200D"sv,
    "\u200B"sv,
    "\u0301"sv,
    "ي"sv,
    "א"sv,
    "😀"sv,
    "\uFFFD"sv,
    "\uFEFF"sv,
    "\uFDD0"sv,
    "\x7F"sv,
    "\u0080"sv,
    "\u00A0"sv,
    "\x01"sv,
    "\x1F"sv,
    "ＧＯ"sv,
    "％"sv,
    "index.html"sv,
    "utm_source=x"sv,
};

constexpr std::array real_ones = {
    "https://github.com/kamranahmedse/developer-roadmap"sv,
    "https://mp.weixin.qq.com/s?__biz=MzA5NzE0OTY1OQ==&mid=2247484&idx=1&sn=8e#wechat_redirect"sv,
    "https://zh.wikipedia.org/wiki/统一资源定位符"sv,
    "https://en.wikipedia.org/wiki/URL_(disambiguation)#Syntax"sv,
    "https://user:pa%20ss@sub.example.co.uk:8443/p/a/t/h;v=1.2,x/?query=string&a[]=1#hash"sv,
    "http://例え.テスト/ファイル?名=値"sv,
    "https://faß.de/straße"sv,
    "http://192.168.0.1:8080/admin/../index.html"sv,
    "http://0300.0250.1/"sv,
    "http://[2001:db8::ffff:192.0.2.1]:80/x"sv,
    "file:///C:/Users/me/My%20Documents/x.txt"sv,
    "file://server/share/x"sv,
    "mailto:someone@example.com?subject=hello world"sv,
    "data:text/html;charset=utf-8,<p>x</p>#y"sv,
    "javascript:void(0)"sv,
    "urn:isbn:0451450523"sv,
    "ftp://ftp.example.org:21/pub/"sv,
    "wss://echo.example.org/socket"sv,
    "blob:https://example.org/9115d58c"sv,
    "view-source:https://example.org/"sv,
    "../../a/./b/%2e%2e/c?x#y"sv,
    "//cdn.example.net/lib.js"sv,
    "\\\\server\\share"sv,
    "non-special://test:@h:81/x/../y?z"sv,
    "web+demo:/.//not-a-host/"sv,
    "https://xn--r8jz45g.xn--zckzah/"sv,
    "http://GOO\u3000goo.com"sv,
    "http://你好你好"sv,
    "http://ho%20st/"sv,
    "http://1.2.3.4.5."sv,
    "https://\u200D.example/"sv,
    "foo:opaque  x ?hi #there"sv,
};

}  // namespace

// Chooses from every part of Unicode that may occur in a host; common characters are more frequent.
std::string UrlGenerator::code_point() {
  constexpr std::array<std::uint32_t, 10> ends = {0x80,   0x250,  0x530,   0x700,   0x1100,
                                                  0x2C00, 0xA000, 0x10000, 0x20000, 0x110000};
  std::uint32_t value = static_cast<std::uint32_t>(below(ends[below(ends.size())]));
  if (value >= 0xD800 && value <= 0xDFFF) value -= 0x1000;
  std::string text;
  append_utf8(text, value);
  return text;
}

std::string UrlGenerator::piece() {
  switch (below(12)) {
    case 0: return code_point();
    case 1: return std::string(1, static_cast<char>(below(0x80)));
    default: return std::string(bits[below(bits.size())]);
  }
}

std::string UrlGenerator::pieces(std::size_t max_count) {
  std::string text;
  for (std::size_t count = below(max_count + 1); count > 0; --count) text += piece();
  return text;
}

std::string UrlGenerator::host() {
  constexpr std::string_view number_characters = "0123456789abcdefxX.:";
  constexpr std::string_view name_characters = "abcxyzABC0189-_.";
  std::string text;
  const std::size_t kind = below(5);
  for (std::size_t count = below(16); count > 0; --count) {
    if (kind < 2) {
      text += number_characters[below(number_characters.size() - (kind == 0 ? 1 : 0))];
    } else if (kind < 4 || below(2) == 0) {
      text += name_characters[below(name_characters.size())];
    } else {
      text += code_point();
    }
  }
  if (kind == 1) return "[" + text + "]";
  return kind == 3 ? "xn--" + text : text;
}

std::string UrlGenerator::mutated() {
  std::string text(real_ones[below(real_ones.size())]);
  for (std::size_t count = 1 + below(3); count > 0; --count) {
    std::size_t at = below(text.size() + 1);
    // Never split a character.
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    const std::size_t length = decode_utf8(text, at).length;
    switch (below(4)) {
      case 0: text.erase(at, length); break;
      case 1: text.replace(at, length, piece()); break;
      case 2: text.insert(at, std::string(real_ones[below(real_ones.size())])); break;
      default: text.insert(at, piece()); break;
    }
  }
  return text;
}

UrlText UrlGenerator::next() {
  UrlText made;
  switch (below(4)) {
    case 0: made.text = pieces(8); break;
    case 1: made.text = (below(4) == 0 ? "foo://" : "http://") + host() + pieces(3); break;
    case 2: made.text = (below(4) == 0 ? "file:" : "https://h/") + pieces(6); break;
    default: made.text = mutated(); break;
  }
  if (below(3) == 0) made.base = bases[below(bases.size())];
  return made;
}

}  // namespace linkherd::parser
