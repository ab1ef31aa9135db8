#include "parser/url/host.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/parser/url/href_of.h"

using namespace std::literals;
using namespace linkherd::parser;

namespace {

struct HostRow {
  std::string_view text;
  std::string_view host;
};

std::string host_of(std::string_view text, bool special) {
  const auto host = parse_host(text, special);
  return host ? host->text : std::string(refused);
}

template <std::size_t N>
void check_special(const HostRow (&rows)[N], HostKind kind) {
  for (const HostRow& row : rows) {
    CAPTURE(row.text);
    CHECK(host_of(row.text, true) == row.host);
    if (row.host == refused) continue;
    CHECK(parse_host(row.text, true)->kind == kind);
    CHECK(host_of(row.host, true) == row.host);
  }
}

}  // namespace

TEST_CASE("an IPv4 address is recognised in all of its spellings") {
  const HostRow rows[] = {
      {"1.2.3.4", "1.2.3.4"},
      {"1.2.3.4.", "1.2.3.4"},
      {"1.2.3", "1.2.0.3"},
      {"1.2", "1.0.0.2"},
      {"1", "0.0.0.1"},
      {"0", "0.0.0.0"},
      {"0x", "0.0.0.0"},
      {"0X", "0.0.0.0"},
      {"00", "0.0.0.0"},
      {"256", "0.0.1.0"},
      {"999999999", "59.154.201.255"},
      {"4294967295", "255.255.255.255"},
      {"4294967296", refused},
      {"99999999999999999999999", refused},
      {"0x7f.1", "127.0.0.1"},
      {"0X7F.0x000001", "127.0.0.1"},
      {"0xffffffff", "255.255.255.255"},
      {"0x100000000", refused},
      {"00000000000300.0250.0.1", "192.168.0.1"},
      {"037777777777", "255.255.255.255"},
      {"0x00000000000000000000a", "0.0.0.10"},
      {"1.2.3.255", "1.2.3.255"},
      {"1.2.3.256", refused},
      {"1.2.65535", "1.2.255.255"},
      {"1.2.65536", refused},
      {"1.16777215", "1.255.255.255"},
      {"1.16777216", refused},
      {"256.1.1.1", refused},
      {"1.256.1.1", refused},
      {"1.2.3.4.5", refused},
      {"1.2.3.4.5.", refused},
      {"09", refused},
      {"08.1", refused},
      {"1.2.3.09", refused},
      {"1.2.3.0x", "1.2.3.0"},
      {"foo.0x4", refused},
      {"foo.4", refused},
      {"foo.09", refused},
      {"foo.0x", refused},
      {"1..2", refused},
      {".1", refused},
      {"1.2.3.4..", "1.2.3.4.."},  // the last label is empty, so this is a name
      {"%31.2", "1.0.0.2"},
      {"１.２", "1.0.0.2"},
      {"０Ｘｃ０．０２５０．０１", "192.168.0.1"},
      {"1。2", "1.0.0.2"},
      {"-1", "-1"},
      {"1e3", "1e3"},
      {"0xg", "0xg"},
      {"1.2.3.4a", "1.2.3.4a"},
      {"4.foo", "4.foo"},
      {"0x.foo", "0x.foo"},
  };
  for (const HostRow& row : rows) {
    CAPTURE(row.text);
    CHECK(host_of(row.text, true) == row.host);
  }
  CHECK(parse_host("0x7f.1", true)->kind == HostKind::ipv4);
  CHECK(parse_host("1.2.3.4..", true)->kind == HostKind::domain);
  CHECK(parse_host("1e3", true)->kind == HostKind::domain);
}

