#include "crawler/lookups/site_apis.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

using Kind = SiteApiResult::Kind;

const Timestamp site_api_time = parse_timestamp("2026-06-01T00:00:00Z").value();

std::optional<SiteApiRequest> make_request(std::string_view link, std::string_view oembed = {},
                                           const SiteApiSet& set = SiteApiSet::built_in()) {
  return set.make_request(parser::Url::parse(link).value(), {}, oembed);
}

SiteApiResult reply(const SiteApiRequest& asked, int status, std::string_view body) {
  return read_site_api_reply(asked, status, body, site_api_time);
}

// Returns "title | author, author | published". Missing parts are omitted.
std::string facts_of(const parser::Metadata& metadata) {
  std::string facts = metadata.title ? metadata.title->value : "";
  facts += " |";
  if (metadata.authors) {
    for (const std::string& name : metadata.authors->value) facts += " " + name + ",";
  }
  if (facts.ends_with(',')) facts.pop_back();
  facts += " |";
  if (metadata.published) facts += " " + metadata.published->value;
  return facts;
}

struct Answer {
  int status;
  std::string_view body;
};

// One row per entry of the table: the request for a link, and the meaning of typical responses.
struct SiteApiRow {
  std::string_view name;
  std::string_view link;
  std::string_view asked;
  Answer exists;
  std::string_view facts;
  std::vector<Answer> missing;
};

