// Tests every site of the table against pages in the shape of the real ones: pages/NAME.html with the expected result
// in pages/NAME.json.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>
#include <doctest/doctest.h>

#include "parser/html/sanitizer_output.h"
#include "parser/metadata/extractors/site_rule_table.h"
#include "tests/parser/metadata/extract_fixture.h"
#include "tests/parser/metadata/saved_pages.h"

using namespace linkherd;
using namespace linkherd::parser;

namespace {

// Returns the segments of a path without the query.
std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    segments.push_back(path.substr(0, path.find('/')));
    path.remove_prefix(segments.back().size());
  }
  if (!segments.empty() && segments.back().empty()) segments.pop_back();
  return segments;
}

bool applies(const SiteRule& rule, const Url& url) {
  if (url.host() != rule.host && !url.host().ends_with("." + std::string(rule.host))) return false;
  const bool whole = rule.path.ends_with('$');
  const std::vector<std::string_view> wanted = segments_of(rule.path.substr(0, rule.path.size() - (whole ? 1 : 0)));
  const std::vector<std::string_view> found = segments_of(url.path());
  if (whole ? found.size() != wanted.size() : found.size() < wanted.size()) return false;
  return std::equal(wanted.begin(), wanted.end(), found.begin(),
                    [](std::string_view segment, std::string_view is) { return segment == "*" || segment == is; });
}

}  // namespace

TEST_CASE("seed list sites give title and authors and dates") {
  for (const tests::SavedPage& saved : tests::saved_pages()) {
    CAPTURE(saved.name);
    const Metadata metadata = metadata_of(saved.html, saved.url);
    CHECK(text_of(metadata.title) == saved.title);
    CHECK(names_of(metadata.authors) == saved.authors);
    CHECK(text_of(metadata.published) == saved.published);
    CHECK(text_of(metadata.modified) == saved.modified);
  }
}

TEST_CASE("every rule in the table of site rules has a page that shows it") {
  // Returns the result of the first rule that applies to a page. Rules for one path are adjacent.
  std::set<std::pair<std::string_view, std::string_view>> shown;
  for (const tests::SavedPage& saved : tests::saved_pages()) {
    const Url url = Url::parse(saved.url).value();
    const auto rule =
        std::ranges::find_if(site_rules(), [&](const SiteRule& candidate) { return applies(candidate, url); });
    if (rule != site_rules().end()) shown.insert({rule->host, rule->path});
  }
  for (const SiteRule& rule : site_rules()) {
    CAPTURE(rule.host);
    CAPTURE(rule.path);
    CHECK(shown.contains({rule.host, rule.path}));
  }
}

TEST_CASE("a site rule marks its result with high confidence") {
  const auto& pages = tests::saved_pages();
  const auto saved = std::ranges::find(pages, "zhihu_column", &tests::SavedPage::name);
  REQUIRE(saved != pages.end());
  const Metadata metadata = metadata_of(saved->html, saved->url);
  CHECK(metadata.title->source == "site:zhihu");
  CHECK(metadata.authors->source == "site:zhihu");
  CHECK(metadata.published->source == "site:zhihu");
  CHECK(metadata.title->confidence > 0.9);
}

TEST_CASE("a site rule without data falls back and invents nothing") {
  const Metadata gone = metadata_of("<title>安全验证 - 知乎</title>", "https://zhuanlan.zhihu.com/p/1");
  CHECK_FALSE(gone.title.has_value());
  CHECK_FALSE(gone.authors.has_value());
  CHECK_FALSE(gone.published.has_value());
  const Metadata broken =
      metadata_of(R"(<title>标题 - 知乎</title><script id="js-initialData">{"initialState":{"entities":[[[</script>)",
                  "https://zhuanlan.zhihu.com/p/1");
  CHECK(text_of(broken.title) == "标题");
  const Metadata wechat = metadata_of("<title>微信公众平台</title>", "https://mp.weixin.qq.com/s/x");
  CHECK_FALSE(wechat.title.has_value());
}

TEST_CASE("the sanitizer keeps every attribute that a site rule needs") {
  std::size_t asked = 0;
  for (const SiteRule& rule : site_rules()) {
    if (rule.where != ValueSource::element) continue;
    CAPTURE(rule.location);
    for (std::size_t at = rule.location.find_first_of("@["); at != std::string_view::npos;
         at = rule.location.find_first_of("@[", at + 1)) {
      const std::string_view name = rule.location.substr(at + 1, rule.location.find_first_of("^=]", at) - at - 1);
      CAPTURE(name);
      CHECK(kept_attribute(name) < kept_attributes.size());
      ++asked;
    }
  }
  CHECK(asked > 50);
}
