// Tests how well candidates are proven to be the page of a dead link.
#include "crawler/lookups/relocation_proof.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/html/text_signature.h"
#include "parser/url/url.h"
#include "storage/snapshot.h"
#include "storage/verdict.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

// A text of `count` words, different for each seed. The first `foreign` words are those of another seed.
std::string text_of(unsigned seed, std::size_t count, std::size_t foreign = 0) {
  static const std::vector<std::string> syllables{"ka",  "lo", "mi",  "ru",  "te",  "sna",
                                                  "bri", "vo", "del", "pur", "gan", "ost"};
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = (i + 1) * 0x9E3779B97F4A7C15U + (i < foreign ? 977U : seed) * 0xBF58476D1CE4E5B9U;
    value = (value ^ value >> 29U) * 0x94D049BB133111EBU;
    value ^= value >> 32U;
    for (int k = 0; k < 3; ++k, value /= 12) text += syllables[value % 12];
    text += i % 12 == 11 ? ". " : " ";
  }
  return text;
}

struct Page {
  std::string url;
  std::string title = "Kerning tables for Garamond";
  std::vector<std::string> authors = {};
  std::string published = {};
  std::string text = text_of(1, 400);
  std::string site_name = {};
  storage::Health health = storage::Health::alive;
};

storage::Snapshot snapshot_of(const Page& page) {
  storage::Snapshot snapshot;
  snapshot.verdict = storage::without_request(page.health, "http_200", "status", "");
  snapshot.metadata.title = {page.title, "h1", 0.9};
  if (!page.authors.empty()) snapshot.metadata.authors = {page.authors, "json_ld", 0.9};
  if (!page.published.empty()) snapshot.metadata.published = {page.published, "json_ld", 0.9};
  if (!page.site_name.empty()) snapshot.metadata.site_name = {page.site_name, "json_ld", 0.9};
  snapshot.main_text = parser::compute_signature(page.text);
  return snapshot;
}

struct Given {
  Page old_page{.url = "https://press.example.org/type/kerning.html"};
  Page candidate{.url = "https://press.example.org/library/kerning"};
  RelocationContext context;
};

// `with_text`: the main texts are compared instead of their signatures.
std::optional<RelocationProof> prove(const Given& given, bool with_text) {
  const parser::Url old_url = parser::Url::parse(given.old_page.url).value();
  const parser::Url new_url = parser::Url::parse(given.candidate.url).value();
  const storage::Snapshot old_snapshot = snapshot_of(given.old_page);
  const storage::Snapshot new_snapshot = snapshot_of(given.candidate);
  const PageVersion old_page{old_url, old_snapshot, with_text ? std::string_view(given.old_page.text) : ""};
  const PageVersion candidate{new_url, new_snapshot, with_text ? std::string_view(given.candidate.text) : ""};
  return prove_relocation(old_page, candidate, given.context);
}

struct ProofCase {
  std::string kind;
  std::function<void(Given&)> change;
  std::optional<RelocationLevel> expected;
};

