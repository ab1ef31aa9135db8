// Tests site APIs: what the reader or API of a site reports for links whose page was refused, seems gone or has no
// title.
#include <algorithm>
#include <atomic>
#include <set>

#include <doctest/doctest.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/end_to_end/page_template.h"
#include "tests/end_to_end/planted_facts.h"
#include "tests/end_to_end/planted_sites.h"
#include "tests/end_to_end/site_shapes.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::string article = "https://zhuanlan.zhihu.com/p/622212228";
const std::string question = "/tardis/zm/art/622212228";
const std::string video = "https://www.bilibili.com/video/BV1P3411y7nn";
const std::string view = "/x/web-interface/view?bvid=BV1P3411y7nn";

Page json_page(std::string body, int status = 200) {
  Page page = html_page(std::move(body), "application/json; charset=utf-8");
  page.status = status;
  return page;
}

// Returns zhihu's response to a suspected robot. Like many walls, it has an ETag.
Page refusal() {
  Page page = html_page(filled_template("zhihu_wall", {}));
  page.status = 403;
  page.headers.emplace_back("ETag", "\"wall\"");
  return page;
}

Page reader_page(const std::string& id) {
  auto values = placeholders(planted_facts("https://zhuanlan.zhihu.com/p/" + id, Language::chinese));
  values["type"] = "art";
  return html_page(filled_template("zhihu_reader", values));
}

Page gone_page() {
  Page page = html_page(filled_template("zhihu_gone", {}));
  page.status = 404;
  return page;
}

Page view_page() {
  return json_page(R"({"code":0,"data":{"bvid":"BV1P3411y7nn","title":"A video","pubdate":1681700000,)"
                   R"("owner":{"name":"Maria Castell"}}})");
}

// Two sites that refuse requests, and the hosts of their site APIs.
struct Refusing {
  TempDir folder;
  SmallInternet internet;

  explicit Refusing(const std::string& list = "[a](" + article + ")\n[b](" + video + ")\n") {
    folder.write("list.md", list);
    internet.host("zhuanlan.zhihu.com").default_page(refusal());
    internet.host("www.zhihu.com").page(question, reader_page("622212228")).default_page(refusal());
    internet.host("www.bilibili.com").default_page(status_page(412));
    internet.host("api.bilibili.com").page(view, view_page());
  }
  ProgramResult check(std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--store", "store", "--format", "jsonl", "list.md"});
    return run_linkherd(folder.path(), check_arguments(internet, words));
  }
  std::vector<ReceivedRequest> asked() const {
    std::vector<ReceivedRequest> all = internet.requests("api.bilibili.com");
    for (const ReceivedRequest& request : internet.requests("www.zhihu.com")) all.push_back(request);
    std::erase_if(all, [](const ReceivedRequest& request) { return request.target == "/robots.txt"; });
    return all;
  }
};

CheckedLine line_about(const ProgramResult& result, const std::string& url) {
  CAPTURE(result.err);
  CAPTURE(result.out);
  return line_of(checked_lines(result.out), url);
}

}  // namespace

