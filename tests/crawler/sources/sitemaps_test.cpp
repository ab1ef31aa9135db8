#include "crawler/sources/sitemaps.h"

#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/support/gzip_compress.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

// Texts by their URLs.
struct Web {
  std::map<std::string, std::string> texts;
  std::vector<std::string> asked{};

  std::vector<std::string> read() {
    const FetchLists fetch = [this](const std::vector<parser::Url>& urls) {
      std::vector<Result<FetchedList>> lists;
      for (const parser::Url& url : urls) {
        asked.emplace_back(url.href());
        const auto text = texts.find(asked.back());
        if (text == texts.end()) {
          lists.emplace_back(Error{"HTTP 404"});
        } else {
          const bool is_html = text->second.starts_with("<html");
          lists.emplace_back(boost::system::in_place_value, FetchedList{url, "", is_html, text->second});
        }
      }
      return lists;
    };
    const std::vector<parser::Url> sites{parser::Url::parse("https://a.herd/start").value()};
    return read_sitemaps(sites, fetch, [this](InputDocument list) {
      read_lists.push_back(std::move(list.file));
      texts_read.push_back(std::move(list.text));
    });
  }
  std::vector<std::string> texts_read{};
  std::vector<std::string> read_lists{};
};

std::string index_of(const std::vector<std::string>& maps) {
  std::string text = "<?xml version=\"1.0\"?><sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";
  for (const std::string& map : maps) text += "<sitemap><loc>" + map + "</loc></sitemap>";
  return text + "</sitemapindex>";
}

const std::string some_pages = "<?xml version=\"1.0\"?><urlset><url><loc>https://a.herd/x</loc></url></urlset>";

}  // namespace

TEST_CASE("sitemaps are found through robots.txt and at the default address") {
  CHECK(sitemaps_in_robots("User-agent: *\r\nSitemap: https://a/x.xml\rsitemap:/y.xml # no\nDisallow: /\nSitemap:\n") ==
        std::vector<std::string>{"https://a/x.xml", "/y.xml # no"});
  Web web{{{"https://a.herd/robots.txt", "Sitemap: /maps/a.xml\nSitemap: https://b.herd/b.txt\n"},
           {"https://a.herd/maps/a.xml", some_pages},
           {"https://b.herd/b.txt", "https://a.herd/y\n"},
           {"https://a.herd/sitemap.xml", some_pages}}};
  const std::vector<std::string> problems = web.read();
  CHECK(web.read_lists.size() == 3);
  CHECK(problems.empty());
  CHECK(web.read_lists ==
        std::vector<std::string>{"https://a.herd/maps/a.xml", "https://b.herd/b.txt", "https://a.herd/sitemap.xml"});
}

TEST_CASE("a missing default sitemap is no problem") {
  Web web{{}};
  const std::vector<std::string> problems = web.read();
  CHECK(web.read_lists.empty());
  CHECK(problems.empty());
  CHECK(web.asked == std::vector<std::string>{"https://a.herd/robots.txt", "https://a.herd/sitemap.xml"});
}

TEST_CASE("a named sitemap that is none is reported") {
  Web web{{{"https://a.herd/robots.txt", "Sitemap: /gone.xml\nSitemap: /page\n"}, {"https://a.herd/page", "<html>"}}};
  const std::vector<std::string> problems = web.read();
  CHECK(web.read_lists.empty());
  REQUIRE(problems.size() == 2);
  CHECK(problems[1] == "https://a.herd/page is a page, not a sitemap");
  CHECK(problems[0] == "https://a.herd/gone.xml cannot be read: HTTP 404");
}

TEST_CASE("sitemap indexes are followed even if compressed but not endlessly") {
  Web web{{{"https://a.herd/sitemap.xml", index_of({"https://a.herd/1.xml.gz", "https://a.herd/sitemap.xml"})},
           {"https://a.herd/1.xml.gz", tests::gzip_compress(index_of({"https://a.herd/2.xml"}))},
           {"https://a.herd/2.xml", some_pages}}};
  CHECK(web.read().empty());
  CHECK(web.read_lists.size() == 1);
  CHECK(web.asked.size() == 4);

  Web deep{{{"https://a.herd/sitemap.xml", index_of({"https://a.herd/0"})}}};
  for (int i = 0; i < 10; ++i) {
    deep.texts[fmt::format("https://a.herd/{}", i)] = index_of({fmt::format("https://a.herd/{}", i + 1)});
  }
  const std::vector<std::string> problems_of_deep = deep.read();
  CHECK(
      problems_of_deep ==
      std::vector<std::string>{"https://a.herd/3 and the sitemaps after it are not read: there are too many sitemaps"});
  CHECK(deep.asked.size() == 5);

  std::vector<std::string> many;
  for (int i = 0; i < 3000; ++i) many.push_back(fmt::format("https://a.herd/{}", i));
  Web wide{{{"https://a.herd/sitemap.xml", index_of(many)}}};
  const std::vector<std::string> problems_of_wide = wide.read();
  CHECK(wide.asked.size() == 1001);  // robots.txt and a thousand
  CHECK(problems_of_wide.size() == 1000);
}

TEST_CASE("only the first links of too large sitemaps are read") {
  std::string pages = "<urlset>\n";
  for (int i = 0; i < 50'001; ++i) pages += fmt::format("<url><loc>https://a.herd/{}</loc></url>\n", i);
  const std::string whole = pages.substr(0, pages.rfind("<url>")) + "</urlset>";
  Web web{{{"https://a.herd/robots.txt", "Sitemap: /long\nSitemap: /long.gz\n"},
           {"https://a.herd/long", pages + "</urlset>"},
           {"https://a.herd/long.gz", tests::gzip_compress(pages)},
           {"https://a.herd/sitemap.xml", whole}}};
  const std::vector<std::string> problems = web.read();
  CHECK(web.read_lists.size() == 3);
  const std::string problem = " exceeds the size limit for sitemaps: only its first 50000 links are read";
  CHECK(problems == std::vector<std::string>{"https://a.herd/long" + problem, "https://a.herd/long.gz" + problem});
  CHECK(web.texts_read[0].ends_with("https://a.herd/49999"));
  CHECK(web.texts_read[2] == web.texts_read[0]);
}