const std::vector<ProofCase> proof_cases{
    {"the same page", [](Given&) {}, RelocationLevel::sure},
    {"a few words edited", [](Given& g) { g.candidate.text = text_of(1, 400, 20); }, RelocationLevel::sure},
    {"another title, the same author",
     [](Given& g) {
       g.candidate.title = "Tables of kerning pairs";
       g.old_page.authors = g.candidate.authors = {"Ada Quill"};
     },
     RelocationLevel::sure},
    {"another title, the same date",
     [](Given& g) {
       g.candidate.title = "Tables of kerning pairs";
       g.old_page.published = "2019-03-05";
       g.candidate.published = "2019-03-05T10:20:00Z";
     },
     RelocationLevel::sure},
    {"the text alone", [](Given& g) { g.candidate.title = "Something else entirely"; }, RelocationLevel::possibly},
    {"a third of the text edited", [](Given& g) { g.candidate.text = text_of(1, 400, 80); }, RelocationLevel::probably},
    {"a third of the text edited, a title of every page",
     [](Given& g) {
       g.candidate.text = text_of(1, 400, 80);
       g.old_page.title = g.candidate.title = "Home";
     },
     RelocationLevel::possibly},
    {"another text under the same title", [](Given& g) { g.candidate.text = text_of(2, 400); },
     RelocationLevel::possibly},
    {"a neighbour with the same template", [](Given& g) { g.context.rival_similarity = 0.95; },
     RelocationLevel::possibly},
    {"another dead link ends there", [](Given& g) { g.context.is_shared = true; }, RelocationLevel::possibly},
    {"a short text", [](Given& g) { g.old_page.text = g.candidate.text = text_of(1, 70); }, RelocationLevel::probably},
    {"another domain with most of the text",
     [](Given& g) {
       g.candidate.url = "https://copies.example.net/kerning";
       g.candidate.text = text_of(1, 400, 30);
     },
     RelocationLevel::probably},
    {"another domain with the whole text", [](Given& g) { g.candidate.url = "https://new-press.example.net/kerning"; },
     RelocationLevel::sure},
    {"another domain with most of the text, and a redirect",
     [](Given& g) {
       g.candidate.url = "https://new-press.example.net/kerning";
       g.candidate.text = text_of(1, 400, 20);
       g.context.has_redirect = true;
     },
     RelocationLevel::sure},
    {"the next edition",
     [](Given& g) {
       g.old_page.title = "Garamond specimen book 2019";
       g.candidate.title = "Garamond specimen book 2020";
     },
     RelocationLevel::newer},
    {"the second edition",
     [](Given& g) {
       g.old_page.title = "Garamond specimen, first edition";
       g.candidate.title = "Garamond specimen, second edition";
     },
     RelocationLevel::newer},
    {"another version in the address",
     [](Given& g) {
       g.old_page.url = "https://press.example.org/v1/kerning";
       g.candidate.url = "https://press.example.org/v2/kerning";
     },
     RelocationLevel::newer},
    {"another major version without v",
     [](Given& g) {
       g.old_page.url = "https://press.example.org/press/7/kerning";
       g.candidate.url = "https://press.example.org/press/8/kerning";
     },
     RelocationLevel::newer},
    {"another series of versions",
     [](Given& g) {
       g.old_page.url = "https://press.example.org/1.x/kerning";
       g.candidate.url = "https://press.example.org/2.x/kerning";
     },
     RelocationLevel::newer},
    {"another language",
     [](Given& g) {
       g.old_page.url = "https://press.example.org/en/kerning";
       g.candidate.url = "https://press.example.org/de/kerning";
     },
     RelocationLevel::possibly},
    {"a link on the old page to another domain",
     [](Given& g) {
       g.candidate.url = "https://copies.example.net/kerning";
       g.context.source = storage::RelocationSource::old_page;
     },
     RelocationLevel::probably},
    {"a link on the old page to the same domain",
     [](Given& g) { g.context.source = storage::RelocationSource::old_page; }, RelocationLevel::sure},
    {"another link of the entry", [](Given& g) { g.context.source = storage::RelocationSource::entry; },
     RelocationLevel::possibly},
    {"a page of a user whose neighbour moved to another domain",
     [](Given& g) {
       g.old_page.url = "https://press.example.org/~ada/kerning.html";
       g.candidate.url = "https://copies.example.net/~ada/kerning.html";
       g.context.source = storage::RelocationSource::other_pages;
       g.context.explaining_moves = 1;
     },
     RelocationLevel::probably},
    {"a host whose other page moved to another domain",
     [](Given& g) {
       g.candidate.url = "https://new-press.example.net/type/kerning.html";
       g.context.source = storage::RelocationSource::other_pages;
       g.context.explaining_moves = 1;
     },
     RelocationLevel::sure},
    {"an address that documents should not have",
     [](Given& g) { g.candidate.url = "https://press.example.org/library/kerning?sessionid=5f3a9c"; },
     RelocationLevel::probably},
    {"a date that disappears from the address",
     [](Given& g) { g.old_page.url = "https://press.example.org/2014/05/kerning"; }, RelocationLevel::sure},
    {"the only archived redirect there, the same title",
     [](Given& g) {
       g.candidate.text = text_of(2, 400);
       g.context.has_redirect = true;
     },
     RelocationLevel::probably},
    {"as three other pages, with words of the title",
     [](Given& g) {
       g.candidate.title = "Kerning tables";
       g.candidate.text = text_of(2, 400);
       g.context.explaining_moves = 3;
     },
     RelocationLevel::probably},
    {"an older edition",
     [](Given& g) {
       g.old_page.title = "Garamond specimen book 2019";
       g.candidate.title = "Garamond specimen book 2017";
     },
     RelocationLevel::possibly},
    {"an older version in the address",
     [](Given& g) {
       g.old_page.url = "https://press.example.org/2.10/kerning";
       g.candidate.url = "https://press.example.org/2.9/kerning";
     },
     RelocationLevel::possibly},
    {"the only file of its name",
     [](Given& g) {
       g.candidate.title = "docs/kerning.md at main";
       g.context.is_only_file_of_name = true;
     },
     RelocationLevel::sure},
    {"site and repository",
     [](Given& g) {
       g.candidate.url = "https://codeberg.org/press/kerning";
       g.candidate.text = text_of(2, 400);
       g.context.is_same_project = true;
     },
     RelocationLevel::project},
    {"repository and the home page of its site",
     [](Given& g) {
       g.candidate.url = "https://kerning.example.net/";
       g.candidate.text = text_of(2, 400);
       g.context.is_same_project = true;
     },
     RelocationLevel::project},
    {"nothing in common",
     [](Given& g) {
       g.candidate.title = "Opening hours";
       g.candidate.text = text_of(2, 400);
     },
     std::nullopt},
    {"a dead page", [](Given& g) { g.candidate.health = storage::Health::dead; }, std::nullopt},
    {"a wall", [](Given& g) { g.candidate.health = storage::Health::blocked; }, std::nullopt},
    {"a soft 404", [](Given& g) { g.candidate.health = storage::Health::suspect; }, std::nullopt},
    {"the home page", [](Given& g) { g.candidate.url = "https://press.example.org/"; }, std::nullopt},
};

}  // namespace

