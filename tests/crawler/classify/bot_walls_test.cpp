#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "tests/crawler/classify/result_builder.h"

using namespace linkherd;
using namespace linkherd::crawler;
using storage::Health;

TEST_CASE("bot walls are recognised by their marks") {
  struct Row {
    std::string_view url;
    int status;
    std::string_view title, html;
    std::string_view reason, rule;
  };
  const std::vector<Row> rows{
      {"https://zhuanlan.zhihu.com/p/1", 403, "", R"(<meta id="zh-zse-ck" content="004_x">)", "challenge",
       "wall:zhihu"},
      {"https://www.zhihu.com/question/1", 200, "安全验证 - 知乎", "<p>系统监测</p>", "captcha", "wall:zhihu"},
      {"https://www.bilibili.com/video/BV1", 200, "验证码_哔哩哔哩", "<p>x</p>", "captcha", "wall:bilibili"},
      {"https://mp.weixin.qq.com/s/x", 200, "", "<p>环境异常</p>", "captcha", "wall:wechat"},
      {"https://blog.csdn.net/u/article/details/1", 521, "", "<p>访问验证</p>", "captcha", "wall:csdn"},
      {"https://blog.csdn.net/u/article/details/1", 200, "", "<p>security check</p>", "challenge", "wall:csdn"},
      {"https://a.example/", 503, "Just a moment...", "", "challenge", "wall:cloudflare"},
      {"https://a.example/", 403, "", "<script>window._cf_chl_opt={}</script>", "challenge", "wall:cloudflare"},
      {"https://a.example/", 200, "", "<script>var arg1='0';document.cookie='acw_sc__v2='</script>", "challenge",
       "wall:aliyun"},
      {"https://blog.51cto.com/u_1/2", 200, "", "<script>document.cookie='__tst_status=1#'</script>", "challenge",
       "wall:edgeone"},
      {"https://a.example/", 200, "", "<div class=\"geetest_panel\">", "captcha", "wall:geetest"},
      {"https://baike.baidu.com/item/x", 200, "百度安全验证", "", "captcha", "wall:baidu"},
      {"https://a.example/", 200, "人机验证", "", "captcha", "wall:generic"},
      {"https://www.youtube.com/watch?v=1", 200, "YouTube",
       R"(var x={"playabilityStatus":{"status":"LOGIN_REQUIRED"}})", "login_required", "wall:youtube"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.url);
    CAPTURE(row.html);
    const storage::Verdict verdict =
        classify(build({.url = row.url, .status = row.status}), small_page(row.title, row.html));
    CHECK(health_name(verdict) == "blocked");
    CHECK(verdict.reason == row.reason);
    CHECK(verdict.rule == row.rule);
    CHECK(verdict.evidence.find("HTTP ") != std::string::npos);
  }
}

TEST_CASE("bot walls that headers or redirects reveal need no page") {
  const auto with_header = [](int status, std::string name, std::string value) {
    return classify(build({.status = status, .headers = {{std::move(name), std::move(value)}}}), {});
  };
  CHECK(with_header(403, "cf-mitigated", "challenge").reason == "challenge");
  CHECK(with_header(404, "cf-mitigated", "challenge").health == Health::blocked);
  CHECK(with_header(202, "x-amzn-waf-action", "challenge").reason == "challenge");
  CHECK(with_header(405, "x-amzn-waf-action", "captcha").reason == "captcha");
  CHECK(with_header(202, "x-amzn-waf-action", "allow").health == Health::suspect);

  const auto sent_to = [](std::string_view from, std::string_view to, int status, FailureKind failure) {
    return classify(build({.url = from, .status = status, .failure = failure, .redirects = {{302, to}}}), {});
  };
  constexpr std::string_view captcha = "https://mp.weixin.qq.com/mp/wappoc_appmsgcaptcha?target_url=x";
  CHECK(sent_to("https://mp.weixin.qq.com/s/x", captcha, 200, FailureKind::none).reason == "captcha");
  CHECK(sent_to("https://mp.weixin.qq.com/s/x", captcha, 302, FailureKind::redirect_loop).health == Health::blocked);
  CHECK(sent_to("https://a.example/", "https://wappass.baidu.com/static/captcha/", 200, FailureKind::none).rule ==
        "wall:baidu");
  // If the link itself leads to the wall, the status decides.
  CHECK(classify(build({.url = captcha, .status = 200}), {}).health == Health::alive);
}

TEST_CASE("a 521 is a browser challenge if a cookie or a bare script indicates one") {
  const auto look = [](int status, std::vector<storage::ResponseHeader> headers, const PageEvidence& page) {
    return classify(build({.status = status, .headers = std::move(headers)}), page);
  };
  const std::vector<storage::ResponseHeader> cookies{{"set-cookie", "__jsluid_s=1; path=/"}, {"set-cookie", "other=2"}};
  CHECK(look(521, cookies, {}).reason == "challenge");
  CHECK(look(200, cookies, {}).health == Health::alive);  // an ordinary page of the same service
  const std::string_view script = "<script>document.cookie='x';location.href=location.pathname</script>";
  const PageEvidence bare{.title = "", .html = script, .text_length = 0, .text = {}};
  CHECK(look(521, {}, bare).reason == "challenge");
  CHECK(look(521, {}, bare).health == Health::blocked);
  CHECK(look(402, {}, bare).reason ==
        "challenge");  // on any host, a script that sets a cookie and reloads is a challenge
  CHECK(look(520, {}, {}).health == Health::unreachable);
  const PageEvidence explained{.title = "Web server is down", .html = script, .text_length = 900, .text = {}};
  CHECK(look(521, {}, explained).reason == "http_521");
  CHECK(look(521, {}, explained).health == Health::unreachable);
}

