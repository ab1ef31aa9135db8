// Tests where bare URLs begin and end inside the text that people write around them.
#include "parser/lists/text/bare_url_scanner.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;

namespace {

std::vector<std::string> urls_in(std::string_view text, BareUrlContext context) {
  std::vector<std::string> urls;
  BareUrlScanner scanner(text, context);
  while (const std::optional<BareUrl> url = scanner.next()) {
    urls.emplace_back(text.substr(url->offset, url->length));
  }
  return urls;
}

struct BareUrlRow {
  std::string text;
  std::vector<std::string> urls;
};

void check_bare_url_scanner(const std::vector<BareUrlRow>& rows, BareUrlContext context) {
  for (const BareUrlRow& row : rows) {
    CAPTURE(row.text);
    CHECK(urls_in(row.text, context) == row.urls);
  }
}

}  // namespace

TEST_CASE("a bare URL ends at full-width punctuation") {
  std::vector<BareUrlRow> rows;
  for (const char* mark :
       {"，", "。", "；", "：", "！", "？", "、", "）", "】",     "》",     "」",     "』",     "”",     "’",  "〉",
        "〕", "（", "【", "《", "「", "『", "“",  "‘",  "…",      "—",      "·",      "｜",     "　",    "＞", "］",
        "｝", "～", "﹐", "«",  "»",  "•",  "→",  "🎉",  "\u00A0", "\u200B", "\uFEFF", "\u2060", "\uFFFD"}) {
    rows.push_back({"见 https://a.cn/b" + std::string(mark) + "然后", {"https://a.cn/b"}});
    rows.push_back({"见 https://a.cn/b?q=1" + std::string(mark) + "x", {"https://a.cn/b?q=1"}});
    rows.push_back({"https://a.cn" + std::string(mark), {"https://a.cn"}});
  }
  check_bare_url_scanner(rows, BareUrlContext::plain);
}

TEST_CASE("ideographs after an ASCII URL are text and those inside one are part of it") {
  check_bare_url_scanner(
      {{"访问https://a.cn即可", {"https://a.cn"}},
       {"访问https://a.cn/即可", {"https://a.cn/"}},
       {"https://a.cn/😀 https://a.cn/b🔥，再看", {"https://a.cn/", "https://a.cn/b"}},
       {"https://a.cn/👩‍💻/b", {"https://a.cn/👩‍💻/b"}},
       {"https://a.cn/b文章", {"https://a.cn/b"}},
       {"https://a.cn/b.html的作者", {"https://a.cn/b.html"}},
       {"https://a.cn/b?q=c查询", {"https://a.cn/b?q=c"}},
       {"https://a.cn:8080端口", {"https://a.cn:8080"}},
       {"https://zh.wikipedia.org/wiki/人工智能。", {"https://zh.wikipedia.org/wiki/人工智能"}},
       {"https://zh.wikipedia.org/wiki/人工智能_(电影)，", {"https://zh.wikipedia.org/wiki/人工智能_(电影)"}},
       {"https://a.cn/s?wd=知乎", {"https://a.cn/s?wd=知乎"}},
       {"https://a.cn/b#第一章", {"https://a.cn/b#第一章"}},
       {"https://中文.中国/路径", {"https://中文.中国/路径"}},
       {"https://www.中文.cn/", {"https://www.中文.cn/"}},
       {"https://a.com.然后", {"https://a.com"}},
       {"https://a.co.kr/b을 보세요", {"https://a.co.kr/b"}},
       {"https://a.jp/bはこちら", {"https://a.jp/b"}},
       {"https://de.wikipedia.org/wiki/Straße ist", {"https://de.wikipedia.org/wiki/Straße"}},
       {"https://пример.рф/путь, да", {"https://пример.рф/путь"}}},
      BareUrlContext::plain);
}

