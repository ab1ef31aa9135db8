// Tests the HTML report as a file: its data blocks, its content policy, and that no foreign text becomes markup.
// tests/end_to_end/browser tests it in a browser.
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <re2/re2.h>

#include "declared_reasons.h"
#include "parser/utf8.h"
#include "reports/cause.h"
#include "reports/messages.h"
#include "reports/report_formats.h"
#include "text_report_fixture.h"

using namespace linkherd;
using namespace linkherd::reports;
using boost::json::value;
using storage::Health;

namespace {

std::string html_of(const Report& report, PageLanguage language = PageLanguage::automatic) {
  std::ostringstream out;
  write_html(out, report, language);
  return out.str();
}

std::string part_between(const std::string& text, std::string_view open, std::string_view close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string::npos) return {};
  const std::size_t from = begin + open.size();
  return text.substr(from, text.find(close, from) - from);
}

// Returns the contents of all data blocks with that attribute.
std::vector<std::string> data_blocks(const std::string& html, const std::string& attribute) {
  const std::string open = "<script type=\"application/json\" " + attribute + ">";
  std::vector<std::string> found;
  for (std::size_t at = html.find(open); at != std::string::npos; at = html.find(open, at + 1))
    found.push_back(part_between(html.substr(at), open, "</script>"));
  return found;
}

value data_block(const std::string& html, const std::string& attribute) {
  const std::vector<std::string> found = data_blocks(html, attribute);
  REQUIRE(found.size() == 1);
  return boost::json::parse(found.front());
}

// Returns all rows or all details, in order.
boost::json::array members(const std::string& html, const std::string& attribute) {
  boost::json::array all;
  for (const std::string& text : data_blocks(html, attribute)) {
    const value part = boost::json::parse(text);
    for (const value& one : part.as_array()) all.push_back(one);
  }
  return all;
}

// Returns the positions of the row and the details of a link. Links may be in any order.
std::size_t position_of(const std::string& html, int link) {
  const boost::json::array rows = members(html, "class=\"rows\"");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].at(0) == link) return i;
  }
  FAIL("no such link");
  return 0;
}

// Returns a cell of a link's row by the name of its column.
value cell(const std::string& html, int link, std::string_view column) {
  const boost::json::array columns = data_block(html, "id=\"report\"").at("columns").as_array();
  REQUIRE(columns.at(0) == "number");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].as_string() == column) return members(html, "class=\"rows\"").at(position_of(html, link)).at(i);
  }
  FAIL("no such column");
  return {};
}

value detail(const std::string& html, int link) {
  return members(html, "class=\"details\"").at(position_of(html, link));
}

// Returns the entry of a table whose index is in a cell.
value named(const value& table, const value& number) { return table.at(number.to_number<std::size_t>()); }

