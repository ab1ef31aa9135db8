// Tests the search for new addresses on made sites. Each kind of move has a site with 30 pages that moved and eight
// that were deleted. The test answers the requests of the search from memory. Set LINKHERD_SHOW_TABLE to print the
// table of results by kind.
#include "crawler/run/relocation_search.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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

#include "crawler/lookups/archive.h"
#include "parser/html/html_document.h"
#include "parser/html/main_text.h"
#include "parser/html/text_signature.h"
#include "parser/metadata/extract_metadata.h"
#include "parser/url/percent_encoding.h"
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
  std::string end = {};           // HTML at the end of the page, such as links

  std::string slug() const { return subjects[number % 15] + "-" + views[number / 15 % 6]; }
  std::string folder() const { return views[number / 15 % 6]; }
  std::string title() const {
    return fmt::format("{} {} for binders{}", capitalised(subjects[number % 15]), views[number / 15 % 6], title_suffix);
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
        "href=/>Home</a> <a href=/about>About</a></nav><main><article><h1>{0}</h1><p>{1}</p></article></main>{2}"
        "</body></html>",
        title(), text, end);
  }
};

struct MadeResponse {
  storage::Snapshot snapshot;
  std::string body;
};

// Returns the response of a server that answers at `final_url` with this page.
MadeResponse page_response(const parser::Url& final_url, std::string html) {
  storage::Snapshot snapshot;
  snapshot.fetched_at = now;
  snapshot.final_url = std::string(final_url.href());
  snapshot.status = 200;
  snapshot.verdict = storage::without_request(storage::Health::alive, "http_200", "status", "");
  if (html.find("<html") != std::string::npos) {
    const auto document = parser::HtmlDocument::parse(html);
    snapshot.metadata = parser::extract_metadata(document, &final_url, now);
    snapshot.main_text = parser::compute_signature(parser::main_text(document, 1 << 20).text);
  }
  return {std::move(snapshot), std::move(html)};
}

MadeResponse error_response(const parser::Url& url, storage::Health health, int status, std::string_view reason) {
  storage::Snapshot snapshot;
  snapshot.fetched_at = now;
  snapshot.final_url = std::string(url.href());
  snapshot.status = status;
  snapshot.verdict = storage::without_request(health, reason, "status", "");
  return {std::move(snapshot), {}};
}

// Pages by URL. All other addresses have the response of `others`, or 404.
struct MadeWeb {
  std::map<std::string, std::string> pages;
  std::function<std::optional<MadeResponse>(const parser::Url&)> others;
  std::size_t requests = 0;
  std::set<std::string> requested_hosts;

  MadeResponse respond(const parser::Url& url) const {
    if (const auto page = pages.find(std::string(url.href())); page != pages.end())
      return page_response(url, page->second);
    if (others) {
      if (auto response = others(url)) return std::move(*response);
    }
    return error_response(url, storage::Health::dead, 404, "http_404");
  }
};

std::string sitemap_of(const std::vector<std::string>& urls) {
  std::string text = R"(<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">)";
  for (const std::string& url : urls) text += "<url><loc>" + url + "</loc></url>";
  return text + "</urlset>";
}

constexpr std::string_view archive_base = "https://archive.example.net";

// An archive with redirects of some pages, by the old address.
std::optional<MadeResponse> archive_response(const parser::Url& url, const std::map<std::string, std::string>& moves) {
  if (url.origin() != archive_base) return std::nullopt;
  const std::string date = "20190405060708";
  const auto answer = [&url](std::string body) {
    MadeResponse response = error_response(url, storage::Health::alive, 200, "http_200");
    response.body = std::move(body);
    return response;
  };
  for (const auto& [from, to] : moves) {
    const std::string capture = fmt::format("{}/web/{}id_/{}", archive_base, date, from);
    if (url.href() == capture) {
      MadeResponse response = answer("");
      response.snapshot.status = 404;  // the archive does not have the target
      response.snapshot.redirects.push_back({capture, 301, fmt::format("{}/web/{}id_/{}", archive_base, date, to)});
      return response;
    }
    if (url.path() == "/cdx/search/cdx" &&
        url.query().starts_with("url=" + parser::percent_encode_component(from) + "&"))
      return answer(fmt::format(R"([["timestamp","statuscode","original"],["{}","301","{}"]])", date, from));
  }
  return answer("[]");
}

struct MoveKind {
  using Address = std::function<std::string(const MadePage&)>;

