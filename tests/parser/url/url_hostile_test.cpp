// Tests hostile bytes: parsing ends soon, never crashes, and its result parses to itself.
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "parser/url/canonical.h"
#include "parser/url/registrable_domain.h"
#include "parser/url/url_parser.h"
#include "tests/parser/url/href_of.h"

using namespace std::literals;
using namespace linkherd::parser;

namespace {

std::string repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + piece.size());
  while (text.size() < bytes) text += piece;
  return text;
}

// Calls everything that later stages do with a URL, so that every accessor and rule is tested.
void check_sane(const Url& url) {
  const std::string href(url.href());
  CAPTURE(href.substr(0, 200));
  CHECK(href_of(href) == href);
  for (const char c : href) {
    if (static_cast<unsigned char>(c) <= 0x1F || static_cast<unsigned char>(c) >= 0x7F)
      FAIL("a raw control or non-ASCII byte");
  }
  std::string joined = std::string(url.scheme()) + ":";
  if (url.host_kind() != HostKind::none) joined += "//";
  joined += url.username();
  if (!url.password().empty()) joined += ":" + std::string(url.password());
  if (!url.username().empty() || !url.password().empty()) joined += "@";
  joined += url.host();
  if (url.port()) joined += ":" + std::to_string(*url.port());
  if (url.host_kind() == HostKind::none && url.path().starts_with("//")) joined += "/.";
  joined += url.path();
  if (url.has_query()) joined += "?" + std::string(url.query());
  if (url.has_fragment()) joined += "#" + std::string(url.fragment());
  CHECK(joined == href);
  CHECK_FALSE(registrable_domain(url).size() > url.host().size());
  for (const auto layer : {CanonicalLayer::whatwg, CanonicalLayer::normalized, CanonicalLayer::untracked}) {
    const CanonicalForm form = canonical_form(url, layer);
    const auto again = Url::parse(form.url);
    REQUIRE(again.has_value());
    CHECK(canonical_form(*again, layer).url == form.url);
  }
  const CanonicalForm loosest = canonical_form(url, CanonicalLayer::equivalent);
  CHECK(href_of(loosest.url) == loosest.url);
}

}  // namespace

TEST_CASE("long texts of any repeated piece are parsed or refused") {
  constexpr std::size_t long_enough = 1 << 14;
  const std::array<std::string_view, 22> pieces = {
      "a", "/",  "../",           "/../a", "@", ":",  "%", "%2e/", "%00", "\\", "?",
      "#", "&a", "&utm_source=1", "=",     " ", "\t", ".", "[",    "1.",  "中", "\xFF"};
  const std::array<std::string_view, 9> starts = {"",           "http://",     "http://h/",
                                                  "http://h/?", "http://[",    "foo:",
                                                  "foo://",     "file:///c:/", "https://link.zhihu.com/?target="};
  const Url base = url_of("http://h/" + repeated("a/", 1000));
  for (const std::string_view start : starts) {
    for (const std::string_view piece : pieces) {
      const std::string text = std::string(start) + repeated(piece, long_enough);
      CAPTURE(start);
      CAPTURE(piece);
      if (const auto url = Url::parse(text)) {
        CHECK(href_of(url->href()) == url->href());
        CHECK_FALSE(canonical_form(*url, CanonicalLayer::equivalent).url.empty());
      }
      if (const auto url = Url::parse(text, base)) CHECK(href_of(url->href()) == url->href());
    }
  }
}

TEST_CASE("a megabyte of the worst pieces is parsed or refused in linear time") {
  // If a step were quadratic, a single row would exceed the time limit of the whole test.
  for (const std::string_view start : {"http://h/", "http://h/?", "http://", "foo:"}) {
    for (const std::string_view piece : {"a/../", "@", "&a=%41", "%2e."}) {
      const auto url = Url::parse(std::string(start) + repeated(piece, 1 << 20));
      if (url) CHECK_FALSE(canonical_form(*url, CanonicalLayer::normalized).url.empty());
    }
  }
}

