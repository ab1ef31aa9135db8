#include "crawler/frontier/robots.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using linkherd::crawler::matches_robots_pattern;
using linkherd::crawler::normalise_robots_path;
using linkherd::crawler::normalise_robots_pattern;
using linkherd::crawler::RobotsRules;

namespace {

struct Case {
  std::string_view what;
  std::string_view robots;
  std::string_view path;
  bool allowed;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    CAPTURE(c.what);
    CAPTURE(c.path);
    CHECK(RobotsRules::parse(c.robots, "linkherd").allows(c.path) == c.allowed);
  }
}

}  // namespace

TEST_CASE("robots groups are selected by product token") {
  check({
      {"an empty file", "", "/x", true},
      {"no group for us and none for all", "User-agent: other\nDisallow: /\n", "/x", true},
      {"the group of all", "User-agent: *\nDisallow: /private\n", "/private/1", false},
      {"the group of all, another path", "User-agent: *\nDisallow: /private\n", "/public", true},
      {"our group replaces that of all", "User-agent: *\nDisallow: /\nUser-agent: linkherd\nDisallow: /a\n", "/b",
       true},
      {"our group without rules", "User-agent: *\nDisallow: /\n\nUser-agent: linkherd\n", "/b", true},
      {"an empty Disallow", "User-agent: linkherd\nDisallow:\nUser-agent: *\nDisallow: /", "/b", true},
      {"case of the token", "user-AGENT: LinkHerd\nDISALLOW: /\n", "/b", false},
      {"a version behind the token", "User-agent: linkherd/1.0\nDisallow: /\n", "/b", false},
      {"a longer token is another one", "User-agent: linkherder\nDisallow: /\n", "/b", true},
      {"a shorter token is another one", "User-agent: link\nDisallow: /\n", "/b", true},
      {"two agents share a group", "User-agent: a\nUser-agent: linkherd\nDisallow: /x\n", "/x", false},
      {"groups for the same token are merged",
       "User-agent: linkherd\nDisallow: /a\n\nUser-agent: z\nDisallow: /b\n\nUser-agent: linkherd\nDisallow: /c\n",
       "/c", false},
      {"merged groups, the first", "User-agent: linkherd\nDisallow: /a\n\nUser-agent: linkherd\nDisallow: /c\n", "/a",
       false},
      {"merged groups leave others out",
       "User-agent: linkherd\nDisallow: /a\n\nUser-agent: z\nDisallow: /b\n\nUser-agent: linkherd\nDisallow: /c\n",
       "/b", true},
      {"a rule before any agent", "Disallow: /\nUser-agent: *\nDisallow: /x", "/y", true},
      {"an empty line does not end a group", "User-agent: linkherd\n\n\nDisallow: /x\n", "/x", false},
      {"a sitemap does not end a list of agents",
       "User-agent: linkherd\nSitemap: /s.xml\nUser-agent: b\nDisallow: /x\n", "/x", false},
      {"the star with a comment", "User-agent: * # all\nDisallow: / # nothing\n", "/x", false},
  });
}

TEST_CASE("robots files are parsed with any line ends and bytes") {
  using namespace std::string_view_literals;
  check({
      {"byte order mark", "\xEF\xBB\xBFUser-agent: *\nDisallow: /x\n", "/x", false},
      {"CRLF", "User-agent: *\r\nDisallow: /x\r\n", "/x", false},
      {"CR", "User-agent: *\rDisallow: /x\rDisallow: /y", "/y", false},
      {"no last line end", "User-agent: *\nDisallow: /x", "/x", false},
      {"blanks around everything", "  User-agent \t:\t * \n\tDisallow :  /x  \n", "/x", false},
      {"lines that are none", "<html>\nUser-agent *\nDisallow /x\n:::\nDisallow: /x", "/x", true},
      {"NULs and broken UTF-8", "\0\xFF\xFE\nUser-agent: *\0\nDisallow: /\xFF\n"sv, "/%FF", false},
      {"nothing but a colon", ":\n:\nUser-agent:\nDisallow:\n", "/x", true},
  });
}

