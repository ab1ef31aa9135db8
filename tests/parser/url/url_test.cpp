// Tests the Url value: its parts, its origin, its notes, and bytes outside the standard.
#include "parser/url/url.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/url/host.h"
#include "tests/parser/url/href_of.h"

using namespace std::literals;
using namespace linkherd::parser;

TEST_CASE("the parts of a URL are views into its href") {
  const Url url = url_of("https://u:p@example.com:8443/a/b?q=1#top");
  CHECK(url.href() == "https://u:p@example.com:8443/a/b?q=1#top");
  CHECK(url.href_without_fragment() == "https://u:p@example.com:8443/a/b?q=1");
  CHECK(url.scheme() == "https");
  CHECK(url.username() == "u");
  CHECK(url.password() == "p");
  CHECK(url.host() == "example.com");
  CHECK(url.host_kind() == HostKind::domain);
  CHECK(url.port() == 8443);
  CHECK(url.effective_port() == 8443);
  CHECK(url.path() == "/a/b");
  CHECK(url.query() == "q=1");
  CHECK(url.fragment() == "top");
  CHECK(url.is_special());
  CHECK(url.is_http());
}

TEST_CASE("missing parts are absent and empty parts are present") {
  const Url bare = url_of("http://h");
  CHECK(bare.path() == "/");
  CHECK_FALSE(bare.has_query());
  CHECK_FALSE(bare.has_fragment());
  CHECK(bare.query().empty());
  CHECK(bare.fragment().empty());
  CHECK(bare.href_without_fragment() == bare.href());
  CHECK(bare.username().empty());
  CHECK(bare.password().empty());
  CHECK_FALSE(bare.port().has_value());
  CHECK(bare.effective_port() == 80);

  const Url empty_parts = url_of("http://h?#");
  CHECK(empty_parts.has_query());
  CHECK(empty_parts.has_fragment());
  CHECK(empty_parts.query().empty());
  CHECK(empty_parts.fragment().empty());
  CHECK(empty_parts.href_without_fragment() == "http://h/?");

  const Url only_fragment = url_of("http://h/#a?b");
  CHECK_FALSE(only_fragment.has_query());
  CHECK(only_fragment.fragment() == "a?b");

  const Url only_password = url_of("http://:p@h");
  CHECK(only_password.username().empty());
  CHECK(only_password.password() == "p");
}

TEST_CASE("a URL without a host has only a path after its scheme") {
  const Url mail = url_of("mailto:a@b?subject=x");
  CHECK(mail.host_kind() == HostKind::none);
  CHECK(mail.host().empty());
  CHECK(mail.path() == "a@b");
  CHECK(mail.query() == "subject=x");
  CHECK_FALSE(mail.is_special());
  CHECK(mail.effective_port() == 0);

  // The "/." only prevents the path from being parsed as a host. It belongs to neither.
  const Url slashes = url_of("web+demo:/.//not-a-host/");
  CHECK(slashes.host_kind() == HostKind::none);
  CHECK(slashes.path() == "//not-a-host/");

  const Url file = url_of("file:///etc/hosts");
  CHECK(file.host_kind() == HostKind::empty);
  CHECK(file.path() == "/etc/hosts");
  CHECK_FALSE(file.is_http());
}

TEST_CASE("the kind of host is recognised") {
  CHECK(url_of("http://1.2.3.4").host_kind() == HostKind::ipv4);
  CHECK(url_of("http://[::1]").host_kind() == HostKind::ipv6);
  CHECK(url_of("http://[::1]").host() == "[::1]");
  CHECK(url_of("foo://Bar").host_kind() == HostKind::opaque);
  CHECK(url_of("foo://Bar").host() == "Bar");
  CHECK(url_of("foo://").host_kind() == HostKind::empty);
  CHECK(url_of("file://h/").host_kind() == HostKind::domain);
}