  std::string name;
  std::optional<RelocationLevel> level;  // that is expected; nullopt: nothing above `possibly`
  Address before;                        // the old address
  Address after;                         // the new one
  bool has_sitemap = true;
  std::size_t seen_moves = 0;    // redirects that the run saw
  std::size_t edited_words = 0;  // of each new page
  bool has_listing_at_home = false;
  bool has_archived_redirects = false;
  bool is_host_gone = false;
  bool shares_text = false;
  std::string old_suffix = {};  // of the titles
  std::string new_suffix = {};
  std::size_t other_addresses = 0;  // in the sitemap
  Address twin = {};                // the address of a copy, which the sitemap lists first
  std::function<std::optional<MadeResponse>(const parser::Url&)> others = {};
  bool is_project = false;  // the pages link to each other
};

const std::string site = "https://bindery.example.org";
const auto under = [](const std::string& prefix, const std::string& end = "") {
  return [=](const MadePage& page) { return site + prefix + page.slug() + end; };
};
const auto at = [](const std::string& prefix, const std::string& end = "") {
  return [=](const MadePage& page) { return prefix + page.slug() + end; };
};

std::string wall(std::string_view title, std::string_view text) {
  return fmt::format(
      "<!doctype html><html><head><title>{0}</title></head><body><main><h1>{0}</h1><p>{1} {1} {1}</p></main></body>"
      "</html>",
      title, text);
}

// Returns a server that answers all addresses of the site with one page.
auto everywhere(std::string html, std::string_view prefix) {
  return [html = std::move(html), prefix = std::string(prefix)](const parser::Url& url) {
    return url.href().starts_with(prefix) ? std::optional(page_response(url, html)) : std::nullopt;
  };
}

std::optional<MadeResponse> redirect_to_home(const parser::Url& url) {
  if (!url.href().starts_with(site + "/old/")) return std::nullopt;
  MadeResponse response = page_response(parse(site + "/"), wall("Bindery", "Welcome to the bindery of this town"));
  response.snapshot.verdict.health = storage::Health::redirected;
  response.snapshot.redirects.push_back({std::string(url.href()), 301, site + "/"});
  return response;
}

std::optional<MadeResponse> soft_404(const parser::Url& url) {
  if (!url.href().starts_with(site + "/guide/")) return std::nullopt;
  MadeResponse response = page_response(url, wall("Page not found", "The page that you are looking for is not here"));
  response.snapshot.verdict = storage::without_request(storage::Health::suspect, "soft_404", "soft_404", "");
  return response;
}

constexpr auto sure = RelocationLevel::sure;
constexpr std::nullopt_t nothing = std::nullopt;