TEST_CASE("zhihu articles of the seed lists are judged and harvested although zhihu refuses their pages") {
  const std::string seeds = std::string(LINKHERD_SOURCE_DIR) + "/seeds";
  const std::string gone = "https://zhuanlan.zhihu.com/p/699376156";
  const std::string start = "/tardis/zm/art/";
  TempDir folder;
  SmallInternet internet;
  plant_sites(internet);
  internet.host("zhuanlan.zhihu.com").handler([](const ReceivedRequest&) { return refusal(); });
  internet.host("www.zhihu.com").handler([&](const ReceivedRequest& request) {
    if (request.target == start + "699376156") return gone_page();
    return request.target.starts_with(start) ? reader_page(request.target.substr(start.size())) : refusal();
  });
  std::set<std::string> articles;
  std::size_t written = 0;
  for (const std::string& link : written_links(seeds)) {
    const std::string url = checked_url(link);
    if (!url.starts_with("https://zhuanlan.zhihu.com/p/")) continue;
    ++written;
    articles.insert(url);
    internet.host("zhuanlan.zhihu.com").page(url.substr(url.find("/p/")), refusal());  // regardless of the other pages
  }
  CHECK(written == 139);

  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--store", "store", "--format", "jsonl", seeds}));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 2);  // other links are planted as dead
  const std::vector<CheckedLine> lines = checked_lines(result.out);
  for (const std::string& url : articles) {
    CAPTURE(url);
    const CheckedLine& line = line_of(lines, url);
    CAPTURE(line.evidence);
    CHECK(line.rule == "site_api:zhihu_article");
    CHECK(line.status == 403);
    if (url == gone) {
      CHECK(line.health == "dead");
      CHECK(line.reason == "not_found");
      continue;
    }
    const PlantedFacts facts = planted_facts(url, Language::chinese);
    CHECK(line.health == "alive");
    CHECK(line.final_url == url);
    CHECK(line.harvest == harvest_of(*shape_of(facts.host, facts.path), facts));
    CHECK(std::ranges::none_of(line.duplicates, [](const Duplicate& one) { return one.layer == "content"; }));
  }
  CHECK(internet.max_concurrent("www.zhihu.com") <= 6);
  CHECK(internet.count("www.zhihu.com", question) == 1);
  CHECK(internet.count("www.zhihu.com", start + "699376156") == 2);  // dead links are confirmed
}

TEST_CASE("a site API makes a refused link alive and gets the request that its site requires") {
  const Refusing sites;
  const ProgramResult result = sites.check({"--header", "Authorization: secret"});
  CHECK(result.exit_code == 0);
  const CheckedLine line = line_about(result, video);
  CHECK(line.health == "alive");
  CHECK(line.reason == "ok");
  CHECK(line.rule == "site_api:bilibili");
  CHECK(line.evidence.starts_with("https://api.bilibili.com" + view + " says that the page exists. The page itself: "));
  CHECK(line.harvest == Harvest{"A video", {"Maria Castell"}, "2023-04-17T10:53:20+08:00"});
  CHECK(line_about(result, article).rule == "site_api:zhihu_article");
  REQUIRE(sites.asked().size() == 2);
  for (const ReceivedRequest& request : sites.asked()) {
    CHECK(request.header("User-Agent").starts_with("linkherd/"));
    CHECK(request.header("Authorization").empty());
    CHECK(request.header("Cookie").empty());
  }
  CHECK(sites.asked().front().header("Referer") == "https://www.bilibili.com/");
}

TEST_CASE("a site API answer is cached like a page and is never requested conditionally") {
  Refusing sites;
  CHECK(sites.check().exit_code == 0);
  sites.internet.clear_requests();
  const ProgramResult second = sites.check();
  CHECK(line_about(second, article).is_from_store);
  CHECK(line_about(second, article).rule == "site_api:zhihu_article");
  CHECK(sites.internet.requests().empty());
  const ProgramResult third = sites.check({"--max-cache-age", "0"});
  CHECK(line_about(third, article).health == "alive");
  CHECK(sites.asked().size() == 2);
  const std::vector<ReceivedRequest> requests = sites.internet.requests();
  CHECK(std::ranges::all_of(requests, [](const ReceivedRequest& one) { return one.header("If-None-Match").empty(); }));
  // A later refusal does not discard the stored metadata.
  sites.internet.host("www.zhihu.com").page(question, refusal());
  const CheckedLine refused = line_about(sites.check({"--max-cache-age", "0"}), article);
  CHECK(refused.health == "blocked");
  CHECK(!refused.harvest.title.empty());
}