TEST_CASE("a host name with ideographs ends where its public suffix ends") {
  check_bare_url_scanner({{"http://plain.中文-h2.com:18080/", {"http://plain.中文-h2.com:18080/"}},
                          {"http://plain.中文-h2.com:18080/路径，", {"http://plain.中文-h2.com:18080/路径"}},
                          {"见http://plain.中文-h2.com，然后", {"http://plain.中文-h2.com"}},
                          {"见http://plain.中文-h2.com。然后", {"http://plain.中文-h2.com"}},
                          {"http://h2.2中文3.com/a", {"http://h2.2中文3.com/a"}},
                          {"http://my中文.com/a", {"http://my中文.com/a"}},
                          {"http://www.my中文.com/a", {"http://www.my中文.com/a"}},
                          {"http://2中文.cn?q=1", {"http://2中文.cn?q=1"}},
                          {"http://中文2.cn", {"http://中文2.cn"}},
                          {"http://中文-test.例子.中国/a", {"http://中文-test.例子.中国/a"}},
                          {"https://日本語ドメイン-x.jp/b", {"https://日本語ドメイン-x.jp/b"}},
                          {"http://한국-a.com/b", {"http://한국-a.com/b"}},
                          {"http://münchen-中文.de/b", {"http://münchen-中文.de/b"}},
                          {"http://xn--fiq228c.中文-a.cn/", {"http://xn--fiq228c.中文-a.cn/"}},
                          {"http://u:p@中文-h2.com/", {"http://u:p@中文-h2.com/"}},
                          {"http://user@plain.中文-h2.com:80/", {"http://user@plain.中文-h2.com:80/"}},
                          {"http://用户@中文.com/", {"http://用户@中文.com/"}},
                          {"http://例子．com/a", {"http://例子．com/a"}},
                          {"http://例子。中国/a", {"http://例子。中国/a"}},
                          {"mailto:a@中文.cn", {"mailto:a@中文.cn"}},
                          // A text follows the URL, with or without a space.
                          {"见http://中文.cn查看", {"http://中文.cn"}},
                          {"http://中文.中国查看", {"http://中文.中国"}},
                          {"http://中文.com.cn查看", {"http://中文.com.cn"}},
                          {"http://用户@中文.cn查看", {"http://用户@中文.cn"}},
                          {"http://中文.cn:8080端口", {"http://中文.cn:8080"}},
                          {"http://中文.cn：8080", {"http://中文.cn"}},
                          {"http://中文.cn: see", {"http://中文.cn"}},
                          {"http://中文.cn.然后", {"http://中文.cn"}},
                          {"http://中文.cn。然后看", {"http://中文.cn"}},
                          {"http://中文.cn。b.com是", {"http://中文.cn"}},
                          {"http://a.cn。b.com是", {"http://a.cn"}},
                          {"http://a.cn即可.com", {"http://a.cn"}},
                          {"http://localhost启动a.com", {"http://localhost"}},
                          {"http://127.0.0.1启动a.com", {"http://127.0.0.1"}},
                          {"http://a.cn联系me@b.cn", {"http://a.cn"}},
                          {"http://server访问www.b.com", {"http://server", "www.b.com"}},
                          // These names end in no public suffix.
                          {"http://中文/x", {"http://中文/x"}},
                          {"http://内网.主机:8080/x", {"http://内网.主机:8080/x"}},
                          {"http://a.中文.intern/x", {"http://a.中文.intern/x"}}},
                         BareUrlContext::plain);
}

TEST_CASE("ASCII punctuation at the end belongs to the sentence") {
  check_bare_url_scanner(
      {{"https://a.b/c.", {"https://a.b/c"}},
       {"https://a.b/c, and", {"https://a.b/c"}},
       {"https://a.b/c?!", {"https://a.b/c"}},
       {"https://a.b/c: see", {"https://a.b/c"}},
       {"https://a.b/c; then", {"https://a.b/c"}},
       {"https://a.b/c...", {"https://a.b/c"}},
       {"https://a.b.", {"https://a.b"}},
       {"https://a.b/c,d;e:f!g", {"https://a.b/c,d;e:f!g"}},
       {"https://a.b/?utm_campaign=", {"https://a.b/?utm_campaign="}},
       {"https://a.b/c#", {"https://a.b/c#"}},
       {"https://a.b/c/", {"https://a.b/c/"}},
       {"https://mp.weixin.qq.com/s/-kVLJnBKEDV-TbCZH1UBT_", {"https://mp.weixin.qq.com/s/-kVLJnBKEDV-TbCZH1UBT_"}},
       {"https://a.b/c|d", {"https://a.b/c"}},
       {"https://a.b/css?f=A|B", {"https://a.b/css?f=A|B"}}},
      BareUrlContext::plain);
}

