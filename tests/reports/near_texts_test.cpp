// Tests near duplicates among many texts. To print the figures of the labelled pairs: reports_tests -s -tc="near
// duplicates over labelled pairs".
#include "reports/near_texts.h"

#include <array>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "parser/html/html_document.h"
#include "parser/html/main_text.h"
#include "parser/metadata/extract_metadata.h"
#include "report_fixture.h"
#include "tests/support/page_pairs/page_pairs.h"

using namespace linkherd;
using namespace linkherd::reports;

namespace {

class Signatures {
 public:
  parser::MinHash unrelated() { return {random_(), random_(), random_(), random_()}; }
  // Returns a copy with `bits` of the 256 bits changed.
  parser::MinHash changed(parser::MinHash minhash, std::size_t bits) {
    std::set<std::size_t> indexes;
    while (indexes.size() < bits) indexes.insert(random_() % 256);
    for (const std::size_t index : indexes) minhash[index / 64] ^= std::uint64_t{1} << index % 64;
    return minhash;
  }

 private:
  std::mt19937_64 random_{20261122};
};

NearText text_on(std::uint32_t number, const parser::MinHash& minhash, std::uint32_t host, std::uint32_t title) {
  return {minhash, number, number, host, title};
}

storage::CheckedLink link_of_page(const tests::MadePage& page, unsigned line) {
  storage::CheckedLink made = alive("a.md", line, page.url, "body " + std::to_string(line));
  const parser::Url url = parser::Url::parse(page.url).value();
  const parser::HtmlDocument document = parser::HtmlDocument::parse(page.html);
  made.state.snapshot.metadata = parser::extract_metadata(document, &url, at("2026-03-05T10:00:00Z"));
  made.state.snapshot.main_text = parser::compute_signature(parser::main_text(document, std::size_t{64} << 10).text);
  return made;
}

struct PairCount {
  std::size_t pairs = 0, found = 0;
};

}  // namespace

TEST_CASE("texts that share most of their signature are one group whatever lies between them") {
  Signatures signatures;
  std::vector<NearText> texts;
  for (std::uint32_t i = 0; i < 20'000; ++i) texts.push_back(text_on(i, signatures.unrelated(), i, i));
  texts[15'000].minhash = signatures.changed(texts[7].minhash, 20);
  texts[19'999].minhash = signatures.changed(texts[15'000].minhash, 10);
  texts[30].minhash = signatures.changed(texts[29].minhash, 40);  // similarity 0.69
  const std::vector<NearGroup> groups = find_near_texts(texts);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].texts == std::vector<std::uint32_t>{7, 15'000, 19'999});
  CHECK(groups[0].similarity == doctest::Approx(1 - 20 / 128.0).epsilon(0.1));
  CHECK(find_near_texts({}).empty());
}

TEST_CASE("pages of one template are no group and copies on many sites are one") {
  Signatures signatures;
  const parser::MinHash shared = signatures.unrelated();
  const auto pages = [&](std::uint32_t number, bool one_host, bool one_title) {
    std::vector<NearText> texts;
    for (std::uint32_t i = 0; i < number; ++i) {
      texts.push_back(text_on(i, signatures.changed(shared, 8), one_host ? 1 : i, one_title ? 1 : i));
    }
    return find_near_texts(texts).size();
  };
  CHECK(pages(3, false, false) == 1);
  CHECK(pages(8, false, true) == 1);
  CHECK(pages(8, false, false) == 0);
  CHECK(pages(8, true, true) == 1);
  CHECK(pages(2, true, false) == 0);
}

TEST_CASE("many copies of one text take no quadratic time") {
  Signatures signatures;
  const parser::MinHash shared = signatures.unrelated();
  std::vector<NearText> texts;
  for (std::uint32_t i = 0; i < 100'000; ++i) texts.push_back(text_on(i, shared, i, 1));
  const std::vector<NearGroup> groups = find_near_texts(texts);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].texts.size() == texts.size());
}

TEST_CASE("near duplicates over labelled pairs") {
  std::map<std::pair<bool, std::string>, PairCount> kinds;
  PairCount positive, negative;
  for (const tests::PagePair& pair : tests::near_pairs()) {
    const LinksInMemory links{link_of_page(pair.one, 1), link_of_page(pair.other, 2)};
    const std::size_t found = find_duplicates(links, DuplicateScope::across).empty() ? 0 : 1;
    for (PairCount* count : {&kinds[{pair.is_positive, pair.kind}], pair.is_positive ? &positive : &negative}) {
      ++count->pairs;
      count->found += found;
    }
  }
  for (const auto& [kind, count] : kinds) {
    MESSAGE(fmt::format("{:5} {:20} {:4} pairs {:4} found", kind.first ? "near" : "far", kind.second, count.pairs,
                        count.found));
  }
  const double precision = static_cast<double>(positive.found) / static_cast<double>(positive.found + negative.found);
  const double recall = static_cast<double>(positive.found) / static_cast<double>(positive.pairs);
  MESSAGE(fmt::format("precision {:.3f}, recall {:.3f}", precision, recall));
  CHECK(positive.pairs + negative.pairs >= 200);
  CHECK(precision >= 0.95);
  CHECK(recall >= 0.90);
}