TEST_CASE("the longest robots rule wins and allow wins a tie") {
  constexpr std::string_view rfc =
      "User-agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\nDisallow: *.gif$\n"
      "Disallow: /example/\n";
  check({
      {"RFC 9309 section 5.2", rfc, "/example/page/index.html", true},
      {"RFC 9309 section 5.2", rfc, "/example/page/disallowed.gif", false},
      {"RFC 9309 section 5.2", rfc, "/example/other", false},
      {"RFC 9309 section 5.2", rfc, "/a.gif", false},
      {"RFC 9309 section 5.2", rfc, "/a.gif?x", true},
      {"a tie", "User-agent: *\nDisallow: /page\nAllow: /page\n", "/page", true},
      {"a tie in the other order", "User-agent: *\nAllow: /page\nDisallow: /page\n", "/page", true},
      {"order does not matter", "User-agent: *\nDisallow: /\nAllow: /p\n", "/p", true},
      {"order does not matter", "User-agent: *\nAllow: /p\nDisallow: /\n", "/p", true},
      {"wildcards count as octets", "User-agent: *\nAllow: /page\nDisallow: /*.htm\n", "/page.htm", false},
      {"only the front page", "User-agent: *\nAllow: /$\nDisallow: /\n", "/", true},
      {"only the front page", "User-agent: *\nAllow: /$\nDisallow: /\n", "/page", false},
      {"the robots file itself", "User-agent: *\nDisallow: /\n", "/robots.txt", true},
      {"an empty path is the root", "User-agent: *\nDisallow: /\n", "", false},
      {"the query counts", "User-agent: *\nDisallow: /p?id=\n", "/p?id=1", false},
  });
}