TEST_CASE("long pages that quote a bot wall are not bot walls") {
  const std::string article = "<p>window._cf_chl_opt 环境异常 acw_sc__v2 安全验证</p>";
  const auto evaluated = [&](std::string_view url, std::string_view title, std::size_t visible) {
    return classify(build({.url = url, .status = 200}),
                    {.title = title, .html = article, .text_length = visible, .text = {}, .main_length = visible})
        .health;
  };
  CHECK(evaluated("https://a.example/", "人机验证 explained", 801) == Health::alive);
  CHECK(evaluated("https://a.example/", "", 800) == Health::blocked);
  // The notices of WeChat are even shorter. Its other marks occur on any page.
  const PageEvidence quoting{.title = "", .html = "<p>环境异常</p>", .text_length = 61, .text = {}};
  CHECK(classify(build({.url = "https://mp.weixin.qq.com/s/x", .status = 200}), quoting).health == Health::alive);
  CHECK(classify(build({.url = "https://a.example/", .status = 200}), small_page("", "<p>环境异常</p>")).health ==
        Health::alive);
}

TEST_CASE("a page is a bot wall if it asks the question and not if it only mentions it") {
  const auto rule_of = [](std::string_view text) {
    return classify(build({.url = "https://a.example/p", .status = 200}), small_page("Widget", text)).rule;
  };
  for (const std::string_view text : {"Verify you are human to continue.", "One moment. Please verify you are human.",
                                      "We need to verify that you are not a robot."}) {
    CAPTURE(text);
    CHECK(rule_of(text) == "wall:generic");
  }
  for (const std::string_view text : {"Visitors see the words verify you are human and a box to tick.",
                                      "The box says \"verify you are human\" in your colours."}) {
    CAPTURE(text);
    CHECK(rule_of(text) == "wall:words");  // counts only if every path gets the same page
  }
}

TEST_CASE("a captcha beside a text field protects a form and is no bot wall") {
  const FetchResult result = build({.url = "https://a.example/guests", .status = 200});
  PageEvidence page = small_page("Guests", R"(<div class="cf-turnstile"></div><textarea name="text"></textarea>)");
  page.text_length = page.main_length = 20;
  page.text = "Leave a line for us.";
  CHECK(classify(result, page).health == storage::Health::alive);
  page.html = R"(<div class="g-recaptcha"></div><textarea name="g-recaptcha-response" hidden></textarea>)";
  CHECK(classify(result, page).reason == "captcha");
}

TEST_CASE("the title of a bot wall alone does not make a good page a bot wall") {
  const auto evaluated = [](int status, std::string_view html) {
    return classify(build({.url = "https://a.example/poem", .status = status}), small_page("Just a moment...", html));
  };
  CHECK(evaluated(200, "The kettle speaks before you do.").health == storage::Health::alive);
  CHECK(
      evaluated(200, "<title>Just a moment...</title><script src=/cdn-cgi/challenge-platform/h/b.js></script>").rule ==
      "wall:cloudflare");
  CHECK(evaluated(403, "").rule == "wall:cloudflare");
  CHECK(evaluated(503, "").rule == "wall:cloudflare");
}

TEST_CASE("marks of one site count only on that site") {
  for (const std::string_view url :
       {"https://zhihu.com.example/", "https://notzhihu.com/", "https://a.example/?zhihu.com"}) {
    CAPTURE(url);
    CHECK(classify(build({.url = url, .status = 200}), small_page("", "zh-zse-ck")).health == Health::alive);
  }
  CHECK(classify(build({.url = "https://zhihu.com/", .status = 200}), small_page("", "zh-zse-ck")).health ==
        Health::blocked);
}

TEST_CASE("a page with status 404 or 410 is dead even inside the frame of a bot wall") {
  const PageEvidence page = small_page("Just a moment...", "_cf_chl_opt");
  CHECK(classify(build({.status = 404}), page).reason == "http_404");
  CHECK(classify(build({.status = 410}), page).reason == "http_410");
  CHECK(classify(build({.status = 403}), page).reason == "challenge");
}

TEST_CASE("hostile pages are judged in bounded time" * doctest::test_suite("timing")) {
  std::string html(std::size_t{64} << 20U, '<');
  html += "_cf_chl_opt";
  const PageEvidence huge{.title = html, .html = html, .text_length = 0, .text = {}};
  const auto start = std::chrono::steady_clock::now();
  CHECK(classify(build({.url = "https://www.youtube.com/watch", .status = 200}), huge).health == Health::alive);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  using namespace std::string_view_literals;
  CHECK(classify(build({.status = 200}), small_page("\0\xFF\xFE"sv, "\0_cf_chl_opt\xC3"sv)).health == Health::blocked);
  CHECK(classify(build({.status = 200}), {}).health == Health::alive);
}