TEST_CASE("brackets and quotes opened before a URL end it and its own do not") {
  check_bare_url_scanner(
      {{"(https://a.b/c)", {"https://a.b/c"}},
       {"(see https://a.b/c).", {"https://a.b/c"}},
       {"https://en.wikipedia.org/wiki/C_(language)", {"https://en.wikipedia.org/wiki/C_(language)"}},
       {"(https://en.wikipedia.org/wiki/C_(language))", {"https://en.wikipedia.org/wiki/C_(language)"}},
       {"[https://a.b/c]", {"https://a.b/c"}},
       {"[text](https://a.b/c)", {"https://a.b/c"}},
       {"[text](https://a.b/c \"title\")", {"https://a.b/c"}},
       {"https://a.b/c(see", {"https://a.b/c"}},
       {"https://a.b(see this)", {"https://a.b"}},
       {"https://a.b/c[1]", {"https://a.b/c"}},
       {"https://a.b/c[^note]", {"https://a.b/c"}},
       {"https://a.b/?a[]=1&b[2]=3", {"https://a.b/?a[]=1&b[2]=3"}},
       {"https://a.b/app/[id]/page.tsx", {"https://a.b/app/[id]/page.tsx"}},
       {"\"https://a.b/c\"", {"https://a.b/c"}},
       {"'https://a.b/c'", {"https://a.b/c"}},
       {"'https://a.b/c', 'https://a.b/d'", {"https://a.b/c", "https://a.b/d"}},
       {"https://en.wikipedia.org/wiki/Zorn's_lemma", {"https://en.wikipedia.org/wiki/Zorn's_lemma"}},
       {"`https://a.b/c`", {"https://a.b/c"}},
       {"<https://a.b/c>", {"https://a.b/c"}},
       {"<https://a.b/c>; rel=next", {"https://a.b/c"}},
       {"“https://a.b/c”", {"https://a.b/c"}},
       {"（https://a.b/c）", {"https://a.b/c"}}},
      BareUrlContext::plain);
}

TEST_CASE("emphasis around a URL is not part of it") {
  check_bare_url_scanner({{"**https://a.b/c**", {"https://a.b/c"}},
                          {"*https://a.b/c*", {"https://a.b/c"}},
                          {"_https://a.b/c_", {"https://a.b/c"}},
                          {"~~https://a.b/c~~", {"https://a.b/c"}},
                          {"https://a.b/~user", {"https://a.b/~user"}}},
                         BareUrlContext::markup);
}

TEST_CASE("adjacent URLs are separated and nested URLs are not") {
  check_bare_url_scanner(
      {{"https://a.b/c https://a.b/d", {"https://a.b/c", "https://a.b/d"}},
       {"https://a.b/c\nhttps://a.b/d\r\nhttps://a.b/e", {"https://a.b/c", "https://a.b/d", "https://a.b/e"}},
       {"https://a.b/c,https://a.b/d;https://a.b/e", {"https://a.b/c", "https://a.b/d", "https://a.b/e"}},
       {"https://a.b/chttps://a.b/d", {"https://a.b/c", "https://a.b/d"}},
       {"https://web.archive.org/web/2020/https://a.b/c", {"https://web.archive.org/web/2020/https://a.b/c"}},
       {"https://a.b/?u=https://c.d/e", {"https://a.b/?u=https://c.d/e"}},
       {"链接https://a.b/c", {"https://a.b/c"}},
       {"链接：https://a.b/c", {"https://a.b/c"}},
       {"HTTPS://A.B/C", {"HTTPS://A.B/C"}},
       {"ftp://a.b/c", {"ftp://a.b/c"}},
       {"sftp://a.b/c", {}},
       {"git+https://a.b/c.git", {}},
       {"http://", {}},
       {"https://...", {}},
       {"https:///", {}},
       {"://a.b", {}},
       {"http://localhost:3000/x", {"http://localhost:3000/x"}},
       {"http://[2001:db8::1]:80/x.", {"http://[2001:db8::1]:80/x"}},
       {"http://[zz", {}},
       {"https://u:p@a.b/c", {"https://u:p@a.b/c"}},
       {"www.python.org/doc.", {"www.python.org/doc"}},
       {"见www.python.org。", {"www.python.org"}},
       {"awww.python.org x@www.python.org", {}},
       {"www.nowhere", {}},
       {"www.a.thisisnosuffix", {}},
       {"mailto:a@b.org.", {"mailto:a@b.org"}},
       {"mailto:nobody", {}},
       {"", {}}},
      BareUrlContext::plain);
}

