#include "crawler/sources/link_filter.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace linkherd::crawler;

namespace {

std::vector<SourcedPattern> given(const std::vector<std::string>& patterns, const char* source) {
  std::vector<SourcedPattern> all;
  for (const std::string& pattern : patterns) all.push_back({source, pattern});
  return all;
}

LinkFilter filter_of(const std::vector<std::string>& include, const std::vector<std::string>& exclude,
                     const std::vector<std::string>& remap = {}) {
  LinkFilterOptions options;
  options.include = given(include, "--include");
  options.exclude = given(exclude, "--exclude");
  options.remap = remap;
  auto filter = LinkFilter::make(options);
  REQUIRE(filter.has_value());
  return std::move(filter).value();
}

std::string cause(const LinkFilter& filter, const std::string& url) {
  const auto exclusion = filter.excludes(url, url);
  return exclusion ? exclusion->rule + ": " + exclusion->evidence : "wanted";
}

}  // namespace

TEST_CASE("exclude patterns win unless an include pattern matches and each has its cause") {
  using Patterns = std::vector<std::string>;
  struct Row {
    Patterns include;
    Patterns exclude;
    std::string url;
    std::string cause;
  };
  const std::vector<Row> rows = {
      {{}, {}, "https://a.cn/", "wanted"},
      {{}, {"a\\.cn"}, "https://a.cn/", "exclude: --exclude matches: a\\.cn"},
      {{}, {"b\\.cn"}, "https://a.cn/", "wanted"},
      {{}, {"x", "^https", "a"}, "https://a.cn/", "exclude: --exclude matches: ^https"},
      {{}, {"^a\\.cn"}, "https://a.cn/", "wanted"},
      {{"a\\.cn"}, {}, "https://a.cn/", "wanted"},
      {{"a\\.cn"}, {}, "https://b.cn/", "include: no --include matches"},
      // As in lychee, --include takes precedence. If both options are given, links that match neither are checked.
      {{"a\\.cn/keep"}, {"a\\.cn"}, "https://a.cn/keep", "wanted"},
      {{"a\\.cn/keep"}, {"a\\.cn"}, "https://a.cn/", "exclude: --exclude matches: a\\.cn"},
      {{"a\\.cn/keep"}, {"a\\.cn"}, "https://b.cn/", "wanted"},
      {{}, {"(?i)A\\.CN"}, "https://a.cn/", "exclude: --exclude matches: (?i)A\\.CN"},
      {{}, {"中文"}, "https://a.cn/中文", "exclude: --exclude matches: 中文"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.url);
    CHECK(cause(filter_of(row.include, row.exclude), row.url) == row.cause);
  }
}

TEST_CASE("a pattern matches the text as written or as resolved") {
  const LinkFilter filter = filter_of({}, {"^\\.\\./", "^https://a\\.cn/b$"});
  CHECK(filter.excludes("../b", "https://a.cn/c").has_value());
  CHECK(filter.excludes("b", "https://a.cn/b").has_value());
  CHECK(filter.excludes("../b", "").has_value());
  CHECK_FALSE(filter.excludes("b", "").has_value());
}

TEST_CASE("empty patterns and patterns with NUL are refused") {
  for (const std::string& pattern : {std::string(), std::string("a\0b", 3)}) {
    LinkFilterOptions options;
    options.exclude = given({pattern}, "--exclude");
    const auto filter = LinkFilter::make(options);
    REQUIRE(filter.has_error());
    CHECK(filter.error().message.starts_with("--exclude: "));
  }
  LinkFilterOptions options;
  options.schemes = {""};
  CHECK(LinkFilter::make(options).has_error());
  options.schemes = {"https:"};
  CHECK(cause(LinkFilter::make(options).value(), "https://a.cn/") == "wanted");
}

TEST_CASE("schemes that are not requested are excluded") {
  LinkFilterOptions options;
  options.schemes = {"HTTPS", "mailto"};
  const auto filter = LinkFilter::make(options);
  REQUIRE(filter.has_value());
  CHECK(cause(*filter, "https://a.cn/") == "wanted");
  CHECK(cause(*filter, "mailto:a@b.cn") == "wanted");
  CHECK(cause(*filter, "http://a.cn/") == "scheme: --scheme does not include http");
}