const std::vector<MoveKind> kinds{
    {"prefix added", sure, under("/"), under("/guide/")},
    {"prefix removed", sure, under("/guide/"), under("/")},
    {"folders sorted again", sure, [](const MadePage& p) { return site + "/" + p.folder() + "/" + p.slug(); },
     under("/all/")},
    {"date dropped", sure,
     [](const MadePage& p) { return fmt::format("{}/2014/{:02}/{}/", site, p.number % 12 + 1, p.slug()); },
     under("/", "/")},
    {"version to current", sure, under("/docs/1.4/", ".html"), under("/docs/current/", ".html")},
    {"version changed", RelocationLevel::newer, under("/docs/1.4/", ".html"), under("/docs/2.0/", ".html")},
    {"language dropped", sure, under("/en/"), under("/")},
    {"extension dropped", sure, under("/", ".aspx"), under("/")},
    {"case and separators", sure,
     [](const MadePage& p) {
       std::string name = capitalised(p.slug());
       std::ranges::replace(name, '-', '_');
       return site + "/" + name + ".html";
     },
     under("/")},
    {"id kept", sure, [](const MadePage& p) { return fmt::format("{}/show.php?page={}", site, 48'200 + p.number); },
     [](const MadePage& p) { return fmt::format("{}/pages/{}", site, 48'200 + p.number); }},
    {"slug edited", sure, under("/articles/"), under("/articles/all-about-", "-explained")},
    {"label to path", sure, at("https://guide.bindery.example.org/"), under("/guide/"), false, 2},
    {"path to label", sure, under("/guide/"), at("https://guide.bindery.example.org/"), false, 2},
    {"top-level domain", sure, at("https://bindery-notes.com/guide/"), at("https://bindery-notes.net/guide/"), false,
     1},
    {"other domain with the same path", sure, under("/guide/"), at("https://new-bindery.example.net/guide/"), false, 1},
    {.name = "whole host moved",
     .level = sure,
     .before = at("https://old-bindery.example.com/a/"),
     .after = at("https://new-bindery.example.net/a/"),
     .has_sitemap = false,
     .seen_moves = 1,
     .is_host_gone = true},
    {.name = "site to forge",
     .level = RelocationLevel::project,
     .before = at("https://", ".example.org/"),
     .after = at("https://codeberg.org/bindery/"),
     .has_sitemap = false,
     .edited_words = 200,
     .new_suffix = ", the source code",
     .is_project = true},
    {.name = "site-wide redirect to home",
     .level = sure,
     .before = under("/old/"),
     .after = under("/guide/"),
     .others = redirect_to_home},
    {.name = "deleted with a soft 404", .level = nothing, .before = under("/old/"), .after = {}, .others = soft_404},
    {.name = "deleted and the domain sold",
     .level = nothing,
     .before = under("/guide/"),
     .after = {},
     .others = everywhere(wall("Best casino offers", "Play the finest games online and win today"), site)},
    {.name = "staging twin",
     .level = sure,
     .before = under("/old/"),
     .after = under("/guide/"),
     .twin = at("https://staging.bindery.example.org/guide/")},
    {.name = "copy that names the original",
     .level = sure,
     .before = at("https://old-bindery.example.com/a/"),
     .after = at("https://new-bindery.example.net/b/"),
     .has_sitemap = false,
     .has_archived_redirects = true,
     .twin = at("https://mirror.example.com/a/")},
    {.name = "same title, other id",
     .level = nothing,
     .before = [](const MadePage& p) { return fmt::format("{}/show/{}-{}", site, 48'200 + p.number, p.slug()); },
     .after = {},
     .twin = [](const MadePage& p) { return fmt::format("{}/show/{}-{}", site, 91'700 + p.number, p.slug()); }},
    {.name = "new edition",
     .level = RelocationLevel::newer,
     .before = under("/guide/", "-2019"),
     .after = under("/guide/", "-2024"),
     .edited_words = 30,
     .old_suffix = " 2019",
     .new_suffix = " 2024"},
    {.name = "contest to article",
     .level = nothing,
     .before = under("/contests/"),
     .after = {},
     .new_suffix = ": the winners",
     .twin = under("/articles/")},
    {.name = "template with near-equal pages",
     .level = nothing,
     .before = under("/old/"),
     .after = under("/guide/"),
     .shares_text = true},
    {.name = "login wall",
     .level = nothing,
     .before = under("/old/"),
     .after = {},
     .has_listing_at_home = true,
     .others = everywhere(wall("Log in to the bindery", "Please enter your name and your password to continue"),
                          site + "/guide/")},
    {.name = "sitemap of 50,000",
     .level = sure,
     .before = under("/old/"),
     .after = under("/guide/"),
     .other_addresses = 49'970},
    {.name = "sitemap missing",
     .level = sure,
     .before = under("/old/"),
     .after = under("/guide/"),
     .has_sitemap = false,
     .has_listing_at_home = true},
    {.name = "only in the archive",
     .level = sure,
     .before = [](const MadePage& p) { return fmt::format("{}/n/{}", site, p.number); },
     .after = at("https://new-bindery.example.net/texts/"),
     .has_sitemap = false,
     .has_archived_redirects = true},
    {.name = "text edited a little",
     .level = sure,
     .before = under("/guide/"),
     .after = under("/handbook/"),
     .edited_words = 14},
    {.name = "text edited",
     .level = RelocationLevel::probably,
     .before = under("/guide/"),
     .after = under("/handbook/"),
     .edited_words = 50},
};

DeadPage dead_page(const MadePage& page, const parser::Url& url, std::size_t index) {
  const std::string html = page.html();
  DeadPage dead{.index = index,
                .url = url,
                .last_good = page_response(url, html).snapshot,
                .main_text = {},
                .link_texts = {page.title()},
                .named_addresses = {},
                .not_found_links = {},
                .entry_links = {}};
  dead.main_text = parser::main_text(parser::HtmlDocument::parse(html), 1 << 20).text;
  return dead;
}

void answer_all(RelocationSearch& search, MadeWeb& web) {
  for (auto requests = search.take_requests(); !requests.empty(); requests = search.take_requests()) {
    for (const FetchRequest& request : requests) {
      const parser::Url url = parse(request.href());
      ++web.requests;
      web.requested_hosts.insert(std::string(url.host()));
      const MadeResponse response = web.respond(url);
      search.handle_response(url, response.snapshot, response.body);
    }
  }
}

// Results by level.
struct Tally {
  std::map<RelocationLevel, std::size_t> all;
  std::map<RelocationLevel, std::size_t> wrong;

  void add(const Tally& other) {
    for (const auto& [level, count] : other.all) all[level] += count;
    for (const auto& [level, count] : other.wrong) wrong[level] += count;
  }
};

struct Outcome {
  std::size_t right_level = 0;  // moved pages that were found at the expected level
  Tally moved;
  Tally deleted;  // all of these are wrong
  std::size_t requests = 0;
  std::set<std::string> requested_hosts;
};

constexpr std::size_t deleted_count = 8;

// `has_bodies`: the texts of the old pages are known, not only their signatures.
Outcome run(const MoveKind& kind, bool has_bodies) {
  MadeWeb web;
  RelocationSearch search({.archive = Archive(parse(archive_base))});
  std::map<std::string, std::string> archived;
  std::vector<std::string> urls;
  std::string home = "<!doctype html><html><head><title>Bindery</title></head><body><h1>Bindery</h1>";
  std::map<std::size_t, std::string> targets;
  for (std::size_t i = 0; i < kind.other_addresses; ++i)
    urls.push_back(fmt::format("{}/guide/{}-{}", site, MadePage{.number = i % 90}.slug(), i));
  std::vector<DeadPage> dead;
  for (std::size_t i = 0; i < page_count + kind.seen_moves; ++i) {
    MadePage before{.number = i, .title_suffix = kind.old_suffix, .shares_text = kind.shares_text};
    MadePage after{.number = i,
                   .title_suffix = kind.new_suffix,
                   .edited_words = kind.edited_words,
                   .shares_text = kind.shares_text};
    const std::string old_url = kind.before(before);
    if (kind.is_project) after.end = fmt::format("<p><a href=\"{}\">The site</a></p>", old_url);
    const std::string target = kind.after ? kind.after(after) : under("/guide/")(after);
    if (kind.after) web.pages[target] = after.html();
    if (kind.twin) {
      const MadePage twin{.number = kind.after ? i : i + 500, .title_suffix = kind.new_suffix};
      const std::string url = kind.twin(twin);
      std::string html = twin.html();
      if (kind.has_archived_redirects) {
        html.insert(html.find("<title>"), fmt::format("<link rel=canonical href=\"{}\">", target));
        archived[old_url] = url;
      }
      web.pages[url] = html;
      urls.push_back(url);
    }
    if (kind.after || kind.others) {
      urls.push_back(target);
      home += fmt::format("<p><a href=\"{}\">{}</a></p>", target, after.title());
    }
    targets[i] = kind.after ? target : "";
    if (i >= page_count) {
      search.note_move(parse(old_url), parse(target));
      continue;
    }
    if (kind.has_archived_redirects) archived.try_emplace(old_url, target);
    dead.push_back(dead_page(before, parse(old_url), i));
    if (kind.is_project) dead.back().old_page_links.push_back({parse(target), "Source"});
  }
  for (std::size_t i = 0; i < deleted_count; ++i) {
    const MadePage deleted{.number = 50 + i * 5, .title_suffix = kind.old_suffix};
    dead.push_back(dead_page(deleted, parse(kind.before(deleted)), page_count + i));
    if (kind.has_archived_redirects) archived[kind.before(deleted)] = "https://new-bindery.example.net/texts/";
  }
  if (kind.has_sitemap) web.pages[site + "/sitemap.xml"] = sitemap_of(urls);
  if (kind.has_listing_at_home) web.pages[site + "/"] = home + "</body></html>";
  web.others = [&](const parser::Url& url) {
    auto response = archive_response(url, archived);
    return !response && kind.others ? kind.others(url) : response;
  };
  for (DeadPage& page : dead) {
    page.is_host_gone = kind.is_host_gone;
    if (!has_bodies) page.main_text.clear();
    search.add(std::move(page));
  }
  answer_all(search, web);
  CHECK(search.is_done());
  Outcome outcome;
  outcome.requests = web.requests;
  outcome.requested_hosts = web.requested_hosts;
  for (const FoundRelocation& found : search.take_results()) {
    const RelocationLevel level = found.proof.level;
    const bool is_moved = found.index < page_count;
    const bool is_right = is_moved && found.url.href() == targets.at(found.index);
    Tally& tally = is_moved ? outcome.moved : outcome.deleted;
    ++tally.all[level];
    tally.wrong[level] += is_right ? 0U : 1U;
    if (!is_right && level != RelocationLevel::possibly) {
      CAPTURE(found.index);
      CAPTURE(std::string(found.url.href()));
      CAPTURE(found.proof.evidence);
      CHECK(level != RelocationLevel::sure);
    }
    if (is_right && level == kind.level) ++outcome.right_level;
  }
  return outcome;
}

std::size_t count(const std::map<RelocationLevel, std::size_t>& levels, RelocationLevel level) {
  const auto found = levels.find(level);
  return found == levels.end() ? 0 : found->second;
}

std::string table_row(const MoveKind& kind, const Outcome& outcome) {
  std::string levels;
  std::size_t wrong = 0;
  for (const auto& [level, number] : outcome.moved.all)
    levels += fmt::format(" {} {}", enum_name(storage::relocation_level_names, level), number);
  for (const Tally* tally : {&outcome.moved, &outcome.deleted}) {
    for (const auto& [level, number] : tally->wrong) wrong += level == RelocationLevel::possibly ? 0 : number;
  }
  return fmt::format("{:<34} {:<9} {:>2}/{} | wrong {:>2} | {:.1f} requests |{}\n", kind.name,
                     kind.level ? enum_name(storage::relocation_level_names, *kind.level) : "nothing",
                     outcome.right_level, page_count, wrong,
                     static_cast<double>(outcome.requests) / static_cast<double>(page_count + deleted_count), levels);
}

}  // namespace

TEST_CASE("relocation search: pages of each kind of move are found and proven") {
  bool has_bodies = false;
  SUBCASE("with stored bodies") { has_bodies = true; }
  SUBCASE("with signatures only") { has_bodies = false; }
  Tally moved;
  Tally deleted;
  std::size_t reachable = 0;
  std::size_t found = 0;
  std::size_t requests = 0;
  std::string table;
  for (const MoveKind& kind : kinds) {
    CAPTURE(kind.name);
    const Outcome outcome = run(kind, has_bodies);
    CAPTURE(outcome.requests);
    const std::size_t hosts = kind.is_project ? page_count + deleted_count : 1;
    CHECK(outcome.requests <= (page_count + deleted_count) * 5 + hosts * 6);
    requests += outcome.requests;
    if (kind.is_host_gone) CHECK_FALSE(outcome.requested_hosts.contains("old-bindery.example.com"));
    if (kind.level) {
      CHECK(outcome.right_level * 10 >= page_count * 9);
      reachable += page_count;
      found += outcome.right_level;
    } else {
      CHECK(count(outcome.moved.all, RelocationLevel::sure) == 0);
      CHECK(count(outcome.moved.all, RelocationLevel::probably) == 0);
      CHECK(count(outcome.moved.all, RelocationLevel::newer) == 0);
    }
    moved.add(outcome.moved);
    deleted.add(outcome.deleted);
    table += table_row(kind, outcome);
  }
  table += fmt::format(
      "{} of {} reachable pages at the stated level; sure: {} of {} wrong; probably: {} of {} wrong; of {} deleted "
      "pages "
      "{} sure, {} probably\n",
      found, reachable, count(moved.wrong, RelocationLevel::sure), count(moved.all, RelocationLevel::sure),
      count(moved.wrong, RelocationLevel::probably), count(moved.all, RelocationLevel::probably),
      kinds.size() * deleted_count, count(deleted.all, RelocationLevel::sure),
      count(deleted.all, RelocationLevel::probably));
  table +=
      fmt::format("{:.2f} requests per page\n",
                  static_cast<double>(requests) / static_cast<double>(kinds.size() * (page_count + deleted_count)));
  if (std::getenv("LINKHERD_SHOW_TABLE") != nullptr) MESSAGE(table);
  CHECK(requests <= kinds.size() * (page_count + deleted_count) * 3);
  CHECK(found * 10 >= reachable * 9);
  CHECK(count(moved.all, RelocationLevel::sure) >= 300);
  CHECK(count(moved.wrong, RelocationLevel::sure) == 0);
  CHECK(count(moved.wrong, RelocationLevel::probably) * 50 <= count(moved.all, RelocationLevel::probably));
  CHECK(kinds.size() * deleted_count >= 200);
  CHECK(count(deleted.all, RelocationLevel::sure) == 0);
  CHECK(count(deleted.all, RelocationLevel::probably) * 100 <= kinds.size() * deleted_count);
}

TEST_CASE("relocation search: one page of a template is not sure") {
  for (const bool has_links : {true, false}) {
    CAPTURE(has_links);
    MadeWeb web;
    std::vector<std::string> urls;
    for (std::size_t i = 0; i < page_count; ++i) {
      MadePage page{.number = i, .shares_text = true};
      if (has_links) page.end = fmt::format("<a href=\"/guide/{}\">next</a>", MadePage{.number = (i + 1) % 30}.slug());
      urls.push_back(under("/guide/")(page));
      web.pages[urls.back()] = page.html();
    }
    web.pages[site + "/sitemap.xml"] = sitemap_of(urls);
    RelocationSearch search;
    const MadePage page{.number = 4, .shares_text = true};
    search.add(dead_page(page, parse(under("/old/")(page)), 0));
    answer_all(search, web);
    const std::vector<FoundRelocation> results = search.take_results();
    REQUIRE(results.size() == 1);
    CHECK(results[0].proof.level == RelocationLevel::possibly);
  }
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
  RelocationSearch search({.max_pages = 10});
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
      const MadeResponse response =
          page_response(url, page.html() + fmt::format("<a href=\"{}/x{}\">x</a>", url.href(), requested.size()));
      search.handle_response(url, response.snapshot, response.body);
    }
  }
  CHECK(search.is_done());
  CHECK(requested.size() <= 10 * 5 + 6);
  for (const FoundRelocation& found : search.take_results()) CHECK(found.proof.level == RelocationLevel::possibly);
}

namespace {

// A name that does not begin with "api.", so that the host of its repositories is github.com.
const std::string api_base = "https://github-api.example.net";

RelocationSearch search_with_services() {
  return RelocationSearch(
      {.archive = Archive(parse(archive_base)), .github = GithubApi{parse(api_base + "/graphql"), "secret-token"}});
}

MadeResponse json_response(const parser::Url& url, std::string json) {
  MadeResponse response = error_response(url, storage::Health::alive, 200, "http_200");
  response.body = std::move(json);
  return response;
}

DeadPage unknown_page(const MadePage& page, std::string_view url) {
  return {.index = 7,
          .url = parse(url),
          .last_good = std::nullopt,
          .main_text = {},
          .link_texts = {page.title()},
          .old_page_links = {},
          .not_found_links = {},
          .entry_links = {}};
}

std::string_view level_name(const FoundRelocation& found) {
  return enum_name(storage::relocation_level_names, found.proof.level);
}

}  // namespace

TEST_CASE("relocation search: the last good copy of an archive takes the place of a missing snapshot") {
  struct Row {
    std::string name;
    std::string captured;  // the address of the copy
    MadePage copy;
    std::string_view level;
  };
  const MadePage page{.number = 3};
  const std::string dead = site + "/" + page.slug();
  const std::string target = site + "/guide/" + page.slug();
  for (const Row& row : std::vector<Row>{{"the page", dead, page, "sure"},
                                         {"another page", site + "/other", page, "possibly"},
                                         {"another text", dead, {.number = 44}, "possibly"}}) {
    CAPTURE(row.name);
    MadeWeb web;
    web.pages[target] = page.html();
    web.pages[site + "/sitemap.xml"] = sitemap_of({target});
    std::size_t archive_requests = 0;
    web.others = [&](const parser::Url& url) -> std::optional<MadeResponse> {
      if (url.origin() != archive_base) return std::nullopt;
      ++archive_requests;
      const std::string date = "20150405060708";
      if (url.path() == "/cdx/search/cdx")
        return json_response(url,
                             fmt::format(R"([["timestamp","statuscode","original"],["{}","200","{}"]])", date, dead));
      MadeResponse response =
          page_response(parse(fmt::format("{}/web/{}id_/{}", archive_base, date, row.captured)), row.copy.html());
      response.snapshot.metadata = {};
      response.snapshot.main_text = {};
      return response;
    };
    RelocationSearch search = search_with_services();
    search.add(unknown_page(page, dead));
    answer_all(search, web);
    CHECK(archive_requests == 2);
    const std::vector<FoundRelocation> results = search.take_results();
    if (row.name == "another text" && results.empty()) continue;
    REQUIRE(results.size() == 1);
    CHECK(results[0].url.href() == target);
    CHECK(level_name(results[0]) == row.level);
  }
}

TEST_CASE("relocation search: an archive that hangs, lies or redirects all pages to one finds nothing") {
  using Answer = std::function<MadeResponse(const parser::Url&)>;
  const std::string elsewhere = "https://elsewhere.example.com/texts/all";
  const auto redirect_to = [](std::string target) {
    return [target = std::move(target)](const parser::Url& url) {
      if (url.path() == "/cdx/search/cdx") {
        const std::string original = parser::percent_decode(url.query().substr(4, url.query().find('&') - 4));
        return json_response(url, fmt::format(R"([["20190405060708","301","{}"]])", original));
      }
      MadeResponse response = error_response(url, storage::Health::unreachable, 0, "bad_redirect");
      response.snapshot.redirects.push_back({std::string(url.href()), 301, target});
      return response;
    };
  };
  const std::vector<std::pair<std::string, Answer>> answers{
      {"hangs", [](const parser::Url& url) { return error_response(url, storage::Health::unreachable, 0, "timeout"); }},
      {"no JSON", [](const parser::Url& url) { return json_response(url, "<html>busy</html>"); }},
      {"another JSON", [](const parser::Url& url) { return json_response(url, R"({"a":[[]]})"); }},
      {"another page",
       [](const parser::Url& url) {
         return json_response(url, R"([["20190405060708","301","https://other.example.com/"],[1,2],["x"],null])");
       }},
      {"the future",
       [](const parser::Url& url) {
         return json_response(url, R"([["29990405060708","301","https://bindery.example.org/n/1"]])");
       }},
      {"redirects all pages to one", redirect_to(elsewhere)},
      {"redirects all pages to a home page", redirect_to("https://elsewhere.example.com/")},
      {"redirects all pages to a script", redirect_to("javascript:alert(1)")},
  };
  for (const auto& row : answers) {
    const std::string& name = row.first;
    CAPTURE(name);
    MadeWeb web;
    std::size_t archive_requests = 0;
    web.pages[elsewhere] = MadePage{.number = 3}.html();
    web.others = [&archive_requests, &respond = row.second](const parser::Url& url) -> std::optional<MadeResponse> {
      if (url.origin() != archive_base) return std::nullopt;
      ++archive_requests;
      return respond(url);
    };
    RelocationSearch search = search_with_services();
    for (std::size_t i = 0; i < page_count; ++i)
      search.add(dead_page({.number = i + 30}, parse(fmt::format("{}/n/{}", site, i)), i));
    answer_all(search, web);
    CHECK(search.is_done());
    CHECK(archive_requests <= (name == "hangs" ? 8 : page_count * 2));
    CHECK(search.take_results().empty());
  }
}

TEST_CASE("relocation search: an archive is not asked about secrets and private hosts") {
  for (const char* url :
       {"https://bindery.example.org/n/1?access_token=abc", "https://ada:pw@bindery.example.org/n/1",
        "https://bindery.example.org/n/1?s=7c4a8d09ca3762af61e59520943dc26494f8941b", "http://192.168.1.7/n/1",
        "http://intranet/n/1", "https://bindery.example.org/n/1;jsessionid=AB12"}) {
    CAPTURE(url);
    MadeWeb web;
    RelocationSearch search = search_with_services();
    search.add(unknown_page({.number = 1}, url));
    answer_all(search, web);
    CHECK_FALSE(web.requested_hosts.contains("archive.example.net"));
    CHECK_FALSE(web.requested_hosts.contains("github-api.example.net"));
  }
}

TEST_CASE("relocation search: GitHub names renamed repositories, moved files and the sites of projects") {
  const MadePage page{.number = 3};
  const std::string repository = R"({"full_name":"ada/bindery","default_branch":"main","private":false,)"
                                 R"("homepage":"https://bindery-book.example.net/"})";
  const std::string tree = R"({"tree":[{"path":"docs","type":"tree"},{"path":"docs/guide/kerning.md","type":"blob"},)"
                           R"({"path":"README.md","type":"blob"},{"path":"old/README.md","type":"blob"}]})";
  struct Row {
    std::string name;
    std::string dead;
    std::string target;
    std::string old_link;  // of the dead page
    std::string end;       // of the target
    std::string_view level;
  };
  const std::vector<Row> rows{
      {"a page that the API does not know", "https://github.com/ada/binding/wiki", "", "", "", ""},
      {"a renamed repository", "https://github.com/ada/binding", "https://github.com/ada/bindery", "", "", "sure"},
      {"a moved file", "https://github.com/ada/bindery/blob/master/kerning.md",
       "https://github.com/ada/bindery/blob/main/docs/guide/kerning.md", "", "", "sure"},
      {"two files of this name", "https://github.com/ada/bindery/blob/master/a/b/README.md", "", "", "", ""},
      {"a site of a project", "https://bindery.example.org/", "https://bindery-book.example.net/",
       "https://github.com/ada/bindery", "<p><a href=\"https://github.com/ada/bindery\">Source</a></p>", "project"},
      {"a site that does not link to the repository", "https://bindery.example.org/",
       "https://bindery-book.example.net/", "https://github.com/ada/bindery", "", "possibly"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    MadeWeb web;
    const bool is_site = row.dead == "https://bindery.example.org/";
    if (!row.target.empty())
      web.pages[row.target] = MadePage{.number = 3, .edited_words = is_site ? 240U : 0U, .end = row.end}.html();
    web.others = [&](const parser::Url& url) -> std::optional<MadeResponse> {
      if (url.origin() != api_base) return std::nullopt;
      if (url.path().find("/git/") == std::string_view::npos) return json_response(url, repository);
      CHECK(url.href() == api_base + "/repos/ada/bindery/git/trees/main?recursive=1");
      return json_response(url, tree);
    };
    RelocationSearch search = search_with_services();
    DeadPage dead = dead_page(page, parse(row.dead), 7);
    if (!row.old_link.empty()) dead.old_page_links.push_back({parse(row.old_link), "Source"});
    search.add(std::move(dead));
    answer_all(search, web);
    const std::vector<FoundRelocation> results = search.take_results();
    REQUIRE(results.size() == (row.target.empty() ? 0U : 1U));
    if (results.empty()) continue;
    CHECK(results[0].url.href() == row.target);
    CHECK(level_name(results[0]) == row.level);
    CHECK(results[0].source == RelocationSource::github);
  }
}

TEST_CASE("relocation search: candidates that are no pages, and hostile ones") {
  const MadePage page{.number = 3};
  const std::string dead = site + "/old/" + page.slug();
  const std::string target = site + "/guide/" + page.slug();
  const auto with_health = [&](storage::Health health, std::string_view reason) {
    return [=](const parser::Url& url) -> std::optional<MadeResponse> {
      if (!url.href().starts_with(site + "/guide/")) return std::nullopt;
      MadeResponse response = page_response(url, page.html());
      response.snapshot.verdict = storage::without_request(health, reason, "", "");
      return response;
    };
  };
  const std::string hostile_title = std::string(500'000, '<') + std::string(1000, '\xff') + "\x1b[2J 7 7 7";
  const std::vector<std::pair<std::string, std::function<std::optional<MadeResponse>(const parser::Url&)>>> servers{
      {"a redirect to a private address", with_health(storage::Health::unreachable, "private_address")},
      {"a login page", with_health(storage::Health::blocked, "login_required")},
      {"a soft 404", with_health(storage::Health::suspect, "soft_404")},
      {"a parked page", with_health(storage::Health::dead, "parked")},
      {"the old text at all addresses", everywhere(page.html(), site + "/")},
      {"a hostile title",
       everywhere("<html><title>" + hostile_title + "</title><p>" + std::string(100'000, 'x'), site)},
      {"candidates that look alike", everywhere(page.html(), site + "/guide/")},
  };
  for (const auto& server : servers) {
    CAPTURE(server.first);
    MadeWeb web;
    web.others = server.second;
    std::vector<std::string> urls{target};
    for (int i = 0; i < 2000; ++i) urls.push_back(fmt::format("{}/guide/{}?copy={}", site, page.slug(), i));
    web.pages[site + "/sitemap.xml"] = sitemap_of(urls);
    RelocationSearch search;
    search.add(dead_page(page, parse(dead), 0));
    answer_all(search, web);
    CHECK(web.requests <= 5 + 6);
    for (const FoundRelocation& found : search.take_results()) CHECK(level_name(found) == "possibly");
  }
}

TEST_CASE("relocation search: a sitemap of 50,000 addresses serves 200 pages, also if it is cut") {
  MadeWeb web;
  std::vector<std::string> urls;
  std::map<std::size_t, std::string> targets;
  for (std::size_t i = 0; i < 50'000; ++i)
    urls.push_back(fmt::format("{}/guide/{}-{}", site, MadePage{.number = i % 90}.slug(), i * 7));
  RelocationSearch search;
  std::vector<DeadPage> dead;
  for (std::size_t i = 0; i < 200; ++i) {
    const MadePage page{.number = i};
    const std::string& target = urls[i * 90 + i % 90];
    targets[i] = target;
    web.pages[target] = page.html();
    dead.push_back(dead_page(page, parse(site + "/old/" + target.substr(site.size() + 7)), i));
  }
  std::string sitemap = sitemap_of(urls);
  sitemap.resize(sitemap.size() - sitemap.size() / 3);
  web.pages[site + "/sitemap.xml"] = sitemap;
  for (DeadPage& page : dead) search.add(std::move(page));
  answer_all(search, web);
  std::size_t right = 0;
  for (const FoundRelocation& found : search.take_results())
    right += found.url.href() == targets.at(found.index) && found.proof.level == RelocationLevel::sure ? 1U : 0U;
  CHECK(right >= 180);
}