TEST_CASE("site APIs are not requested if switched off or for pages with a title") {
  Refusing sites;
  CHECK(line_about(sites.check({"--site-apis", "off"}), article).health == "blocked");
  CHECK(sites.asked().empty());
  sites.folder.write("linkherd.toml", "site_apis = \"off\"\n");
  CHECK(line_about(sites.check(), video).health == "blocked");
  CHECK(sites.asked().empty());
  std::filesystem::remove(sites.folder / "linkherd.toml");
  sites.internet.host("zhuanlan.zhihu.com").default_page(html_page("<title>An article</title><p>Text.</p>"));
  sites.internet.host("www.bilibili.com").default_page(status_page(404));
  const ProgramResult result = sites.check();
  CHECK(line_about(result, article).harvest.title == "An article");
  CHECK(line_about(result, video).reason == "http_404");
  CHECK(sites.asked().empty());
}

TEST_CASE("a site API request obeys robots.txt") {
  Refusing sites("[a](" + article + ")\n");
  sites.internet.host("www.zhihu.com").page("/robots.txt", html_page("User-agent: *\nDisallow: /\n", "text/plain"));
  CHECK(line_about(sites.check({"--robots", "respect"}), article).health == "blocked");
  CHECK(sites.asked().empty());
  CHECK(line_about(sites.check(), article).health == "alive");
}

TEST_CASE("a site API confirms a dead link and makes an empty page shell suspect") {
  Refusing sites("[a](" + article + ")\n[b](" + video + ")\n[c](https://www.bilibili.com/video/BV1P3411y7no)\n");
  sites.internet.host("www.zhihu.com").page(question, gone_page());
  sites.internet.host("www.bilibili.com")
      .page("/video/BV1P3411y7nn", html_page("<div id=app></div><script src=a.js></script>"))
      .page("/video/BV1P3411y7no", html_page("<div id=app></div><script src=a.js></script>"));
  sites.internet.host("api.bilibili.com")
      .page(view + "x", status_page(404))
      .default_page(json_page(R"({"code":-404})"));
  const ProgramResult result = sites.check();
  CHECK(result.exit_code == 2);
  const CheckedLine dead = line_about(result, article);
  CHECK(dead.health == "dead");
  CHECK(dead.reason == "not_found");
  CHECK(dead.rule == "site_api:zhihu_article");
  CHECK(dead.evidence.find("confirmed by a second check") != std::string::npos);
  CHECK(sites.internet.count("www.zhihu.com", question) == 2);
  const CheckedLine shell = line_about(result, video);
  CHECK(shell.health == "alive");
  CHECK(shell.rule == "status");
  CHECK(shell.harvest.title == "A video");
  const CheckedLine doubted = line_about(result, "https://www.bilibili.com/video/BV1P3411y7no");
  CHECK(doubted.health == "suspect");
  CHECK(doubted.reason == "not_found");
}

TEST_CASE("links to one article share one site API request") {
  std::string list;
  for (const char* query : {"", "?utm_campaign=a", "?utm_campaign=b"}) list += "[a](" + article + query + ")\n";
  Refusing sites(list);
  Page slow = reader_page("622212228");
  slow.delay = std::chrono::seconds(3);
  sites.internet.host("www.zhihu.com").page(question, slow);
  const ProgramResult result = sites.check({"--host-concurrency", "6"});
  for (const CheckedLine& line : checked_lines(result.out)) CHECK(line.rule == "site_api:zhihu_article");
  CHECK(sites.asked().size() == 1);
}

