// Tests the search for new addresses on made sites. Each kind of move has a site with 30 pages, all of which moved. The
// test answers the requests of the search from memory.
#include "crawler/run/relocation_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "parser/html/html_document.h"
#include "parser/html/main_text.h"
#include "parser/html/text_signature.h"
#include "parser/metadata/extract_metadata.h"
#include "storage/verdict.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

constexpr std::size_t page_count = 30;
const Timestamp now = parse_timestamp("2026-03-05T10:00:00Z").value();

parser::Url parse(std::string_view text) {
  CAPTURE(text);
  auto url = parser::Url::parse(text);
  REQUIRE(url.has_value());
  return *url;
}

const std::vector<std::string> subjects{"kerning", "ligatures", "paper",  "ink",     "press",
                                        "type",    "glue",      "cloth",  "leather", "gilding",
                                        "sewing",  "vellum",    "copper", "stone",   "woodcut"};
const std::vector<std::string> views{"basics", "mistakes", "history", "tools", "recipes", "masters"};

std::string capitalised(std::string word) {
  if (!word.empty()) word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

// A page of a made site. `number` decides on its subject and text.
struct MadePage {
  std::size_t number = 0;
  std::string title_suffix = {};  // such as " 2019"
  std::size_t edited_words = 0;   // that differ from the first version
  bool shares_text = false;       // its text is that of all pages of the site

  std::string slug() const { return subjects[number % 15] + "-" + views[number / 5 % 6]; }
  std::string folder() const { return views[number / 5 % 6]; }
  std::string title() const {
    return fmt::format("{} {} for binders{}", capitalised(subjects[number % 15]), views[number / 5 % 6], title_suffix);
  }
  std::string html() const {
    static const std::vector<std::string> syllables{"ka",  "lo", "mi",  "ru",  "te",  "sna",
                                                    "bri", "vo", "del", "pur", "gan", "ost"};
    std::string text;
    for (std::size_t i = 0; i < 240; ++i) {
      std::uint64_t value = (i + 1) * 0x9E3779B97F4A7C15U +
                            (shares_text ? 5U : number + 100U + (i < edited_words ? 7777U : 0U)) * 0xBF58476D1CE4E5B9U;
      value = (value ^ value >> 29U) * 0x94D049BB133111EBU;
      value ^= value >> 32U;
      for (int k = 0; k < 3; ++k, value /= 12) text += syllables[value % 12];
      text += i % 40 == 39 ? ".</p><p>" : " ";
    }
    return fmt::format(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{0} - Bindery</title></head><body><nav><a "
        "href=/>"
        "Home</a> <a href=/about>About</a></nav><main><article><h1>{0}</h1><p>{1}</p></article></main></body></html>",
        title(), text);
  }
};

// Pages by URL, and redirects of pages that moved before.
struct MadeWeb {
  std::map<std::string, std::string> pages;
  std::size_t requests = 0;

  storage::Snapshot snapshot_of(const parser::Url& url) const {
    storage::Snapshot snapshot;
    snapshot.fetched_at = now;
    snapshot.final_url = std::string(url.href());
    const auto page = pages.find(std::string(url.href()));
    snapshot.status = page == pages.end() ? 404 : 200;
    snapshot.verdict = page == pages.end() ? storage::without_request(storage::Health::dead, "http_404", "status", "")
                                           : storage::without_request(storage::Health::alive, "http_200", "status", "");
    if (page == pages.end() || page->second.find("<html") == std::string::npos) return snapshot;
    const auto document = parser::HtmlDocument::parse(page->second);
    snapshot.metadata = parser::extract_metadata(document, &url, now);
    snapshot.main_text = parser::compute_signature(parser::main_text(document, 1 << 20).text);
    return snapshot;
  }
};

std::string sitemap_of(const std::vector<std::string>& urls) {
  std::string text = "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";
  for (const std::string& url : urls) text += "<url><loc>" + url + "</loc></url>";
  return text + "</urlset>";
}

struct MoveKind {
  std::string name;
  std::function<std::string(const MadePage&)> before;  // the old address
  std::function<std::string(const MadePage&)> after;   // the new one
  bool has_sitemap = true;
  std::size_t seen_moves = 0;    // redirects that the run saw
  std::size_t edited_words = 0;  // of each new page
  bool has_listing_at_home = false;
};

const std::string site = "https://bindery.example.org";
const auto under = [](std::string prefix, std::string end = "") {
  return [=](const MadePage& page) { return site + prefix + page.slug() + end; };
};

const std::vector<MoveKind> kinds{
    {"prefix added", under("/"), under("/guide/")},
    {"prefix removed", under("/guide/"), under("/")},
    {"folders sorted again", [](const MadePage& p) { return site + "/" + p.folder() + "/" + p.slug(); },
     under("/all/")},
    {"date dropped",
     [](const MadePage& p) { return fmt::format("{}/2014/{:02}/{}/", site, p.number % 12 + 1, p.slug()); },
     under("/", "/")},
    {"version changed", under("/docs/1.4/", ".html"), under("/docs/current/", ".html")},
    {"language dropped", under("/en/"), under("/")},
    {"extension dropped", under("/", ".aspx"), under("/")},
    {"case and separators",
     [](const MadePage& p) {
       std::string name = capitalised(p.slug());
       std::ranges::replace(name, '-', '_');
       return site + "/" + name + ".html";
     },
     under("/")},
    {"id kept", [](const MadePage& p) { return fmt::format("{}/show.php?page={}", site, 48'200 + p.number); },
     [](const MadePage& p) { return fmt::format("{}/pages/{}", site, 48'200 + p.number); }},
    {"slug edited", under("/articles/"), under("/articles/all-about-", "-explained")},
    {"text edited", under("/guide/"), under("/handbook/"), true, 0, 14},
    {"sitemap missing", under("/old/"), under("/guide/"), false, 0, 0, true},
    {"other domain with the same path", under("/guide/"),
     [](const MadePage& p) { return "https://new-bindery.example.net/guide/" + p.slug(); }, false, 1},
    {"label to path", [](const MadePage& p) { return "https://guide.bindery.example.org/" + p.slug(); },
     under("/guide/"), false, 2},
};

DeadPage dead_page(const MadePage& page, const parser::Url& url, std::size_t index) {
  MadeWeb old_web;
  old_web.pages[std::string(url.href())] = page.html();
  DeadPage dead{.index = index,
                .url = url,
                .last_good = old_web.snapshot_of(url),
                .main_text = {},
                .link_texts = {page.title()},
                .named_addresses = {},
                .not_found_links = {},
                .entry_links = {}};
  dead.main_text = parser::main_text(parser::HtmlDocument::parse(page.html()), 1 << 20).text;
  return dead;
}

void answer_all(RelocationSearch& search, MadeWeb& web) {
  for (auto requests = search.take_requests(); !requests.empty(); requests = search.take_requests()) {
    for (const FetchRequest& request : requests) {
      const parser::Url url = parse(request.href());
      ++web.requests;
      const auto page = web.pages.find(std::string(url.href()));
      const storage::Snapshot snapshot = web.snapshot_of(url);
      search.handle_response({url, snapshot, page == web.pages.end() ? std::string_view() : page->second});
    }
  }
}

struct Outcome {
  std::size_t sure = 0;
  std::size_t wrong = 0;  // at any level above `possibly`
  std::size_t requests = 0;
  std::vector<FoundRelocation> found;
};

Outcome run(const MoveKind& kind) {
  MadeWeb web;
  RelocationSearch search;
  std::vector<std::string> urls;
  std::string home = "<!doctype html><html><head><title>Bindery</title></head><body><h1>Bindery</h1>";
  std::map<std::size_t, std::string> targets;
  const std::size_t all = page_count + kind.seen_moves;
  for (std::size_t i = 0; i < all; ++i) {
    const MadePage after{.number = i, .edited_words = kind.edited_words};
    const std::string target = kind.after(after);
    web.pages[target] = after.html();
    urls.push_back(target);
    home += fmt::format("<p><a href=\"{}\">{}</a></p>", target, after.title());
    targets[i] = target;
    if (i >= page_count) search.note_move(parse(kind.before({.number = i})), parse(target));
  }
  if (kind.has_sitemap) web.pages[site + "/sitemap.xml"] = sitemap_of(urls);
  if (kind.has_listing_at_home) web.pages[site + "/"] = home + "</body></html>";
  for (std::size_t i = 0; i < page_count; ++i) {
    const MadePage before{.number = i};
    search.add(dead_page(before, parse(kind.before(before)), i));
  }
  answer_all(search, web);
  CHECK(search.is_done());
  Outcome outcome;
  outcome.requests = web.requests;
  outcome.found = search.take_results();
  for (const FoundRelocation& found : outcome.found) {
    const bool is_right = found.url.href() == targets.at(found.index);
    if (!is_right && found.proof.level != RelocationLevel::possibly) ++outcome.wrong;
    if (is_right && found.proof.level == RelocationLevel::sure) ++outcome.sure;
  }
  return outcome;
}

}  // namespace

TEST_CASE("relocation search: pages of each kind of move are found and proven") {
  for (const MoveKind& kind : kinds) {
    CAPTURE(kind.name);
    const Outcome outcome = run(kind);
    CAPTURE(outcome.requests);
    CHECK(outcome.wrong == 0);
    CHECK(outcome.sure * 10 >= page_count * 9);
    CHECK(outcome.requests <= page_count * 3 + 6);
  }
}

TEST_CASE("relocation search: deleted pages are not found") {
  MadeWeb web;
  RelocationSearch search;
  std::vector<std::string> urls;
  for (std::size_t i = 0; i < page_count; ++i) {
    urls.push_back(fmt::format("{}/guide/{}", site, MadePage{.number = i}.slug()));
    web.pages[urls.back()] = MadePage{.number = i}.html();
  }
  web.pages[site + "/sitemap.xml"] = sitemap_of(urls);
  for (std::size_t i = 0; i < 200; ++i) {
    const MadePage deleted{.number = 1000 + i * 31, .title_suffix = fmt::format(", part {}", i)};
    search.add(dead_page(deleted, parse(fmt::format("{}/old/{}-{}", site, deleted.slug(), i)), i));
  }
  answer_all(search, web);
  std::size_t claimed = 0;
  for (const FoundRelocation& found : search.take_results())
    claimed += found.proof.level == RelocationLevel::sure || found.proof.level == RelocationLevel::probably ? 1U : 0U;
  CHECK(claimed == 0);
}

TEST_CASE("relocation search: pages of one template are not sure") {
  MadeWeb web;
  RelocationSearch search;
  std::vector<std::string> urls;
  for (std::size_t i = 0; i < page_count; ++i) {
    const MadePage page{.number = i, .shares_text = true};
    urls.push_back(fmt::format("{}/guide/{}", site, page.slug()));
    std::string html = page.html();
    html.insert(html.find("</main>"),
                fmt::format("<a href=\"/guide/{}\">next</a>", MadePage{.number = (i + 1) % page_count}.slug()));
    web.pages[urls.back()] = html;
  }
  web.pages[site + "/sitemap.xml"] = sitemap_of(urls);
  for (std::size_t i = 0; i < page_count; ++i) {
    const MadePage page{.number = i, .shares_text = true};
    search.add(dead_page(page, parse(fmt::format("{}/old/{}", site, page.slug())), i));
  }
  answer_all(search, web);
  for (const FoundRelocation& found : search.take_results()) CHECK(found.proof.level != RelocationLevel::sure);
}

TEST_CASE("relocation search: without a snapshot an address is possible at most") {
  MadeWeb web;
  const MadePage page{.number = 3};
  const std::string target = site + "/guide/" + page.slug();
  web.pages[target] = page.html();
  web.pages[site + "/sitemap.xml"] = sitemap_of({target});
  RelocationSearch search;
  search.add({.index = 7,
              .url = parse(site + "/" + page.slug()),
              .last_good = std::nullopt,
              .main_text = {},
              .link_texts = {page.title()},
              .named_addresses = {},
              .not_found_links = {},
              .entry_links = {}});
  answer_all(search, web);
  const std::vector<FoundRelocation> results = search.take_results();
  REQUIRE(results.size() == 1);
  CHECK(results[0].index == 7);
  CHECK(results[0].url.href() == target);
  CHECK(results[0].source == RelocationSource::sitemap);
  CHECK(results[0].proof.level == RelocationLevel::possibly);
}

TEST_CASE("relocation search: limits hold on a site that answers everything with the old text") {
  const MadePage page{.number = 3};
  RelocationSearch search(MoveRuleSet::built_in(), {.max_pages = 10});
  std::size_t added = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    const MadePage old_page{.number = i};
    added +=
        search.add(dead_page(old_page, parse(fmt::format("{}/a/b/c/d/{}-{}", site, old_page.slug(), i)), i)) ? 1U : 0U;
  }
  CHECK(added == 10);
  std::set<std::string> requested;
  for (auto requests = search.take_requests(); !requests.empty(); requests = search.take_requests()) {
    for (const FetchRequest& request : requests) {
      const parser::Url url = parse(request.href());
      CHECK(requested.insert(std::string(url.href())).second);
      MadeWeb web;
      web.pages[std::string(url.href())] =
          page.html() + fmt::format("<a href=\"{}/x{}\">x</a>", url.href(), requested.size());
      search.handle_response({url, web.snapshot_of(url), web.pages.begin()->second});
    }
  }
  CHECK(search.is_done());
  CHECK(requested.size() <= 10 * 5 + 6);
}