TEST_CASE("an IPv6 address is written in its shortest form") {
  const HostRow rows[] = {
      {"[::]", "[::]"},
      {"[::1]", "[::1]"},
      {"[1::]", "[1::]"},
      {"[0:0:0:0:0:0:0:0]", "[::]"},
      {"[0:0:0:0:0:0:0:1]", "[::1]"},
      {"[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]"},
      {"[2001:DB8::00A:0]", "[2001:db8::a:0]"},
      {"[2001:db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"},
      {"[2001:0:0:1:0:0:0:1]", "[2001:0:0:1::1]"},
      {"[1:0:2:0:3:0:4:0]", "[1:0:2:0:3:0:4:0]"},
      {"[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"},
      {"[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]"},
      {"[1::8]", "[1::8]"},
      {"[1:0::0:8]", "[1::8]"},
      {"[::ffff:1.2.3.4]", "[::ffff:102:304]"},
      {"[::1.2.3.4]", "[::102:304]"},
      {"[1:2:3:4:5:6:1.2.3.4]", "[1:2:3:4:5:6:102:304]"},
      {"[::255.255.255.255]", "[::ffff:ffff]"},
      {"[::0.0.0.0]", "[::]"},
      {"[]", refused},
      {"[", refused},
      {"[::1", refused},
      {"[:]", refused},
      {"[:::]", refused},
      {"[::1::]", refused},
      {"[:1]", refused},
      {"[1:]", refused},
      {"[1]", refused},
      {"[1:2:3:4:5:6:7]", refused},
      {"[1:2:3:4:5:6:7:8:9]", refused},
      {"[1:2:3:4:5:6:7:8::]", refused},
      {"[::1:2:3:4:5:6:7:8]", refused},
      {"[12345::]", refused},
      {"[g::]", refused},
      {"[::1%25eth0]", refused},
      {"[::1%eth0]", refused},
      {"[::%31]", refused},
      {"[::1.2.3]", refused},
      {"[::1.2.3.4.5]", refused},
      {"[::1.2.3.]", refused},
      {"[::.1.2.3]", refused},
      {"[::1.2.3.256]", refused},
      {"[::01.2.3.4]", refused},
      {"[::1.2.3.4:1]", refused},
      {"[1:2:3:4:5:6:7:1.2.3.4]", refused},
      {"[::1.2.3.4a]", refused},
      {"[::1 ]", refused},
      {"[::1]x", refused},
      {"x[::1]", refused},
  };
  check_special(rows, HostKind::ipv6);
}

TEST_CASE("a domain is lowercased and its escapes are decoded") {
  const HostRow rows[] = {
      {"EXAMPLE.Com", "example.com"},
      {"ex%41mple.com", "example.com"},
      {"example%2Ecom", "example.com"},
      {"example.com.", "example.com."},
      {"a..b", "a..b"},
      {".", "."},
      {"..", ".."},
      {".a", ".a"},
      {"a_b", "a_b"},
      {"-a-", "-a-"},
      {"a!$&'()*+,;=~b", "a!$&'()*+,;=~b"},
      {"a\"b", "a\"b"},
      {"a`{}b", "a`{}b"},
      {"xn--nxasmq6b", "xn--nxasmq6b"},
      // UTS #46 does not apply to ASCII labels, even if their punycode is invalid.
      {"xn--", "xn--"},
      {"xn--a", "xn--a"},
      {"XN--ABC-.com", "xn--abc-.com"},
      {"xn--1ug.example", "xn--1ug.example"},
      {"", refused},
      {"%", refused},
      {"a%b", refused},
      {"a%zzb", refused},
      {"%25", refused},
      {"a b", refused},
      {"a%20b", refused},
      {"a%2fb", refused},
      {"a%3ab", refused},
      {"a%40b", refused},
      {"a%5bb", refused},
      {"a%00b", refused},
      {"a%7fb", refused},
      {"a<b", refused},
      {"a>b", refused},
      {"a^b", refused},
      {"a|b", refused},
      {"a]b", refused},
      {"a\x01z", refused},
      {"a\x7Fz", refused},
      {"%ff", refused},
      {"%E4%BD", refused},
  };
  check_special(rows, HostKind::domain);
}

