#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <re2/re2.h>

#include "crawler/classify/page_rules.h"
#include "tests/crawler/classify/result_builder.h"

using namespace linkherd;
using namespace linkherd::crawler;

TEST_CASE(
    "all built-in patterns compile and none matches an empty page") {  // a run compiles only the patterns that it needs
  for (const PageRule& rule : RuleSet::built_in().rules()) {
    if (rule.pattern == nullptr) continue;
    CAPTURE(rule.mark);
    CHECK(rule.pattern->compiled().ok());
    CHECK_FALSE(rule.pattern->matches(""));
  }
}

TEST_CASE("pages that say not found are recognised by their marks") {
  struct Row {
    std::string_view url, title, html;
    std::string_view rule;
    bool is_certain;  // dead, not suspect
  };
  const std::vector<Row> rows{
      {"https://www.bilibili.com/video/BV1", "视频去哪了呢？_哔哩哔哩_bilibili", "", "soft_404:bilibili", true},
      {"https://www.bilibili.com/video/BV1", "",
       R"(window.__INITIAL_STATE__={"error":{"code":404,"trueCode":62002,"message":"稿件不可见"}})",
       "soft_404:bilibili", true},
      {"https://mp.weixin.qq.com/s/x", "", "<p>该内容已被发布者删除</p>", "soft_404:wechat", true},
      {"https://mp.weixin.qq.com/s/x", "微信公众平台", "<p>此帐号已注销</p>", "soft_404:wechat", true},
      {"https://www.zhihu.com/question/1", "你似乎来到了没有知识存在的荒原 - 知乎", "", "soft_404:zhihu", false},
      {"https://blog.csdn.net/u/article/details/1", "", R"(var report={"pid":"404"})", "soft_404:csdn", true},
      {"https://blog.csdn.net/u/article/details/1", "404", "", "soft_404:csdn", true},
      {"https://www.youtube.com/watch?v=1", " - YouTube",
       R"({"playabilityStatus":{"status":"ERROR","reason":"Video unavailable"}})", "soft_404:youtube", true},
      {"https://github.com/o/r", "Page not found · GitHub · GitHub", "", "soft_404:github", true},
      {"https://o.github.io/r", "Site not found", "<p>There isn't a GitHub Pages site here.</p>", "soft_404:github",
       true},
      {"https://a.example/x", "404 Not Found", "<h1>404</h1>", "soft_404:en", false},
      {"https://a.example/x", "  404  ", "", "soft_404:en_404", false},
      {"https://a.example/x", "页面不存在 - 某站", "", "soft_404:zh", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.url);
    CAPTURE(row.title);
    const storage::Verdict verdict = classify(build({.url = row.url, .status = 200}), small_page(row.title, row.html));
    CHECK(health_name(verdict) == (row.is_certain ? "dead" : "suspect"));
    CHECK(verdict.reason == "soft_404");
    CHECK(verdict.rule == row.rule);
    CHECK((verdict.confidence >= storage::sure_of_death) == row.is_certain);
    CHECK(verdict.evidence.starts_with("A \"not found\" page: "));
  }
}

TEST_CASE("articles about not finding something are alive") {
  struct Row {
    std::string_view url, title, html;
    std::size_t visible;
  };
  const std::vector<Row> rows{
      {"https://a.example/x", "404 Not Found: a history", "", 5000},
      {"https://a.example/x", "404 ways to cook rice", "", 100},
      {"https://a.example/x", "What a 404 means", "", 100},
      {"https://mp.weixin.qq.com/s/x", "", "<p>该内容已被发布者删除</p>", 61},
      {"https://a.example/x", "", "该内容已被发布者删除", 20},
      {"https://www.bilibili.com/video/BV1", "一个视频_哔哩哔哩_bilibili",
       R"(window.__INITIAL_STATE__={"error":{},"videoData":{}})", 50},
      {"https://www.youtube.com/watch?v=1", "x", R"({"playabilityStatus":{"status":"OK"}})", 50},
  };
  for (const Row& row : rows) {
    CAPTURE(row.url);
    CAPTURE(row.title);
    const PageEvidence page{
        .title = row.title, .html = row.html, .text_length = row.visible, .text = {}, .main_length = row.visible};
    CHECK(health_name(classify(build({.url = row.url, .status = 200}), page)) == "alive");
  }
}

TEST_CASE("a redirect to a not-found page is a soft 404") {
  struct Row {
    std::string_view from, to;
    bool dead;
  };
  for (const Row& row : {Row{"https://a.example/x", "https://a.example/404.html", true},
                         Row{"https://a.example/x", "https://a.example/error/not-found/", true},
                         Row{"https://a.example/x", "https://a.example/404", true},
                         Row{"https://a.example/404", "https://www.a.example/404", false},
                         Row{"https://a.example/x", "https://a.example/404/x", false},
                         Row{"https://a.example/x", "https://a.example/", false}}) {
    CAPTURE(row.to);
    const storage::Verdict verdict =
        classify(build({.url = row.from, .status = 200, .redirects = {{302, row.to}}}), {});
    CHECK(verdict.reason == (row.dead ? "soft_404" : "moved_temporarily"));
  }
}

TEST_CASE("only pages with a good status can be soft 404s") {
  CHECK(classify(build({.status = 403}), small_page("404 Not Found")).reason == "http_403");
  CHECK(classify(build({.status = 404}), small_page("404 Not Found")).reason == "http_404");
  CHECK(classify(build({.status = 500}), small_page("404 Not Found")).reason == "http_500");
}

TEST_CASE("a page built like an article is not judged by a sentence in it") {
  PageEvidence page = small_page("Lost pages", "Page not found. A short history of three numbers.");
  page.title = "Page not found";
  CHECK(classify(build({.url = "https://a.example/x", .status = 200}), page).health == storage::Health::suspect);
  page.is_article = true;
  CHECK(classify(build({.url = "https://a.example/x", .status = 200}), page).health == storage::Health::alive);
}

TEST_CASE("a not-found message counts only at the beginning of a page") {
  const std::string message = "Sorry, the page you requested could not be found.";
  const std::string before = "Our club walks every Saturday. " + std::string(160, 'x') + ". ";
  const FetchResult result = build({.url = "https://a.example/x", .status = 200});
  CHECK(classify(result, small_page("Club", message)).reason == "soft_404");
  CHECK(classify(result, small_page("Club", before + message)).health == storage::Health::alive);
}
