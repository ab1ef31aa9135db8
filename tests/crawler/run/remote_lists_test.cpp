#include "crawler/run/remote_lists.h"

#include <chrono>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/small_internet.h"

using namespace linkherd;
using namespace linkherd::crawler;
using namespace std::chrono_literals;

namespace {

FetchOptions fetch_options_for(const tests::SmallInternet& internet) {
  FetchOptions options;
  options.addresses.all = true;
  options.dns_servers = {internet.dns_server()};
  options.connect_to = internet.connect_to();
  options.ca_file = internet.ca_file();
  options.politeness.host_request_interval = 1ms;
  options.retry.max_retries = 0;
  options.timeout = 20s;
  return options;
}

parser::Url url_of(std::string_view text) { return parser::Url::parse(text).value(); }

// A host that accepts connections and never responds.
class SilentInternet {
 public:
  SilentInternet() {
    tests::Page silent;
    silent.delivery = tests::Delivery::silence;
    internet_.host("silent.cn").default_page(silent);
  }

  FetchOptions options() const {
    FetchOptions options = fetch_options_for(internet_);
    options.timeout = 100s;
    return options;
  }

 private:
  tests::SmallInternet internet_;
};

}  // namespace

TEST_CASE("web lists come with their final URL and type and encoding") {
  tests::SmallInternet internet;
  internet.host("lists.cn").page("/list.md", tests::html_page("[a](https://a.cn/)", "text/plain; charset=GBK"));
  internet.host("lists.cn").page("/old.md", tests::redirect_page(302, "/list.md"));
  internet.host("lists.cn").page("/page", tests::html_page("<a href=/x>x</a>"));
  internet.host("lists.cn").page("/feed", tests::html_page("<rss><link>https://a.cn/</link></rss>", "application/xml"));
  const Clock clock;
  const auto lists = fetch_lists(
      {url_of("https://lists.cn/old.md"), url_of("https://lists.cn/page"), url_of("https://lists.cn/feed"),
       url_of("https://lists.cn/gone"), url_of("https://nowhere.cn/"), url_of("https://lists.cn/page#part")},
      fetch_options_for(internet), clock);
  REQUIRE(lists.size() == 6);
  REQUIRE(lists[0].has_value());
  CHECK(lists[0]->url.href() == "https://lists.cn/list.md");
  CHECK(lists[0]->charset == "gbk");
  CHECK(lists[0]->bytes == "[a](https://a.cn/)");
  CHECK(lists[0]->complete);
  CHECK_FALSE(lists[0]->is_html);
  REQUIRE(lists[1].has_value());
  CHECK(lists[1]->is_html);
  REQUIRE(lists[2].has_value());
  CHECK(lists[2]->bytes.starts_with("<rss>"));
  REQUIRE(lists[3].has_error());
  CHECK(lists[3].error().message.find("404") != std::string::npos);
  CHECK(lists[4].has_error());
  REQUIRE(lists[5].has_value());
  CHECK(internet.count("lists.cn", "/page") == 1);
}

TEST_CASE("a compressed web list is kept although snapshots drop that type") {
  tests::SmallInternet internet;
  const std::string bytes = "\x1f\x8b and so on";
  internet.host("lists.cn").page("/list.md.gz", tests::html_page(bytes, "application/gzip"));
  const Clock clock;
  const auto lists = fetch_lists({url_of("https://lists.cn/list.md.gz")}, fetch_options_for(internet), clock);
  REQUIRE(lists.at(0).has_value());
  CHECK(lists[0]->bytes == bytes);
}

TEST_CASE("the wait for a web list ends at the run deadline") {
  const SilentInternet silent;
  const Clock clock;
  const auto lists = fetch_lists({url_of("https://silent.cn/")}, silent.options(), clock, 100ms);
  CHECK(lists.at(0).has_error());
}