TEST_CASE("the oEmbed address of an empty page shell gives its title") {
  const TempDir folder;
  SmallInternet internet;
  const std::string named = "/oembed?url=https%3A%2F%2Fblog.herd%2Fpost%2F7&format=json";
  internet.host("blog.herd")
      .page("/post/7", html_page("<head><link rel=alternate type=application/json+oembed href='" + named +
                                 "'></head><div id=app></div>"))
      .page(named, json_page(R"({"version":"1.0","type":"rich","title":"A post","author_name":"Maria Castell"})"));
  folder.write("list.md", "[a](https://blog.herd/post/7)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  const CheckedLine line = line_about(result, "https://blog.herd/post/7");
  CHECK(line.health == "alive");
  CAPTURE(result.out);
  CHECK(line.harvest.title == "A post");
  CHECK(line.harvest.authors == std::vector<std::string>{"Maria Castell"});
}

TEST_CASE("a user-defined site API decides for its site") {
  const TempDir folder;
  SmallInternet internet;
  internet.host("forum.herd")
      .page("/api/7", json_page(R"({"id":7,"subject":"A topic"})"))
      .default_page(status_page(403));
  folder.write("list.md", "[a](https://forum.herd/topic/7)\n");
  folder.write(
      "linkherd.toml",
      "[[site_api]]\nname = \"forum\"\nsite = \"forum.herd\"\npattern = '/topic/(\\d+)'\n"
      "url = \"https://forum.herd/api/{1}\"\nthere = { status = 200, \"/id\" = \"{1}\" }\ntitle = \"/subject\"\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  const CheckedLine line = line_about(result, "https://forum.herd/topic/7");
  CHECK(line.rule == "site_api:forum");
  CHECK(line.harvest.title == "A topic");
}

TEST_CASE("a site API makes a page alive that resembles no page") {
  const TempDir folder;
  SmallInternet internet;
  const Page sorry =
      html_page("<title>Alpine Forum</title><p>The members' area has been put in order, see the menu.</p>");
  internet.host("forum.herd").default_page(sorry);
  internet.host("api.forum.herd")
      .page("/7", json_page(R"({"id":7,"subject":"A topic"})"))
      .default_page(status_page(500));
  folder.write("list.md", "[a](https://forum.herd/topic/7)\n[b](https://forum.herd/topic/8)\n");
  folder.write("linkherd.toml",
               "[[site_api]]\nname = \"forum\"\nsite = \"forum.herd\"\npattern = '/topic/(\\d+)'\n"
               "url = \"https://api.forum.herd/{1}\"\nthere = { status = 200, \"/id\" = \"{1}\" }\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  const CheckedLine there = line_about(result, "https://forum.herd/topic/7");
  CHECK(there.health == "alive");
  CHECK(there.rule == "site_api:forum");
  const CheckedLine doubted = line_about(result, "https://forum.herd/topic/8");
  CHECK(doubted.health == "suspect");
  CHECK(doubted.reason == "soft_404");
}

TEST_CASE("a site API that asks for a pause gets it before the next request") {
  const TempDir folder;
  SmallInternet internet;
  const auto asked = [&internet] { return internet.requests("api.forum.herd").size(); };
  std::atomic<int> requests_since = 0;
  // The second topic refuses only some requests, after a second each. Before that, the site API was requested for the
  // first topic.
  internet.host("forum.herd").handler([&](const ReceivedRequest& request) {
    if (request.target != "/topic/2") return status_page(403);
    if (asked() > 0) ++requests_since;
    return requests_since < 3 ? status_page(503, {{"Retry-After", "1"}}) : status_page(403);
  });
  internet.host("api.forum.herd").handler([](const ReceivedRequest& request) {
    return json_page(R"({"id":)" + request.target.substr(1) + R"(,"backoff":4})");
  });
  folder.write("list.md", "[a](https://forum.herd/topic/1)\n[b](https://forum.herd/topic/2)\n");
  folder.write("linkherd.toml",
               "[[site_api]]\nname = \"forum\"\nsite = \"forum.herd\"\npattern = '/topic/(\\d+)'\n"
               "url = \"https://api.forum.herd/{1}\"\nthere = { status = 200, \"/id\" = \"{1}\" }\n"
               "pause = \"/backoff\"\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--robots", "ignore", "--max-retries", "50",
                                                             "--format", "jsonl", "list.md"}));
  for (const char* url : {"https://forum.herd/topic/1", "https://forum.herd/topic/2"})
    CHECK(line_about(result, url).rule == "site_api:forum");
  const std::vector<ReceivedRequest> questions = internet.requests("api.forum.herd");
  REQUIRE(questions.size() == 2);
  CHECK(questions[1].time - questions[0].time >= std::chrono::milliseconds(3900));
}

TEST_CASE("a rate limit of the GitHub API decides nothing about a repository") {
  for (const Page& limit : {json_page(R"({"message":"API rate limit exceeded for 203.0.113.7."})", 403),
                            json_page(R"({"message":"API rate limit exceeded for 203.0.113.7."})", 429),
                            json_page(R"({"message":"You have exceeded a secondary rate limit."})", 403)}) {
    Page page = limit;
    page.headers = {{"X-RateLimit-Limit", "60"}, {"X-RateLimit-Remaining", "0"}, {"X-RateLimit-Reset", "4102444800"}};
    CAPTURE(page.status);
    const TempDir folder;
    SmallInternet internet;
    internet.host("github.com").default_page(status_page(403));
    internet.host("api.github.com").default_page(page);
    folder.write("list.md", "[a](https://github.com/alpine/huts)\n[b](https://github.com/alpine/paths)\n");
    const ProgramResult result =
        run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
    CHECK(result.exit_code == 0);
    for (const char* url : {"https://github.com/alpine/huts", "https://github.com/alpine/paths"}) {
      const CheckedLine line = line_about(result, url);
      CHECK(line.health == "blocked");
      CHECK(line.reason == "http_403");
      CHECK(line.harvest == Harvest());
    }
    CHECK(internet.count("api.github.com", "/repos/alpine/huts") <= 1);
    CHECK(internet.count("api.github.com", "/repos/alpine/paths") <= 1);
    CHECK(internet.requests("api.github.com").size() >= 1);
  }
}

TEST_CASE("a failing site API changes nothing and the run continues") {
  struct Row {
    const char* name;
    Page reader;
    Page view;
  };
  Page hangs;
  hangs.delivery = Delivery::silence;
  Page stalls = view_page();
  stalls.delivery = Delivery::stall;
  Page breaks;
  breaks.delivery = Delivery::reset_early;
  Page huge = reader_page("622212228");
  huge.body.insert(0, std::string(std::size_t{10} << 20, ' '));
  Page huge_json = view_page();
  huge_json.body.insert(1, "\"a\":\"" + std::string(std::size_t{10} << 20, 'x') + "\",");
  Page endless = json_page("[[");
  endless.delivery = Delivery::endless;
  const Page html = html_page("<title>Sign in</title><p>Please sign in.</p>");
  const Page later = status_page(429, {{"Retry-After", "3600"}});
  const Page deep = json_page(std::string(200'000, '['));
  const Page elsewhere = redirect_page(302, "https://elsewhere.herd/");
  for (const Row& row :
       {Row{"elsewhere", elsewhere, elsewhere}, Row{"html", html, html}, Row{"refused", refusal(), status_page(412)},
        Row{"another article", reader_page("622212229"),
            json_page(R"({"code":0,"data":{"bvid":"BV1P3411y7no","title":"t"}})")},
        Row{"huge", huge, huge_json}, Row{"hangs", hangs, stalls}, Row{"breaks", breaks, breaks},
        Row{"later", later, later}, Row{"deep", deep, endless}, Row{"missing", status_page(404), status_page(404)},
        Row{"empty", html_page(""), json_page("")}}) {
    CAPTURE(row.name);
    Refusing sites("[a](" + article + ")\n[b](" + video + ")\n[c](https://fine.herd/)\n");
    sites.internet.host("fine.herd").default_page(html_page("<title>Fine</title><p>All is well.</p>"));
    sites.internet.host("elsewhere.herd").default_page(view_page());
    sites.internet.host("www.zhihu.com").page(question, row.reader);
    sites.internet.host("api.bilibili.com").page(view, row.view);
    const ProgramResult result = sites.check({"--timeout", "2s"});
    CHECK(result.exit_code == 0);
    for (const std::string& url : {article, video}) {
      const CheckedLine line = line_about(result, url);
      CHECK(line.health == "blocked");
      CHECK(line.harvest == Harvest());
    }
    CHECK(line_about(result, "https://fine.herd/").health == "alive");
    CHECK(sites.internet.requests("elsewhere.herd").empty());
    CHECK(sites.asked().size() <= 4);  // libcurl itself repeats a request if a reused connection is lost
  }
}