TEST_CASE("placeholder URLs are found whole") {
  check_bare_url_scanner(
      {{"https://{host}/a/{id}", {"https://{host}/a/{id}"}},
       {"https://a.b/{{ id }}/x and", {"https://a.b/{{ id }}/x"}},
       {"https://a.b/{% url x %}.", {"https://a.b/{% url x %}"}},
       {"https://a.b/<%= id %> https://a.b/<?= $id ?>", {"https://a.b/<%= id %>", "https://a.b/<?= $id ?>"}},
       {"https://a.b/{{ id\n}}", {"https://a.b/"}},
       {"https://a.b/<%= id", {"https://a.b/"}},
       {"https://${HOST}/a", {"https://${HOST}/a"}},
       {"https://a.b/<user-name>/c", {"https://a.b/<user-name>/c"}},
       {"https://<host>:8080/c", {"https://<host>:8080/c"}},
       {"https://a.b/<br>c", {"https://a.b/"}}},
      BareUrlContext::plain);
}

TEST_CASE("markup URLs may have escapes and character references") {
  check_bare_url_scanner({{R"(https://a.b/c\_d)", {R"(https://a.b/c\_d)"}},
                          {"&lt;https://a.b/c&gt;", {"https://a.b/c"}},
                          {"&quot;https://a.b/c&quot;", {"https://a.b/c"}},
                          {"https://a.b/?a=1&amp;b=2", {"https://a.b/?a=1&amp;b=2"}},
                          {"https://a.b/?a=1&amp;", {"https://a.b/?a=1"}}},
                         BareUrlContext::markup);
  check_bare_url_scanner({{R"(https://a.b/c\n)", {"https://a.b/c"}}, {"https://a.b/c&gt;x", {"https://a.b/c&gt;x"}}},
                         BareUrlContext::plain);
}

TEST_CASE("NULs and broken bytes end a URL and hide no other") {
  using namespace std::literals;
  check_bare_url_scanner({{"https://a.b/c\0https://a.b/d"s, {"https://a.b/c", "https://a.b/d"}},
                          {"https://a.b/c\xFF https://a.b/d", {"https://a.b/c", "https://a.b/d"}},
                          {"\0\0https://a.b"s, {"https://a.b"}}},
                         BareUrlContext::plain);
}

TEST_CASE("an unbalanced bracket around a URL is noted") {
  const auto unbalanced = [](std::string_view text) {
    return BareUrlScanner(text, BareUrlContext::plain).next()->unbalanced_bracket;
  };
  CHECK_FALSE(unbalanced("(https://a.b/c)"));
  CHECK_FALSE(unbalanced("(see https://a.b/c)"));
  CHECK_FALSE(unbalanced("(https://a.b/c is good)"));
  CHECK_FALSE(unbalanced("（https://a.b/c)"));
  CHECK(unbalanced("https://a.b/c)"));
  CHECK(unbalanced("[text](https://a.b/c"));
  CHECK(unbalanced("（https://a.b/c\n）"));
}