TEST_CASE("a URL above the maximum length is refused however short its text was") {
  CHECK(href_of("http://h/" + std::string(max_url_bytes, 'a')) == refused);
  CHECK(href_of("http://h/" + std::string(max_url_bytes - 9, 'a')) != refused);
  CHECK(href_of("http://h/" + std::string(max_url_bytes - 8, 'a')) == refused);
  CHECK(href_of("http://h/" + std::string(max_url_bytes / 2, '\xFF')) == refused);
  CHECK(Url::parse(std::string(max_url_bytes + 1, ' ')).error().message.find("longer than") != std::string::npos);
}

TEST_CASE("an endless international domain is refused early") {
  CHECK(href_of("http://" + repeated("知", 1 << 20) + "/") == refused);
  CHECK(href_of("http://" + repeated("知.", 1 << 20) + "/") == refused);
  CHECK(href_of("http://" + repeated("知", 300) + "/") != refused);
  CHECK(href_of("http://" + repeated("xn--", 1 << 20) + "/") != refused);
}

TEST_CASE("NULs are escaped in paths and refused in hosts") {
  CHECK(href_of("http://h/\0a?\0b#\0c"sv) == "http://h/%00a?%00b#%00c");
  CHECK(href_of("http://h\0.com/"sv) == refused);
  CHECK(href_of("http://h%00.com/"sv) == refused);
  CHECK(href_of("foo://h\0/"sv) == refused);
  CHECK(href_of("foo:\0x"sv) == "foo:%00x");
  CHECK(href_of("\0\0"sv) == refused);
  CHECK(href_of("ht\0tp://h"sv) == refused);
}

TEST_CASE("normalising a large query twice changes nothing") {
  const std::string query = repeated("utm_source=x&a=%41&=&&%75tm_x=2&", 20'000);
  check_sane(url_of("https://www.bilibili.com/video/BV1?" + query + "p=2"));
  std::string nested = "https%3A//example.com/";
  for (int depth = 0; depth < 5; ++depth) nested = "https://link.zhihu.com/?target=" + nested;
  check_sane(url_of(nested));
}

TEST_CASE("random texts of special characters give valid URLs or errors") {
  const std::array<std::string_view, 60> bits = {"http:",      "https:",
                                                 "file:",      "foo:",
                                                 "//",         "/",
                                                 "\\",         "?",
                                                 "#",          "@",
                                                 ":",          ":80",
                                                 ":443",       "[",
                                                 "]",          "[::1]",
                                                 "%",          "%2e",
                                                 "%2F",        "%00",
                                                 "%41",        "%zz",
                                                 ".",          "..",
                                                 "/../",       "/./",
                                                 "C:",         "c|",
                                                 " ",          "\t",
                                                 "\n",         "^",
                                                 "|",          "<",
                                                 "\"",         "'",
                                                 "0x7f",       "1",
                                                 "256",        "08",
                                                 "a",          "Z",
                                                 "xn--",       "é",
                                                 "。",         "／",
                                                 "％",         "\xC2\xAD",
                                                 "א",          "\xFF",
                                                 "\xE4\xBD",   "example.com",
                                                 "www.",       "m.",
                                                 "index.html", "utm_x=1",
                                                 "&",          "link.zhihu.com/?target=",
                                                 "localhost",  "\x7F"};
  std::mt19937 random(20'260'305);  // fixed, so that failures are reproducible
  const Url bases[] = {url_of("http://example.com/a/b?q"), url_of("file:///C:/a/b"), url_of("foo://h/a"),
                       url_of("foo:/a"), url_of("mailto:x")};
  std::size_t parsed = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    for (auto count = random() % 9; count > 0; --count) text += bits[random() % bits.size()];
    CAPTURE(text);
    const auto url =
        round % 2 == 0 ? linkherd::parser::Url::parse(text) : Url::parse(text, bases[random() % std::size(bases)]);
    if (!url) continue;
    ++parsed;
    check_sane(*url);
  }
  CHECK(parsed > 1'000);
}