TEST_CASE("relocation proof: levels") {
  for (const ProofCase& item : proof_cases) {
    CAPTURE(item.kind);
    Given given;
    item.change(given);
    for (const bool with_text : {true, false}) {
      CAPTURE(with_text);
      const std::optional<RelocationProof> proof = prove(given, with_text);
      REQUIRE(proof.has_value() == item.expected.has_value());
      if (proof)
        CHECK(enum_name(storage::relocation_level_names, proof->level) ==
              enum_name(storage::relocation_level_names, *item.expected));
    }
  }
}

TEST_CASE("relocation proof: the evidence names what agrees") {
  Given given;
  given.old_page.authors = given.candidate.authors = {"Ada Quill"};
  CHECK(prove(given, true)->evidence == "same title, same author, 100 % of the text");
  CHECK(prove(given, false)->evidence == "same title, same author, about 100 % of the text");
  given.context = {.has_redirect = true, .explaining_moves = 1};
  CHECK(prove(given, true)->evidence ==
        "same title, same author, 100 % of the text, a redirect of its host, as 1 other page of its host");
}

TEST_CASE("relocation proof: other numbers in the text are another page") {
  const std::string times = " 6.10 7.40 9.05 12.30 14.20 18.45";
  const std::string other_times = " 5.15 8.20 10.35 13.50 15.25 19.55";
  Given given;
  given.old_page.text += times;
  given.candidate.text += other_times;
  CHECK(prove(given, true)->level == RelocationLevel::possibly);
  given.candidate.text = given.old_page.text;
  CHECK(prove(given, true)->level == RelocationLevel::sure);
}

TEST_CASE("relocation proof: pages without title and text, and hostile ones") {
  Given given;
  given.old_page.title.clear();
  given.old_page.text.clear();
  CHECK_FALSE(prove(given, true).has_value());
  given.old_page.title = given.candidate.title = std::string(2'000'000, '7') + std::string(1000, '\xff');
  given.old_page.text = given.candidate.text = std::string(5'000'000, 'x') + " " + std::string(100'000, '\xc3');
  const std::optional<RelocationProof> proof = prove(given, true);
  CHECK((!proof || proof->level == RelocationLevel::possibly));
}

TEST_CASE("relocation proof: numbers of the text decide between pages of one template") {
  const std::string words = text_of(1, 400);
  Given given;
  given.old_page.text = words + " 11 25 37 48 59 61";
  for (const auto& [numbers, expected] :
       std::vector<std::pair<std::string, RelocationLevel>>{{"11 25 37 48 59 61", RelocationLevel::sure},
                                                            {"11 25 37 48 59 62", RelocationLevel::sure},
                                                            {"11 25 37 12 13 14", RelocationLevel::probably},
                                                            {"71 72 73 74 75 76", RelocationLevel::possibly}}) {
    CAPTURE(numbers);
    given.candidate.text = words + " " + numbers;
    CHECK(enum_name(storage::relocation_level_names, prove(given, true)->level) ==
          enum_name(storage::relocation_level_names, expected));
  }
  given.old_page.text = words + " 11 25 37";
  given.candidate.text = words + " 71 72 73";
  CHECK(prove(given, true)->level == RelocationLevel::possibly);

  // The numbers of the old page are not known, and the candidate has many.
  std::string timetable;
  for (int i = 0; i < 60; ++i) timetable += " " + std::to_string(100 + i);
  given.candidate.text = words + timetable;
  const parser::Url old_url = parser::Url::parse(given.old_page.url).value();
  const parser::Url new_url = parser::Url::parse(given.candidate.url).value();
  const storage::Snapshot old_snapshot = snapshot_of(given.old_page);
  const storage::Snapshot new_snapshot = snapshot_of(given.candidate);
  CHECK(prove_relocation({old_url, old_snapshot}, {new_url, new_snapshot, given.candidate.text}, {})->level ==
        RelocationLevel::probably);
  CHECK(prove_relocation({old_url, old_snapshot}, {new_url, new_snapshot, words}, {})->level == RelocationLevel::sure);
}

TEST_CASE("relocation proof: a page without any word of the old name is another page") {
  Given given;
  given.old_page.url = "https://press.example.org/tours/berlin.html";
  given.candidate.url = "https://press.example.org/tours/munich.html";
  given.old_page.title = given.candidate.title = "Guided tours for printers";
  given.old_page.text = "Berlin. " + text_of(1, 400);
  given.candidate.text = "Munich. " + text_of(1, 400);
  CHECK(prove(given, true)->level == RelocationLevel::possibly);
  given.candidate.text = "Berlin. " + text_of(1, 400);
  CHECK(prove(given, true)->level == RelocationLevel::sure);
}