TEST_CASE("links are remapped by the first matching pattern") {
  struct Row {
    std::string remap;
    std::string href;
    std::string rewritten;
  };
  const std::vector<Row> rows = {
      {"https://a.cn http://localhost:8080", "https://a.cn/x", "http://localhost:8080/x"},
      {"^https://([a-z]+)\\.cn/(.*) https://$1.example/$2", "https://b.cn/x/y", "https://b.example/x/y"},
      {"^https://(?P<host>[a-z]+)\\.cn https://${host}.example", "https://b.cn/x", "https://b.example/x"},
      {"cn/(.) cn/${1}0", "https://b.cn/x", "https://b.cn/x0"},
      {"x $$y", "https://b.cn/x", "https://b.cn/$y"},
      {"x \\1", "https://b.cn/x", "https://b.cn/\\1"},
      {"  x \t y ", "https://b.cn/x", "https://b.cn/y"},
      {"a b", "https://c.cn/", "(as it was)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.remap);
    const LinkFilter filter = filter_of({}, {}, {row.remap, "zzz zz"});
    CHECK(filter.remapped(row.href).value_or("(as it was)") == row.rewritten);
  }
  CHECK(filter_of({}, {}, {"a 1", "https://a 2"}).remapped("https://a.cn") == "https://1.cn");
}

TEST_CASE("an unusable pattern is named with its location") {
  struct Row {
    LinkFilterOptions options;
    std::string named;
  };
  const std::vector<Row> rows = {
      {{{}, {{".lycheeignore:3", "("}}, {}, {}}, ".lycheeignore:3: the pattern ("},
      {{{{"--include", "a(?=b)"}}, {}, {}, {}}, "--include: the pattern a(?=b)"},
      {{{}, {{"--exclude", std::string(10'000, 'a')}}, {}, {}}, "--exclude: the pattern is longer"},
      {{{}, {}, {"only"}, {}}, "--remap: it must be a pattern and a replacement"},
      {{{}, {}, {"a b c"}, {}}, "--remap: it must be a pattern and a replacement"},
      {{{}, {}, {""}, {}}, "--remap: it must be a pattern and a replacement"},
      {{{}, {}, {"( b"}, {}}, "--remap: the pattern ("},
      {{{}, {}, {"a $1"}, {}}, "--remap: $1 names a group"},
      {{{}, {}, {"a ${b"}, {}}, "--remap: ${b names a group"},
      {{{}, {}, {"a $"}, {}}, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.named);
    const auto filter = LinkFilter::make(row.options);
    CHECK(filter.has_error() == !row.named.empty());
    if (filter.has_error()) CHECK(filter.error().message.starts_with(row.named));
  }
}

TEST_CASE("hostile patterns and texts take linear time") {
  const LinkFilter filter = filter_of({}, {"(x+x+)+y", "^(a|aa)+$"}, {"x xxxxxxxxxx"});
  const std::string url = "https://h/" + std::string(200'000, 'x');
  CHECK_FALSE(filter.excludes(url, url).has_value());
  CHECK_FALSE(filter.remapped(url).has_value());  // would be longer than any URL
}

TEST_CASE("ignore files have one pattern per line") {
  const std::vector<SourcedPattern> patterns =
      patterns_in("# comment\n\n  ^https://a\\.cn  \r\n#x\nb\\.cn#part", ".lycheeignore");
  CHECK(patterns ==
        std::vector<SourcedPattern>{{".lycheeignore:3", "^https://a\\.cn"}, {".lycheeignore:5", "b\\.cn#part"}});
  CHECK(patterns_in("", "x").empty());
}

TEST_CASE("paths are excluded by patterns") {
  auto filter = PathFilter::make({"^vendor/", "\\.tmp\\.md$"});
  REQUIRE(filter.has_value());
  CHECK(filter->excludes("vendor/a.md") == "^vendor/");
  CHECK(filter->excludes("docs/a.tmp.md") == "\\.tmp\\.md$");
  CHECK_FALSE(filter->excludes("docs/vendor/a.md").has_value());
  CHECK_FALSE(PathFilter().excludes("x").has_value());
  CHECK(PathFilter::make({"("}).has_error());
}