TEST_CASE("an international domain becomes punycode by UTS 46 without transitional mapping") {
  const HostRow rows[] = {
      {"例え.テスト", "xn--r8jz45g.xn--zckzah"},
      {"知乎.中国", "xn--djqu72h.xn--fiqs8s"},
      {"faß.de", "xn--fa-hia.de"},
      {"FAẞ.de", "xn--fa-hia.de"},
      {"ς.gr", "xn--3xa.gr"},
      {"☃.net", "xn--n3h.net"},
      {"☕.example", "xn--53h.example"},
      {"😀.com", "xn--e28h.com"},
      {"Bücher.de", "xn--bcher-kva.de"},
      {"%C3%BC.com", "xn--tda.com"},
      {"u\u0308.com", "xn--tda.com"},
      {"ＧＯ.com", "go.com"},
      {"ＧＯ。com", "go.com"},
      {"a．b｡c", "a.b.c"},
      {"Ⅷ.com", "viii.com"},
      {"İ.com", "xn--i-9bb.com"},
      {"a\u00ADb.com", "ab.com"},
      {"a\u200Bb.com", "ab.com"},
      {"\uFEFFa.com", "a.com"},
      {"ශ්\u200Dරී", "xn--10cl1a0b660p"},
      {"نامه\u200Cای", "xn--mgba3gch31f060k"},
      {"עברית.com", "xn--5dbqzzl.com"},
      {"ab--c.ß", "ab--c.xn--zca"},
      {"-x.ß", "-x.xn--zca"},
      {"x-.ß", "x-.xn--zca"},
      {"x..ß", "x..xn--zca"},
      {"xn--zca.ß", "xn--zca.xn--zca"},
      {"≠.com", "xn--1ch.com"},
      {"ＸＮ－－ｚｃａ", "xn--zca"},
      // These are not domains.
      {"\u00AD", refused},
      {"\u200D.example", refused},
      {"a\u200Db", refused},
      {"يa", refused},
      {"1.ي", refused},
      {"ي.1", refused},
      {"\uFFFD.com", refused},
      {"\u0301a.com", refused},
      {"a\uFDD0", refused},
      {"％41", refused},
      {"＃.com", refused},
      {"a／b", refused},
      {"a：80", refused},
      {"a？b", refused},
      {"＠", refused},
      {"[::1］", refused},
      {"xn--a.ß", refused},
      {"xn--.ß", refused},
      {"xn--abc-.ß", refused},
      {"xn--tešla", refused},
  };
  check_special(rows, HostKind::domain);
}

TEST_CASE("an opaque host keeps its case and its escapes") {
  const HostRow rows[] = {
      {"Example.COM", "Example.COM"},
      {"a%20b", "a%20b"},
      {"%41", "%41"},
      {"%", "%"},
      {"%zz", "%zz"},
      {"1.2.3", "1.2.3"},
      {"0x7f", "0x7f"},
      {"é", "%C3%A9"},
      {"\xFF", "%FF"},
      {"a\x01", "a%01"},
      {"a\x7F", "a%7F"},
      {"!\"$&'()*+,-.;=_`{}~", "!\"$&'()*+,-.;=_`{}~"},
      {"", ""},
      {"[::1]", "[::1]"},
      {"a b", refused},
      {"a\0b"sv, refused},
      {"a#b", refused},
      {"a/b", refused},
      {"a:b", refused},
      {"a<b", refused},
      {"a>b", refused},
      {"a?b", refused},
      {"a@b", refused},
      {"a[b", refused},
      {"a\\b", refused},
      {"a]b", refused},
      {"a^b", refused},
      {"a|b", refused},
      {"[g]", refused},
  };
  for (const HostRow& row : rows) {
    CAPTURE(row.text);
    CHECK(host_of(row.text, false) == row.host);
  }
  CHECK(parse_host("a", false)->kind == HostKind::opaque);
  CHECK(parse_host("", false)->kind == HostKind::empty);
  CHECK(parse_host("[::1]", false)->kind == HostKind::ipv6);
}