TEST_CASE("robots patterns match as RFC 9309 shows") {
  struct Row {
    std::string_view pattern, path;
    bool matches;
  };
  const std::vector<Row> rows{
      {"/", "/anything", true},
      {"/fish", "/fish.html", true},
      {"/fish", "/Fish", false},
      {"/fish", "/catfish", false},
      {"/fish*", "/fishheads", true},
      {"/fish/", "/fish", false},
      {"/*.php", "/folder/any.php.file.html", true},
      {"/*.php", "/windows.PHP", false},
      {"/*.php$", "/filename.php", true},
      {"/*.php$", "/filename.php?x", false},
      {"/*.php$", "/a.php/b.php", true},
      {"/fish*.php", "/fishheads/catfish.php?id", true},
      {"/fish*.php", "/Fish.PHP", false},
      {"/a**b", "/axb", true},
      {"/a*$", "/abc", true},
      {"/a*b*c$", "/abbc", true},
      {"/a*b*c$", "/abcb", false},
      {"/a*bc$", "/abc", true},
      {"/a*abc$", "/abc", false},
      {"*", "/x", true},
      {"$", "/", false},
      {"/x$y", "/x$y", true},
      {"/foo/bar?baz=quz", "/foo/bar?baz=quz", true},
      {"/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false},
      {"/foo/bar/\u30C4", "/foo/bar/%E3%83%84", true},
      {"/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", true},
      {"/foo/bar/%62%61%7A", "/foo/bar/baz", true},
      {"/foo/bar/baz", "/foo/bar/%62az", true},
      {"/file-with-a-%2A.html", "/file-with-a-*.html", true},
      {"/file-with-a-%2A.html", "/file-with-a-x.html", false},
      {"/foo-%24", "/foo-$", true},
      {"/foo-%24", "/foo-", false},
      {"/a%2Fb", "/a/b", false},
      {"/a%2fb", "/a%2Fb", true},
      {"/100%", "/100%", true},
      {"/100%4", "/100%4", true},
      {"/a b", "/a%20b", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.path);
    CHECK(matches_robots_pattern(normalise_robots_pattern(row.pattern), normalise_robots_path(row.path)) ==
          row.matches);
  }
}

TEST_CASE("robots patterns never take exponential or quadratic time") {
  std::string pattern = "/";
  for (int i = 0; i < 4000; ++i) pattern += "*a";
  pattern += "b$";
  const std::string path = "/" + std::string(200'000, 'a');
  CHECK_FALSE(matches_robots_pattern(pattern, path));

  const std::string half(100'000, 'a');
  CHECK_FALSE(matches_robots_pattern("/*" + half + "b", path));

  std::string robots = "User-agent: *\n";
  while (robots.size() < 500'000) robots += "Disallow: /*a*a*a*a*a*b\n";
  CHECK(RobotsRules::parse(robots, "linkherd").allows("/" + std::string(2000, 'a')));
}

TEST_CASE("robots files are read up to 500 KiB and cut at the end of a line") {
  constexpr std::size_t limit = std::size_t{500} * 1024;
  std::string robots = "User-agent: *\nDisallow: /first\n";
  while (robots.size() + 30 < limit) robots += "# nothing to be seen here\n";
  std::string rest = "Disallow: /last-one-that-is-cut-in-the-middle\n";
  while (robots.size() + 12 < limit) robots.insert(robots.size() - 1, "#");
  robots += rest + "Disallow: /beyond\n";
  const RobotsRules rules = RobotsRules::parse(robots, "linkherd");
  CHECK_FALSE(rules.allows("/first"));
  CHECK(rules.allows("/beyond"));
  CHECK(rules.allows("/x"));  // the truncated line would read "Disallow: /"
  const std::string long_line = "User-agent: *\nDisallow: /" + std::string(100'000, 'a') + "\nDisallow: /short\n";
  CHECK_FALSE(RobotsRules::parse(long_line, "linkherd").allows("/short"));
}

TEST_CASE("the crawl delay is the longest of the matching groups") {
  const auto delay = [](std::string_view robots) { return RobotsRules::parse(robots, "linkherd").crawl_delay(); };
  using Seconds = std::chrono::duration<double>;
  CHECK(delay("User-agent: *\nCrawl-delay: 10\n") == Seconds(10));
  CHECK(delay("User-agent: *\nCrawl-delay: 0.5\nCrawl-delay: 0.25\n") == Seconds(0.5));
  CHECK(delay("User-agent: *\nCrawl-delay: 9\nUser-agent: linkherd\nCrawl-delay: 1\n") == Seconds(1));
  CHECK(delay("User-agent: *\nCrawl-delay: 1e300\n") == Seconds(86400));
  for (const std::string_view bad : {"-1", "inf", "nan", "", "5s", "1e999"}) {
    CAPTURE(bad);
    CHECK_FALSE(delay("User-agent: *\nCrawl-delay: " + std::string(bad) + "\n").has_value());
  }
}

TEST_CASE("the status of a robots answer decides before its text") {
  constexpr std::string_view closed = "User-agent: *\nDisallow: /\n";
  struct Row {
    int status;
    bool allowed;
  };
  for (const Row row : {Row{200, false}, Row{204, false}, Row{302, true}, Row{401, true}, Row{403, true},
                        Row{404, true}, Row{429, true}, Row{500, false}, Row{503, false}, Row{0, false}}) {
    CAPTURE(row.status);
    CHECK(RobotsRules::from_response(row.status, closed, "linkherd").allows("/x") == row.allowed);
  }
  CHECK_FALSE(RobotsRules::disallow_all().allows("/"));
  CHECK(RobotsRules().allows("/"));
}

TEST_CASE("serialised robots rules parse to the same rules") {
  for (const char* text :
       {"", "User-agent: *\nDisallow: /\n",
        "User-agent: linkherd\nAllow: /a*b$\nDisallow: /%7Ex/%2a%23\nCrawl-delay: 2.5\n",
        "User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /\xE4\xBD\xA0 x\nDisallow:\nAllow: *\n"}) {
    CAPTURE(text);
    const RobotsRules rules = RobotsRules::parse(text, "linkherd");
    CHECK(RobotsRules::parse(rules.text(), "linkherd") == rules);
  }
  CHECK(RobotsRules::parse(RobotsRules::disallow_all().text(), "linkherd") == RobotsRules::disallow_all());
}

TEST_CASE("a robots file is bounded in its rules and in the time to match a path") {
  std::string text = "User-agent: *\nDisallow: /first\n";
  for (int i = 0; i < 30'000; ++i) text += "Disallow: /*a*b\n";
  const RobotsRules wildcards = RobotsRules::parse(text, "linkherd");
  CHECK(wildcards.text().size() < 20'000);
  CHECK_FALSE(wildcards.allows("/first"));
  const std::string path = "/" + std::string(60'000, 'a');
  for (int i = 0; i < 20; ++i)
    CHECK(wildcards.allows(path));  // without limits this would block the fetch thread for minutes

  text = "User-agent: *\n";
  for (int i = 0; i < 30'000; ++i) text += "Allow: /" + std::to_string(i) + "\n";
  CHECK(RobotsRules::parse(text, "linkherd").text().size() < 200'000);
}