std::string sha256_base64(const std::string& text) {
  std::array<unsigned char, 32> digest{};
  REQUIRE(EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  std::array<unsigned char, 64> base64{};
  const int size = EVP_EncodeBlock(base64.data(), digest.data(), 32);
  return {base64.begin(), base64.begin() + size};
}

std::string file_text(const std::string& name) {
  std::ifstream file(name);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the HTML report has a row and details for each link") {
  ReportBuilder made = finished();
  made.links.push_back(alive("b.md", 1, "https://fine.example/"));
  made.links.push_back(link("b.md", 2, "https://gone.example/%E6%95%99?a=1", verdict(Health::dead, "http_404")));
  made.links.back().result.verdict.evidence = "HTTP 404, twice";
  made.links.back().result.occurrences[0].text = "The guide";
  made.links.back() = with_location(made.links.back(), "c.md", 9, 4);
  made.links.push_back(redirected("b.md", 3, "https://old.example/", "https://new.example/"));
  made.links.back().state.snapshot.facts = {{"archived", "the repository is archived"}};
  const std::string html = html_of(made.report());
  REQUIRE(members(html, "class=\"rows\"").size() == 3);
  REQUIRE(members(html, "class=\"details\"").size() == 3);
  CHECK(cell(html, 1, "url") == "https://gone.example/%E6%95%99?a=1");
  CHECK(cell(html, 1, "shown") == "https://gone.example/教?a=1");
  CHECK(cell(html, 1, "text") == "The guide");
  CHECK(cell(html, 1, "places") == 2);
  CHECK(cell(html, 2, "noted") == 1);
  CHECK(cell(html, 0, "shown") == "");
  const value header = data_block(html, "id=\"report\"");
  CHECK(named(header.at("sections"), cell(html, 1, "section")) == "dead");
  CHECK(named(header.at("sections"), cell(html, 2, "section")) == "moved");
  CHECK(named(header.at("levels"), cell(html, 1, "level")) == "error");
  CHECK(header.at("run").at("seconds") == 48);
  const value tables = data_block(html, "id=\"tables\"");
  CHECK(named(tables.at("hosts"), cell(html, 1, "host")) == "gone.example");
  CHECK(named(tables.at("reasons"), cell(html, 1, "reason")).at(0) == "http_404");
  CHECK(named(tables.at("causes"), cell(html, 1, "cause")).at(0) == "404 or 410");
  CHECK(named(tables.at("evidence"), detail(html, 1).at("evidence")) == "HTTP 404, twice");
  CHECK(named(tables.at("files"), detail(html, 1).at("places").at(0).at(0)) == "c.md");
  CHECK(detail(html, 2).at("redirects").at(0).at(1) == "https://new.example/");
  CHECK(detail(html, 2).at("facts").at(0) == "the repository is archived");
}

TEST_CASE("the HTML report has the new address of a dead page") {
  ReportBuilder made = finished();
  made.links.push_back(relocated("a.md", 1, "https://gone.example/", "https://new.example/\x1b[1m</script>"));
  made.links.back().state.relocation->evidence = "same title </script>\x1b";
  made.links.push_back(alive("a.md", 2, "https://fine.example/"));
  made.links.back().state.relocation = made.links.front().state.relocation;
  const std::string html = html_of(made.report());
  CHECK(cell(html, 0, "relocated") == boost::json::array{"sure", "https://new.example/[1m</script>"});
  CHECK(detail(html, 0).at("relocated") == boost::json::array{"sitemap", "same title </script>"});
  CHECK(cell(html, 1, "relocated") == 0);
  CHECK_FALSE(detail(html, 1).as_object().contains("relocated"));
}

TEST_CASE("every level and source of a new address has a text in both languages") {
  for (const char* const file : {LINKHERD_ENGLISH_TEXTS, LINKHERD_CHINESE_TEXTS}) {
    const std::string texts = file_text(file);
    for (const auto& [level, name] : storage::relocation_level_names)
      CHECK(contains(texts, fmt::format("  level_{}: ", name)));
    for (const auto& [source, name] : storage::relocation_source_names)
      CHECK(contains(texts, fmt::format("  source_{}: ", name)));
  }
}

TEST_CASE("changes since an earlier run are in the HTML report only if there is one") {
  ReportBuilder made = finished();
  made.links.push_back(alive("a.md", 1, "https://back.example/"));
  made.links.push_back(link("a.md", 2, "https://gone.example/", verdict(Health::dead, "http_404")));
  for (std::size_t i = 0; i < 2; ++i) made.links[i].result.id = storage::LinkId::of_text(std::to_string(i));
  const value unknown = data_block(html_of(made.report()), "id=\"report\"");
  CHECK(unknown.at("since").is_null());
  CHECK(std::ranges::find(unknown.at("columns").as_array(), value("change")) == unknown.at("columns").as_array().end());

  EarlierRun since;
  since.run.number = 3;
  since.run.finished_at = at("2026-03-04T10:20:00Z");
  since.healths = {{storage::LinkId::of_text("0"), Health::dead}, {storage::LinkId::of_text("2"), Health::alive}};
  std::ranges::sort(since.healths);
  made.since = since;
  const std::string html = html_of(made.report());
  const value header = data_block(html, "id=\"report\"");
  CHECK(header.at("since").at("number") == 3);
  CHECK(header.at("since").at("removed") == 1);
  CHECK(named(header.at("changes"), cell(html, 0, "change")) == "recovered");
  CHECK(named(header.at("healths"), cell(html, 0, "previous_health")) == "dead");
  CHECK(named(header.at("changes"), cell(html, 1, "change")) == "new");
  CHECK(cell(html, 1, "previous_health") == -1);

  const Acceptance known{"known", "2026-04-01", ""};
  const std::string accepted = html_of(report_on(
      made.links, {.find_acceptance = [&known](const storage::LinkResult&) { return &known; }, .since = &since}));
  CHECK(cell(accepted, 1, "change") == -1);
}

TEST_CASE("rows and details are split into blocks so that a large page opens early") {
  ReportBuilder made = finished();
  for (unsigned i = 0; i < 1100; ++i) made.links.push_back(alive("a.md", i, fmt::format("https://a.example/{}", i)));
  const std::string html = html_of(made.report());
  CHECK(data_blocks(html, "class=\"rows\"").size() == 3);
  CHECK(data_blocks(html, "class=\"details\"").size() == 3);
  CHECK(members(html, "class=\"rows\"").size() == 1100);
  CHECK(boost::json::parse(data_blocks(html, "class=\"rows\"").front()).as_array().size() ==
        data_block(html, "id=\"report\"").at("chunk").to_number<std::size_t>());
}

TEST_CASE("the content policy of the HTML report allows only its own script and style") {
  const ReportBuilder none = finished();
  const std::string html = html_of(none.report());
  const std::string script = part_between(html, "\n<script>", "</script>");
  const std::string style = part_between(html, "<style>", "</style>");
  REQUIRE(script.size() > 10'000);
  REQUIRE(style.size() > 1'000);
  CHECK(contains(html, "content=\"default-src 'none'; script-src 'sha256-" + sha256_base64(script) +
                           "'; style-src 'sha256-" + sha256_base64(style) +
                           "'; base-uri 'none'; form-action 'none'\""));
  CHECK_FALSE(contains(script, "import "));
  CHECK_FALSE(contains(script, "innerHTML"));
  CHECK_FALSE(contains(html, " style=\""));
  for (const char* address : {"src=", "url(", "@import", "<link", "<img"}) CHECK_FALSE(contains(html, address));
}

TEST_CASE("no foreign text becomes markup in the HTML report") {
  const std::string bad = "</script><script>alert(1)</script><!--<script>]]>\x1b[31m\xff\xed\xa0\x80\u202E{script}";
  ReportBuilder made = finished();
  made.run.inputs = {bad};
  made.run.vantage = bad;
  made.outcome = {1, bad};
  made.links.push_back(link("a.md", 1, "https://a.example/", verdict(Health::dead, "http_404")));
  storage::CheckedLink& link = made.links.back();
  parser::LinkOccurrence& occurrence = link.result.occurrences.front();
  occurrence.text = bad + std::string(1'000'000, 'y');
  occurrence.file = occurrence.url = bad;
  occurrence.headings = {bad};
  link.result.verdict.evidence = link.result.verdict.rule = bad;
  storage::Snapshot& page = link.state.snapshot;
  page.metadata.title = {bad, bad, 0.5};
  page.metadata.authors = {{bad}, bad, 0.5};
  page.metadata.description = {bad, bad, 0.5};
  page.redirects = {{bad, 301, bad + std::string(1'000'000, 'z')}};
  page.attempts = {{Timestamp{}, bad, 200, bad, 5}};
  page.certificate = storage::Certificate{bad, bad, {}};
  page.facts = {{"archived", bad}};
  made.duplicates = {{.shared_value = bad, .entries = {{}, {}}}};
  const ReportBuilder none = finished();
  const std::string plain = html_of(none.report());
  const std::string html = html_of(made.report());
  CHECK(is_valid_utf8(html));
  CHECK(html.size() < plain.size() + 20'000);
  const auto count = [](const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  CHECK(count(html, "<script") == count(plain, "<script") + 2);  // one block of rows and one of details
  CHECK(count(html, "</script") == count(plain, "</script") + 2);
  CHECK(count(html, "<!--") == count(plain, "<!--"));
  CHECK_FALSE(contains(html, "\u202E"));
  CHECK_FALSE(contains(html, "\x1b"));
  CHECK(contains(std::string(cell(html, 0, "title").as_string()), "</script><script>alert(1)</script>"));
  CHECK(members(html, "class=\"details\"").size() == 1);
}

TEST_CASE("a URL that is too long for the HTML report is cut visibly") {
  ReportBuilder made = finished();
  made.links.push_back(alive("a.md", 1, "https://a.example/" + std::string(100'000, 'x')));
  const std::string html = html_of(made.report());
  const std::string url(cell(html, 0, "url").as_string());
  CHECK(url.size() < 5000);
  CHECK(url.ends_with("…"));
}

TEST_CASE("the HTML report uses the requested language or else that of the browser") {
  const ReportBuilder made = finished();
  const Report report = made.report();
  CHECK(data_block(html_of(report), "id=\"report\"").at("lang") == "auto");
  CHECK(contains(html_of(report, PageLanguage::chinese), "<html lang=\"zh-CN\">"));
  CHECK(data_block(html_of(report, PageLanguage::english), "id=\"report\"").at("lang") == "en");
}

TEST_CASE("every reason and cause and advice has a Chinese text in the HTML report") {
  const std::string chinese = file_text(LINKHERD_CHINESE_TEXTS);
  REQUIRE(contains(chinese, "export const chineseReasons"));
  const auto has = [&chinese](const std::string& english) {
    return contains(chinese, "\"" + english + "\": ") || contains(chinese, "'" + english + "': ");
  };
  const std::string reasons = part_between(chinese, "chineseReasons = {", "};");
  const std::set<std::string> words = declared_reasons();
  REQUIRE(words.size() >= 55);
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(contains(reasons, "\n  " + word + ": "));
    for (const Health health :
         {Health::dead, Health::insecure, Health::suspect, Health::blocked, Health::redirected, Health::skipped}) {
      const Cause cause = cause_of(link("a.md", 1, "https://a.example/", verdict(health, word)).result);
      CAPTURE(cause.advice);
      CHECK((cause.advice.empty() || has(cause.advice)));
    }
  }
  for (const char* name : {"404 or 410", "No such host", "Files and anchors", "Not a valid address",
                           "Invalid certificate", "Redirects to nowhere", "No answer in several runs"}) {
    CHECK(has(name));
  }
  CHECK(has(std::string(front_page_advice)));
}

TEST_CASE("the Chinese texts contain no English and never call the program we") {
  const std::string chinese = file_text(LINKHERD_CHINESE_TEXTS);
  CHECK_FALSE(contains(chinese, "我们"));
  static const RE2 text(R"re((?m)^  \S.*?: "(.*)",$)re");
  re2::StringPiece rest(chinese);
  std::string words;
  std::size_t count = 0;
  while (RE2::FindAndConsume(&rest, text, &words)) {
    CAPTURE(words);
    ++count;
    // Names are not translated.
    RE2::GlobalReplace(&words, R"(\{\w+\}|--[a-z-]+|robots\.txt|linkherd|EN \(English\)|DNS|HTTP|TLS|Tor|IP|EN)", "");
    CHECK_FALSE(RE2::PartialMatch(words, "[A-Za-z]"));
  }
  CHECK(count > 250);
}

TEST_CASE("the HTML report has the recent checks of a link if the store has several") {
  class WithChecks final : public storage::CheckedLinks {
   public:
    explicit WithChecks(const LinksInMemory& links) : links_(links) {}
    std::size_t size() const override { return links_.size(); }
    storage::CheckedLink at(std::size_t number) const override { return links_.at(number); }
    std::vector<parser::LinkOccurrence> occurrences(std::size_t number) const override {
      return links_.occurrences(number);
    }
    std::vector<storage::CheckOutcome> checks(std::size_t number) const override {
      if (number == 0) return {{linkherd::reports::at("2026-03-05T10:20:00Z"), Health::alive}};
      return {{linkherd::reports::at("2026-03-03T10:20:00Z"), Health::dead},
              {linkherd::reports::at("2026-03-04T10:20:00Z"), Health::dead},
              {linkherd::reports::at("2026-03-05T10:20:00Z"), Health::alive}};
    }
    void for_each(const std::function<void(std::size_t, const storage::CheckedLink&)>& visit) const override {
      links_.for_each(visit);
    }

   private:
    const LinksInMemory& links_;
  };
  LinksInMemory links;
  links.push_back(alive("a.md", 1, "https://a.example/"));
  links.push_back(alive("a.md", 2, "https://b.example/"));
  const WithChecks checks(links);
  const std::string html = html_of(report_on(checks, {}));
  CHECK_FALSE(detail(html, 0).as_object().contains("looks"));
  CHECK(detail(html, 1).at("looks") == boost::json::parse(R"([[1772533200,"dead",2],[1772706000,"alive",1]])"));
}
