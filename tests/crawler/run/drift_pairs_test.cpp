// Runs the labelled pairs of pages through the analysis and the drift rule, as the result recorder does with a page
// that it has read before. To print the figures: run_tests -s -tc="drift over labelled pairs".
#include <cstddef>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "crawler/classify/content_drift.h"
#include "crawler/run/page_analysis.h"
#include "tests/support/page_pairs/page_pairs.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

AnalyzedPage analyzed(const tests::MadePage& page, Timestamp now) {
  const parser::Url url = parser::Url::parse(page.url).value();
  FetchResult result(FetchRequest(storage::LinkId::of(url), url.href()));
  result.response.status = 200;
  result.response.headers.push_back({"content-type", "text/html; charset=utf-8"});
  result.response.body = page.html;
  return analyze(std::move(result), {.max_body = 1 << 20, .read_pdf = {}, .rules = nullptr, .secrets = {}}, now);
}

bool is_reported(const tests::PagePair& pair) {
  const Timestamp now = parse_timestamp("2026-03-05T10:00:00Z").value();
  const AnalyzedPage first = analyzed(pair.one, now);
  REQUIRE(is_comparable(first.snapshot));
  const AnalyzedPage later = analyzed(pair.other, now);
  if (!page_exists(later.snapshot.verdict)) return true;
  return find_content_drift(first.snapshot, {later.url, later.snapshot, later.visible}).has_value();
}

struct Count {
  std::size_t pairs = 0, reported = 0;
};

}  // namespace

TEST_CASE("drift over labelled pairs") {
  std::map<std::pair<bool, std::string>, Count> kinds;
  Count positive, negative;
  const std::vector<tests::PagePair> pairs = tests::drift_pairs();
  for (const tests::PagePair& pair : pairs) {
    const std::size_t reported = is_reported(pair) ? 1 : 0;
    for (Count* count : {&kinds[{pair.is_positive, pair.kind}], pair.is_positive ? &positive : &negative}) {
      ++count->pairs;
      count->reported += reported;
    }
  }
  for (const auto& [kind, count] : kinds) {
    MESSAGE(fmt::format("{:5} {:24} {:4} pairs {:4} reported", kind.first ? "drift" : "none", kind.second, count.pairs,
                        count.reported));
  }
  const double precision =
      static_cast<double>(positive.reported) / static_cast<double>(positive.reported + negative.reported);
  const double recall = static_cast<double>(positive.reported) / static_cast<double>(positive.pairs);
  MESSAGE(fmt::format("{} pairs: precision {:.3f}, recall {:.3f}", pairs.size(), precision, recall));
  CHECK(pairs.size() >= 300);
  CHECK(precision >= 0.95);
  CHECK(recall >= 0.95);
}