const std::vector<SiteApiRow>& rows() {
  static const std::vector<SiteApiRow> all{
      {"zhihu_article",
       "https://zhuanlan.zhihu.com/p/622212228?utm_source=x",
       "https://www.zhihu.com/tardis/zm/art/622212228",
       {200,
        R"(<html><script>window.g_initialProps = {"renderHtml":{"id":"622212228","type":"art","title":"大模型","author":{"name":"张三"},"created":1681700000,"content":"<p>x</p>"}};</script></html>)"},
       "大模型 | 张三 | 2023-04-17T10:53:20+08:00",
       {{404, "<title>知乎</title><p>你似乎来到了没有知识存在的荒原</p>"}}},
      {"zhihu_answer",
       "https://www.zhihu.com/question/20/answer/30",
       "https://www.zhihu.com/tardis/zm/ans/30",
       {200,
        R"(<script>window.g_initialProps={"renderHtml":{"type":"ans","question_token":"20","title":"如何?","author":{"name":"李四"},"created":1681700000}}</script>)"},
       "如何? | 李四 | 2023-04-17T10:53:20+08:00",
       {{404, "没有知识存在的荒原"}}},
      {"bilibili",
       "https://www.bilibili.com/video/BV1P3411y7nn/?p=2",
       "https://api.bilibili.com/x/web-interface/view?bvid=BV1P3411y7nn",
       {200,
        R"({"code":0,"message":"0","data":{"bvid":"BV1P3411y7nn","aid":1,"title":"视频","pubdate":1681700000,"ctime":1,"owner":{"mid":2,"name":"up"}}})"},
       "视频 | up | 2023-04-17T10:53:20+08:00",
       {{200, R"({"code":-404,"message":"啥都木有"})"},
        {200, R"({"code":62002,"message":"稿件不可见"})"},
        {200, R"({"code":62012,"message":"仅UP主自己可见"})"}}},
      {"bilibili",
       "https://m.bilibili.com/video/av170001",
       "https://api.bilibili.com/x/web-interface/view?aid=170001",
       {200,
        R"({"code":0,"data":{"bvid":"BV17x411w7KC","aid":170001,"title":"av","pubdate":1257791200,"owner":{"name":"u"}}})"},
       "av | u | 2009-11-10T02:26:40+08:00",
       {{200, R"({"code":-404})"}}},
      {"youtube",
       "https://www.youtube.com/watch?t=3&v=U0s0f995w14&list=x",
       "https://www.youtube.com/oembed?url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DU0s0f995w14&format=json",
       {200, R"({"title":"A talk","author_name":"Somebody","type":"video","provider_name":"YouTube"})"},
       "A talk | Somebody |",
       {{404, "Not Found"}, {400, "Bad Request"}}},
      {"vimeo",
       "https://vimeo.com/76979871",
       "https://vimeo.com/api/oembed.json?url=https%3A%2F%2Fvimeo.com%2F76979871",
       {200,
        R"({"type":"video","title":"The New","author_name":"Ann Lee","upload_date":"2013-10-15 14:08:29","video_id":76979871})"},
       "The New | Ann Lee | 2013-10-15T14:08:29",
       {{404, "404 Not Found"}}},
      {"x",
       "https://twitter.com/jack/status/20?s=20",
       "https://publish.x.com/oembed?url=https%3A%2F%2Fx.com%2Fjack%2Fstatus%2F20&omit_script=1",
       {200,
        R"({"url":"https:\/\/twitter.com\/jack\/status\/20","author_name":"jack","html":"\u003Cblockquote class=\"twitter-tweet\"\u003E\u003Cp lang=\"en\" dir=\"ltr\"\u003Ejust setting up my twttr\u003Ca href=\"https:\/\/t.co\/x\"\u003Epic\u003C\/a\u003E\u003C\/p\u003E&mdash; jack (@jack) \u003Ca href=\"https:\/\/twitter.com\/jack\/status\/20\"\u003EMarch 21, 2006\u003C\/a\u003E\u003C\/blockquote\u003E"})"},
       "just setting up my twttrpic | jack | 2006-03-21",
       {{404, "<h1>Sorry, that page doesn’t exist!</h1>"},
        {404, R"({"errors":[{"code":34,"message":"Sorry, that page does not exist"}]})"}}},
      {"tiktok",
       "https://www.tiktok.com/@scout/video/6718335390845095173",
       "https://www.tiktok.com/oembed?url=https%3A%2F%2Fwww.tiktok.com%2F%40scout%2Fvideo%2F6718335390845095173",
       {200, R"({"type":"video","title":"Scramble","author_name":"Scout","embed_product_id":"6718335390845095173"})"},
       "Scramble | Scout |",
       {{400, R"({"code":400,"message":"Something went wrong"})"}}},
      {"reddit",
       "https://old.reddit.com/r/cpp/comments/abc12/a_title/",
       "https://www.reddit.com/oembed?url=https%3A%2F%2Fwww.reddit.com%2Fr%2Fcpp%2Fcomments%2Fabc12%2F",
       {200, R"({"type":"rich","title":"A title","author_name":"mre","html":"<blockquote></blockquote>"})"},
       "A title | mre |",
       {{404, R"({"message":"Not Found","error":404})"}}},
      {"bluesky",
       "https://bsky.app/profile/bsky.app/post/3l6oveex3ii2l",
       "https://public.api.bsky.app/xrpc/"
       "app.bsky.feed.getPostThread?uri=at%3A%2F%2Fbsky.app%2Fapp.bsky.feed.post%2F3l6oveex3ii2l&depth=0&parentHeight="
       "0",
       {200,
        R"({"thread":{"post":{"uri":"at://did:plc:z/app.bsky.feed.post/3l6oveex3ii2l","author":{"handle":"bsky.app","displayName":"Bluesky"},"record":{"text":"hello","createdAt":"2024-10-17T19:00:00.000Z"}}}})"},
       "hello | Bluesky | 2024-10-17T19:00:00Z",
       {{400, R"({"error":"NotFound","message":"Post not found"})"},
        {200, R"({"thread":{"uri":"at://x","notFound":true}})"}}},
      {"mastodon",
       "https://mastodon.herd/@maria/109876543210987654",
       "https://mastodon.herd/api/v1/statuses/109876543210987654",
       {200,
        R"({"id":"109876543210987654","created_at":"2023-02-16T10:20:30.000Z","content":"<p>Hello <b>world</b></p>","account":{"acct":"maria","display_name":"Maria"}})"},
       "Hello world | Maria | 2023-02-16T10:20:30Z",
       {{404, R"({"error":"Record not found"})"}}},
      {"weibo",
       "https://weibo.com/1234567890/Mabcdefgh",
       "https://m.weibo.cn/statuses/show?id=Mabcdefgh",
       {200,
        R"({"ok":1,"data":{"bid":"Mabcdefgh","id":"4890","created_at":"Wed Sep 02 10:00:00 +0800 2020","text":"你好<a href='/n/x'>@x</a>","user":{"screen_name":"王五"}}})"},
       "你好@x | 王五 | 2020-09-02T10:00:00+08:00",
       {{200, R"({"ok":0,"msg":"这里还没有内容"})"}}},
      {"weibo",
       "https://m.weibo.cn/detail/4890123456789012",
       "https://m.weibo.cn/statuses/show?id=4890123456789012",
       {200,
        R"({"ok":1,"data":{"bid":"Mabc","id":"4890123456789012","created_at":"Wed Sep 02 10:00:00 +0800 2020","text":"x"}})"},
       "x | | 2020-09-02T10:00:00+08:00",
       {{200, R"({"ok":0})"}}},
      {"stack_exchange",
       "https://stackoverflow.com/questions/11227809/why-is",
       "https://api.stackexchange.com/2.3/questions/11227809?site=stackoverflow",
       {200,
        R"({"items":[{"question_id":11227809,"title":"Why &quot;sorted&quot;?","owner":{"display_name":"GManNickG"},"creation_date":1340805096}],"has_more":false,"quota_remaining":299})"},
       "Why \"sorted\"? | GManNickG | 2012-06-27T13:51:36Z",
       {{200, R"({"items":[],"has_more":false,"quota_remaining":299})"}}},
      {"stack_exchange",
       "https://math.stackexchange.com/q/12",
       "https://api.stackexchange.com/2.3/questions/12?site=math",
       {200,
        R"({"items":[{"question_id":12,"title":"Pi","owner":{"display_name":"Ann"},"creation_date":1340805096}]})"},
       "Pi | Ann | 2012-06-27T13:51:36Z",
       {{200, R"({"items":[]})"}}},
      {"hacker_news",
       "https://news.ycombinator.com/item?id=8863",
       "https://hacker-news.firebaseio.com/v0/item/8863.json",
       {200, R"({"by":"dhouston","id":8863,"time":1175714200,"title":"My YC app","type":"story"})"},
       "My YC app | dhouston | 2007-04-04T19:16:40Z",
       {{200, "null"}, {200, R"({"deleted":true,"id":8863,"time":1,"type":"story"})"}}},
      {"github_repository",
       "https://github.com/lycheeverse/lychee",
       "https://api.github.com/repos/lycheeverse/lychee",
       {200,
        R"({"id":1,"full_name":"lycheeverse/lychee","owner":{"login":"lycheeverse"},"created_at":"2020-10-02T10:00:00Z","pushed_at":"2026-01-01T00:00:00Z"})"},
       "lycheeverse/lychee | lycheeverse | 2020-10-02T10:00:00Z",
       {{404, R"({"message":"Not Found","status":"404"})"}, {451, R"({"message":"Repository access blocked"})"}}},
      {"github_issue",
       "https://github.com/lycheeverse/lychee/issues/906",
       "https://api.github.com/repos/lycheeverse/lychee/issues/906",
       {200, R"({"number":906,"title":"YouTube","user":{"login":"mre"},"created_at":"2023-01-09T12:00:00Z"})"},
       "YouTube | mre | 2023-01-09T12:00:00Z",
       {{404, R"({"message":"Not Found"})"}, {410, R"({"message":"This issue was deleted"})"}}},
      {"github_release",
       "https://github.com/o/r/releases/tag/v1.0",
       "https://api.github.com/repos/o/r/releases/tags/v1.0",
       {200, R"({"tag_name":"v1.0","name":"First","author":{"login":"o"},"published_at":"2023-01-09T12:00:00Z"})"},
       "First | o | 2023-01-09T12:00:00Z",
       {}},
      {"huggingface_model",
       "https://huggingface.co/openai/clip",
       "https://huggingface.co/api/models/openai/clip",
       {200, R"({"id":"openai/clip","author":"openai","createdAt":"2022-03-02T23:29:05.000Z"})"},
       "openai/clip | openai | 2022-03-02T23:29:05Z",
       {{404, R"({"error":"Repository not found"})"}}},
      {"huggingface_dataset",
       "https://huggingface.co/datasets/rajpurkar/squad",
       "https://huggingface.co/api/datasets/rajpurkar/squad",
       {200, R"({"id":"rajpurkar/squad","author":"rajpurkar","createdAt":"2022-03-02T23:29:22.000Z"})"},
       "rajpurkar/squad | rajpurkar | 2022-03-02T23:29:22Z",
       {{404, R"({"error":"Repository not found"})"}}},
      {"huggingface_paper",
       "https://huggingface.co/papers/1706.03762",
       "https://huggingface.co/api/papers/1706.03762",
       {200,
        R"({"id":"1706.03762","title":"Attention","authors":[{"name":"Ashish Vaswani"},{"name":"Noam Shazeer"}],"publishedAt":"2017-06-12T17:57:34.000Z"})"},
       "Attention | Ashish Vaswani, Noam Shazeer | 2017-06-12T17:57:34Z",
       {{404, R"({"error":"Paper not found"})"}}},
      {"doi",
       "https://doi.org/10.1145/3442188.3445922",
       "https://doi.org/api/handles/10.1145/3442188.3445922",
       {200, R"({"responseCode":1,"handle":"10.1145/3442188.3445922","values":[{"type":"URL"}]})"},
       " | |",
       {{404, R"({"responseCode":100,"handle":"10.1145/3442188.3445922"})"}}},
      {"wikipedia",
       "https://de.wikipedia.org/wiki/Hypertext_Transfer_Protocol",
       "https://de.wikipedia.org/api/rest_v1/page/summary/Hypertext_Transfer_Protocol",
       {200,
        R"({"type":"standard","title":"Hypertext Transfer Protocol","titles":{"canonical":"Hypertext_Transfer_Protocol"},"timestamp":"2024-01-01T00:00:00Z"})"},
       "Hypertext Transfer Protocol | |",
       {{404, R"({"type":"https://mediawiki.org/wiki/HyperSwitch/errors/not_found","title":"Not found."})"}}},
  };
  return all;
}

}  // namespace

TEST_CASE("each site API gets a valid request and its answers are parsed") {
  std::set<std::string> seen;
  for (const SiteApiRow& row : rows()) {
    CAPTURE(row.link);
    const std::optional<SiteApiRequest> asked = make_request(row.link);
    REQUIRE(asked);
    CHECK(asked->site_api->name == row.name);
    seen.insert(asked->site_api->pattern);
    CHECK(asked->href == row.asked);
    const SiteApiResult exists = reply(*asked, row.exists.status, row.exists.body);
    CHECK(exists.kind == Kind::exists);
    CHECK(facts_of(exists.metadata) == row.facts);
    for (const Answer& missing : row.missing) {
      CAPTURE(missing.body);
      const SiteApiResult result = reply(*asked, missing.status, missing.body);
      CHECK(result.kind == Kind::missing);
      CHECK(result.metadata == parser::Metadata());
    }
  }
  for (const auto& site_api : SiteApiSet::built_in().site_apis()) {
    CAPTURE(site_api->name);
    CHECK((seen.contains(site_api->pattern) || site_api->pattern.empty()));
  }
}

TEST_CASE("the built-in site APIs pass the validation for user-defined ones") {  // a run compiles only the entries that
                                                                                 // it needs
  std::ifstream file(std::string(LINKHERD_SOURCE_DIR) + "/crawler/lookups/site_apis.toml");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto read = SiteApiSet::read(text);
  REQUIRE(read.has_value());
  CHECK(read->site_apis().size() == SiteApiSet::built_in().site_apis().size());
  CHECK_FALSE(read->site_apis().front()->built_in);
  CHECK(SiteApiSet::built_in().site_apis().front()->built_in);
}

TEST_CASE("refusals and unrelated answers of a site API are ignored") {
  for (const SiteApiRow& row : rows()) {
    CAPTURE(row.link);
    const SiteApiRequest asked = make_request(row.link).value();
    for (const Answer& answer : {Answer{200, ""}, Answer{200, "<html><title>Just a moment...</title></html>"},
                                 Answer{403, "<html><h1>403 Forbidden</h1></html>"}, Answer{403, "{}"},
                                 Answer{429, R"({"message":"Too Many Requests"})"}, Answer{412, ""}, Answer{500, "{}"},
                                 Answer{404, "<html><h1>404</h1></html>"}, Answer{404, ""}, Answer{200, "{}"},
                                 Answer{200, "[]"}, Answer{200, R"({"code":-352,"message":"risk"})"}, Answer{0, ""},
                                 Answer{200, "{\"title\":"}, Answer{401, R"({"error":"Invalid username"})"}}) {
      CAPTURE(answer.status);
      CAPTURE(answer.body);
      CHECK(reply(asked, answer.status, answer.body).kind == Kind::unknown);
    }
  }
}

TEST_CASE("a site API answer about another page is ignored") {
  struct Other {
    std::string_view link;
    std::string_view body;
  };
  for (const Other& other :
       {Other{"https://zhuanlan.zhihu.com/p/1",
              R"(window.g_initialProps = {"renderHtml":{"id":2,"type":"art","title":"t"}})"},
        Other{"https://www.zhihu.com/question/1/answer/2",
              R"(window.g_initialProps = {"renderHtml":{"type":"ans","question_token":"9","title":"t"}})"},
        Other{"https://www.bilibili.com/video/BV1P3411y7nn",
              R"({"code":0,"data":{"bvid":"BV1P3411y7no","title":"t"}})"},
        Other{"https://stackoverflow.com/q/1", R"({"items":[{"question_id":2,"title":"t"}]})"},
        Other{"https://news.ycombinator.com/item?id=1", R"({"id":2,"title":"t"})"},
        Other{"https://vimeo.com/11111", R"({"title":"t","video_id":22222})"},
        Other{"https://doi.org/10.1000/1", R"({"responseCode":1,"handle":"10.1000/2"})"}}) {
    CAPTURE(other.link);
    CHECK(reply(make_request(other.link).value(), 200, other.body).kind == Kind::unknown);
  }
}

TEST_CASE("a site API answer can ask for a pause") {
  const SiteApiRequest asked = make_request("https://stackoverflow.com/q/1").value();
  CHECK(reply(asked, 200, R"({"items":[],"backoff":10})").pause == std::chrono::seconds(10));
  CHECK(reply(asked, 400, R"({"error_id":502,"backoff":99999999})").pause == std::chrono::seconds(600));
  CHECK(reply(asked, 200, R"({"items":[],"backoff":-1})").pause == Duration::zero());
  CHECK(reply(asked, 200, R"({"items":[]})").pause == Duration::zero());
}

TEST_CASE("links without a site API are not looked up") {
  for (const char* link : {"https://a.herd/", "https://zhuanlan.zhihu.com/", "https://zhuanlan.zhihu.com/people",
                           "https://zhuanlan.zhihu.com.evil.herd/p/1", "https://github.com/topics/cpp",
                           "https://github.com/o/r/blob/main/README.md", "https://github.com/o",
                           "https://huggingface.co/docs/transformers", "https://huggingface.co/o/m/resolve/main/x.bin",
                           "https://en.wikipedia.org/wiki/Special:Search", "https://www.youtube.com/@channel",
                           "https://notbilibili.com/video/BV1P3411y7nn", "https://www.zhihu.com/question/1"}) {
    CAPTURE(link);
    CHECK_FALSE(make_request(link));
  }
}

TEST_CASE("a redirected link is matched by its target as well") {
  const auto link = parser::Url::parse("https://b23.tv/abc").value();
  const auto asked = SiteApiSet::built_in().make_request(
      link, {{"https://b23.tv/abc", 302, "https://www.bilibili.com/video/BV1P3411y7nn?share=1"}}, {});
  REQUIRE(asked);
  CHECK(asked->href == "https://api.bilibili.com/x/web-interface/view?bvid=BV1P3411y7nn");
  CHECK(asked->link == "https://www.bilibili.com/video/BV1P3411y7nn?share=1");
}

TEST_CASE("a link can neither redirect a site API request nor put a login into it") {
  const auto asked = make_request("https://me:secret@github.com/o%2F..%2Fx/r%3Fa=b%26c").value();
  CHECK(asked.href == "https://api.github.com/repos/o%2F..%2Fx/r%3Fa%3Db%26c");
  const auto whole = make_request("https://me:secret@vimeo.com/12345?a=b&c=d#e").value();
  CHECK(whole.href == "https://vimeo.com/api/oembed.json?url=https%3A%2F%2Fvimeo.com%2F12345%3Fa%3Db%26c%3Dd");
}

TEST_CASE("the oEmbed address of a page is requested only if it is about that page") {
  const std::string page = "https://blog.herd/post/a%20b";
  const auto asked =
      make_request(page, "https://blog.herd/oembed?url=https%3A%2F%2Fblog.herd%2Fpost%2Fa%20b&format=json");
  REQUIRE(asked);
  const SiteApiResult exists =
      reply(*asked, 200, R"({"version":"1.0","type":"link","title":"T","author_name":"A","provider_name":"P"})");
  CHECK(exists.kind == Kind::exists);
  CHECK(facts_of(exists.metadata) == "T | A |");
  CHECK(exists.metadata.site_name->value == "P");
  CHECK(reply(*asked, 404, R"({"code":"oembed_invalid_url","data":{"status":404}})").kind == Kind::missing);
  CHECK(reply(*asked, 404, "<h1>Not Found</h1>").kind == Kind::unknown);
  CHECK(make_request(page, "https://other.herd/oembed?url=https%3A%2F%2Fblog.herd%2Fpost%2Fa%20b"));
  CHECK(make_request(page, "http://www.blog.herd/oembed?url=https%3A%2F%2Fblog.herd%2Fpost%2Fa%20b"));
  CHECK_FALSE(make_request(page, "http://other.herd/oembed?url=https%3A%2F%2Fblog.herd%2Fpost%2Fa%20b"));
  CHECK_FALSE(make_request(page, "https://blog.herd/oembed?url=https%3A%2F%2Fblog.herd%2F"));
  CHECK_FALSE(make_request(page, "file:///etc/passwd?blog.herd/post/a%20b"));
}

TEST_CASE("a site API answer decides the verdict and titles of the page take precedence") {
  const auto asked = make_request("https://vimeo.com/12345").value();
  const auto page = [](storage::Health health, std::string_view title) {
    storage::Snapshot snapshot;
    snapshot.verdict = {health, "r", "status", "HTTP 403.", 1.0};
    snapshot.final_url = "https://vimeo.com/wall";
    snapshot.etag = "\"e\"";
    snapshot.body_digest = "d";
    if (!title.empty()) snapshot.metadata.title = parser::Field<std::string>{std::string(title), "title", 0.8};
    return snapshot;
  };
  const auto exists = [&] { return reply(asked, 200, R"({"title":"T","author_name":"A"})"); };
  const auto missing = [&] { return reply(asked, 404, "404 Not Found"); };

  storage::Snapshot refused = page(storage::Health::blocked, "");
  CHECK(apply_result(asked, exists(), " Note.", refused));
  CHECK(refused.verdict.health == storage::Health::alive);
  CHECK(refused.verdict.rule == "site_api:vimeo");
  CHECK(refused.verdict.evidence == asked.href + " says that the page exists. The page itself: HTTP 403. Note.");
  CHECK(refused.metadata.title->value == "T");
  CHECK(refused.metadata.title->source == "site_api:vimeo");
  CHECK(refused.final_url == "https://vimeo.com/12345");
  CHECK(refused.etag.empty());
  CHECK(refused.body_digest.empty());

  for (const storage::Health health : {storage::Health::blocked, storage::Health::suspect}) {
    storage::Snapshot dead = page(health, "");
    CHECK_FALSE(apply_result(asked, missing(), "", dead));
    CHECK(dead.verdict.health == storage::Health::dead);
    CHECK(dead.verdict.reason == "not_found");
    CHECK(dead.verdict.confidence >= storage::sure_of_death);
  }
  storage::Snapshot shell = page(storage::Health::alive, "");
  CHECK_FALSE(apply_result(asked, exists(), "", shell));
  CHECK(shell.verdict.rule == "status");
  CHECK(shell.metadata.title->value == "T");
  CHECK(shell.metadata.title->confidence < 0.8);
  CHECK(shell.body_digest == "d");

  storage::Snapshot document = page(storage::Health::alive, "");
  CHECK_FALSE(apply_result(asked, missing(), "", document));
  CHECK(document.verdict.rule == "status");

  storage::Snapshot odd = page(storage::Health::alive, "");
  odd.charset = "UTF-8";  // HTML
  CHECK_FALSE(apply_result(asked, missing(), "", odd));
  CHECK(odd.verdict.health == storage::Health::suspect);
  CHECK(odd.verdict.confidence < storage::sure_of_death);

  storage::Snapshot untouched = page(storage::Health::blocked, "");
  CHECK_FALSE(apply_result(asked, reply(asked, 403, ""), "", untouched));
  CHECK(untouched == page(storage::Health::blocked, ""));
}

TEST_CASE("a site API is requested only if its answer can change the verdict") {
  storage::Snapshot page;
  const auto is_worth = [&page](storage::Health health) {
    page.verdict.health = health;
    return is_worth_a_site_api(page);
  };
  CHECK(is_worth(storage::Health::blocked));
  CHECK(is_worth(storage::Health::suspect));
  CHECK(is_worth(storage::Health::alive));
  CHECK(is_worth(storage::Health::redirected));
  for (const auto health : {storage::Health::dead, storage::Health::insecure, storage::Health::unreachable,
                            storage::Health::deferred, storage::Health::skipped})
    CHECK_FALSE(is_worth(health));
  page.metadata.title = parser::Field<std::string>{"t", "title", 0.8};
  CHECK_FALSE(is_worth(storage::Health::alive));
  CHECK(is_worth(storage::Health::blocked));
}

TEST_CASE("a user's site API replaces a built-in one") {
  SiteApiSet set = SiteApiSet::built_in();
  set.append(SiteApiSet::read("[[site_api]]\nname = 'own'\nsite = 'vimeo.com'\npattern = '/(\\d+)'\n"
                              "url = 'https://vimeo.com/own/{1}'\nthere = { status = 200, '/a' = [1, true] }\n"
                              "headers = { accept = 'application/json' }\n")
                 .value());
  const auto asked = make_request("https://vimeo.com/12345", {}, set);
  REQUIRE(asked);
  CHECK(asked->site_api->name == "own");
  CHECK(asked->href == "https://vimeo.com/own/12345");
  CHECK(asked->site_api->headers.front().first == "Accept");
  CHECK(reply(*asked, 200, R"({"a":true})").kind == Kind::exists);
  CHECK(reply(*asked, 200, R"({"a":2})").kind == Kind::unknown);
}