TEST_CASE("the origin is scheme and host and port or null") {
  struct Row {
    std::string_view text;
    std::string_view origin;
  };
  const Row rows[] = {
      {"https://u:p@Example.com/x?q#f", "https://example.com"},
      {"http://h:8080/", "http://h:8080"},
      {"http://h:80/", "http://h"},
      {"wss://[::1]:5/", "wss://[::1]:5"},
      {"ftp://h/", "ftp://h"},
      {"file:///x", "null"},
      {"data:x", "null"},
      {"foo://h/x", "null"},
      {"blob:https://a.com:444/1-2-3", "https://a.com:444"},
      {"blob:ftp://a.com/1", "null"},
      {"blob:blob:https://a.com/1", "null"},
      {"blob:x", "null"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(url_of(row.text).origin() == row.origin);
    if (url_of(row.text).is_http()) CHECK(parse_origin(url_of(row.text).href()) == row.origin);
  }
}

TEST_CASE("notes name the errors that lenient parsing tolerated") {
  struct Row {
    std::string_view text;
    UrlNote notes;
  };
  const Row rows[] = {
      {"https://example.com/a?b#c", UrlNote::none},
      {"https://example.com/%E4%BD%A0?q=%41", UrlNote::none},
      {"https://example.com/你", UrlNote::none},  // escaped, but valid in the input
      {" https://example.com", UrlNote::surrounding_space},
      {"https://example.com\n", UrlNote::surrounding_space},
      {"https://exam\nple.com", UrlNote::tab_or_newline},
      {"https://example.com\\a", UrlNote::backslash},
      {"https:\\\\example.com", UrlNote::backslash | UrlNote::missing_slashes},
      {"https:example.com", UrlNote::missing_slashes},
      {"https:/example.com", UrlNote::missing_slashes},
      {"file:/x", UrlNote::missing_slashes},
      {"https://u:p@example.com", UrlNote::credentials},
      {"https://@example.com", UrlNote::credentials},
      {"https://example.com/a b", UrlNote::invalid_code_point},
      {"https://example.com/?\"", UrlNote::invalid_code_point},
      {"https://example.com/#<", UrlNote::invalid_code_point},
      {"https://example.com/100%", UrlNote::invalid_code_point},
      {"https://example.com/%zz", UrlNote::invalid_code_point},
      {"https://example.com/\xFF", UrlNote::invalid_code_point},
      {"https://example.com/\uFDD0", UrlNote::invalid_code_point},
      {"mailto:a b", UrlNote::invalid_code_point},
      {"foo://h%zz/", UrlNote::invalid_code_point},
      {"http://0x7f.1/", UrlNote::numeric_host},
      {"http://127.0.0.1/", UrlNote::none},
      {"http://例え.jp/", UrlNote::non_ascii_host},
      {"http://xn--r8jz45g.jp/", UrlNote::none},
      {"http://%E4%BE%8B%E3%81%88.jp/", UrlNote::non_ascii_host | UrlNote::escaped_host},
      {"http://ex%41mple.com/", UrlNote::escaped_host},
      {"http://%31.2.3.4/", UrlNote::escaped_host | UrlNote::numeric_host},
      {"https:///example.com", UrlNote::extra_slashes},
      {"https:////example.com", UrlNote::extra_slashes},
      {"file:///C|/x", UrlNote::drive_letter},
      {"file://C:/x", UrlNote::drive_letter},
      {"file:///C:/x", UrlNote::none},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(static_cast<unsigned>(url_of(row.text).notes()) == static_cast<unsigned>(row.notes));
  }
  CHECK(has_note(url_of(" https:x").notes(), UrlNote::surrounding_space));
  CHECK_FALSE(has_note(url_of("https:x").notes(), UrlNote::surrounding_space));
}

TEST_CASE("every note has a name") {
  unsigned all = 0;
  for (const auto& [note, name] : url_note_names) {
    CHECK_FALSE(name.empty());
    CHECK((all & static_cast<unsigned>(note)) == 0);
    all |= static_cast<unsigned>(note);
  }
  CHECK(all == (1U << url_note_names.size()) - 1);
}

TEST_CASE("bytes that are not UTF-8 survive as escapes") {
  CHECK(href_of("http://h/\xD6\xD0\xCE\xC4") == "http://h/%D6%D0%CE%C4");  // 中文 in GBK
  CHECK(href_of("http://h/?q=\xE4\xBD") == "http://h/?q=%E4%BD");
  CHECK(href_of("http://h/#\xFF") == "http://h/#%FF");
  CHECK(href_of("http://\xFF@h/") == "http://%FF@h/");
  CHECK(href_of("foo:\xFF") == "foo:%FF");
  CHECK(href_of("foo://\xFF/") == "foo://%FF/");
  CHECK(href_of("http://h/%D6%D0?%C4%E3#%FF") == "http://h/%D6%D0?%C4%E3#%FF");
  CHECK(href_of("http://h\xFF/") == refused);
  CHECK(href_of("http://h%FF/") == refused);
}

TEST_CASE("URLs are compared and ordered and hashed by their href") {
  const Url a = url_of("http://a");
  CHECK(a == url_of(" HTTP://A:80/ "));
  CHECK(a != url_of("http://b"));
  CHECK(a < url_of("http://b"));
  CHECK(std::hash<Url>()(a) == std::hash<Url>()(url_of("http:\\\\a")));
  std::vector<Url> urls = {url_of("http://c"), url_of("http://a"), url_of("http://b")};
  std::ranges::sort(urls);
  CHECK(urls.front() == a);
}

TEST_CASE("a parse error is one short line") {
  struct Row {
    std::string_view text;
    std::string_view part;
  };
  const Row rows[] = {
      {"newsletter.maartengrootendorst.com/p/a-visual-guide", "no scheme"},
      {"", "empty"},
      {"https://", "no host"},
      {"https://u@", "no host"},
      {"https://a b/", "\"a b\""},
      {"https://a\x01/", "\"a%01\""},
      {"https://[::1", "bracket"},
      {"https://[::g]", "IPv6"},
      {"https://1.2.3.256", "IPv4"},
      {"https://h:99999", "65535"},
      {"https://h:x", "port"},
      {"foo://a<b", "\"a<b\""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto url = Url::parse(row.text);
    REQUIRE(url.has_error());
    CAPTURE(url.error().message);
    CHECK(url.error().message.find(row.part) != std::string::npos);
    CHECK(url.error().message.find('\n') == std::string::npos);
  }
  CHECK(Url::parse("https://" + std::string(100'000, '^')).error().message.size() < 300);
}
