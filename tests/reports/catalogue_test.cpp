#include "reports/catalogue.h"

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>

#include "parser/utf8.h"
#include "report_fixture.h"
#include "reports/escape.h"

using namespace linkherd;
using namespace linkherd::reports;
using parser::LinkRole;
using storage::Health;

namespace {

std::string catalogue(const storage::CheckedLinks& links, CatalogueFormat format) {
  std::ostringstream out;
  write_catalogue(out, links, format);
  REQUIRE(is_valid_utf8(out.str()));
  return out.str();
}

storage::CheckedLink listed(std::string file, unsigned line, std::string url, std::string text,
                            std::vector<std::string> headings) {
  storage::CheckedLink made = alive(std::move(file), line, std::move(url));
  parser::LinkOccurrence& occurrence = made.result.occurrences[0];
  occurrence.text = std::move(text);
  occurrence.headings = std::move(headings);
  return made;
}

// Metadata of the page.
void describe(storage::CheckedLink& link, std::string title, std::vector<std::string> authors, std::string published) {
  parser::Metadata& metadata = link.state.snapshot.metadata;
  metadata.title = {std::move(title), "h1", 0.9};
  if (!authors.empty()) metadata.authors = {std::move(authors), "json_ld", 0.8};
  if (!published.empty()) metadata.published = {std::move(published), "json_ld", 0.9};
}

std::vector<std::string> urls_of(const storage::CheckedLinks& links) {
  const boost::json::value json = boost::json::parse(catalogue(links, CatalogueFormat::json));
  std::vector<std::string> urls;
  for (const boost::json::value& entry : json.at("entries").as_array()) urls.emplace_back(entry.at("url").as_string());
  return urls;
}

std::string short_id(const storage::CheckedLink& link) {
  return storage::LinkId::of(parser::Url::parse(link.state.url).value()).to_hex().substr(0, 12);
}

LinksInMemory small_list() {
  LinksInMemory links{listed("a.md", 3, "https://zhuanlan.zhihu.com/p/1", "图解大模型", {"大模型", "推理"}),
                      listed("a.md", 5, "https://arxiv.org/abs/2401.01234v2", "A paper", {"大模型", "Papers"}),
                      listed("a.md", 9, "https://blog.example/gone", "Old guide", {"CUDA"})};
  describe(links[0], "图解大模型系列之：DeepSpeed", {"吃果冻不吐果冻皮"}, "2024-03-05T10:20:00+08:00");
  describe(links[1], "Quite another title", {"Ada Lovelace", "Smith and Sons, Inc."}, "2024-01");
  links[0].result.occurrences[0].description = "一步一步";
  links[2].result.verdict = verdict(Health::dead, "http_404");
  return links;
}

}  // namespace

TEST_CASE("a CSV catalogue has a header and one line per entry and no formulas") {
  LinksInMemory links = small_list();
  links[2].result.occurrences[0].text = "=HYPERLINK(\"http://evil\")\nsecond line";
  links[2].result.occurrences[0].description = "=1+1";
  CHECK(catalogue(links, CatalogueFormat::csv) ==
        "key,listed_title,title,title_differs,authors,published,modified,site_name,language,doi,url,final_url,health,"
        "reason,confidence,archived_copy,relocated,relocation_level,headings,file,listed_description\r\n"
        "zhihu-" +
            short_id(links[0]) +
            ",图解大模型,图解大模型系列之：DeepSpeed,false,吃果冻不吐果冻皮,2024-03-05T10:20:00+08:00,,,,,"
            "https://zhuanlan.zhihu.com/p/1,https://zhuanlan.zhihu.com/p/1,alive,ok,0.90,,,,大模型 > "
            "推理,a.md,一步一步\r\n"
            "arxiv-" +
            short_id(links[1]) +
            ",A paper,Quite another title,true,\"Ada Lovelace; Smith and Sons, "
            "Inc.\",2024-01,,,,10.48550/arXiv.2401.01234,"
            "https://arxiv.org/abs/2401.01234v2,https://arxiv.org/abs/2401.01234v2,alive,ok,0.90,,,,大模型 > "
            "Papers,a.md,\r\n"
            "blog-" +
            short_id(links[2]) +
            ",\"'=HYPERLINK(\"\"http://evil\"\") second line\",,false,,,,,,,https://blog.example/gone,"
            "https://blog.example/gone,dead,http_404,,,,,CUDA,a.md,'=1+1\r\n");
}

TEST_CASE("a JSON catalogue has one entry per line with all keys") {
  const std::string text = catalogue(small_list(), CatalogueFormat::json);
  const boost::json::value json = boost::json::parse(text);
  const boost::json::array& entries = json.at("entries").as_array();
  REQUIRE(entries.size() == 3);
  CHECK(std::ranges::count(text, '\n') == 2 + 3);
  CHECK(entries[0].at("listed_description") == "一步一步");
  CHECK(entries[2].at("listed_description").is_null());
  CHECK(entries[0].at("headings") == boost::json::array{"大模型", "推理"});
  CHECK(entries[0].at("authors") == boost::json::array{"吃果冻不吐果冻皮"});
  CHECK(entries[1].at("doi") == "10.48550/arXiv.2401.01234");
  CHECK(entries[1].at("title_differs") == true);
  CHECK(entries[2].at("title").is_null());
  CHECK(entries[2].at("health") == "dead");
  for (const boost::json::value& entry : entries) CHECK(entry.as_object().size() == entries[0].as_object().size());
}

TEST_CASE("a catalogue is written as CSL-JSON and BibTeX") {
  const LinksInMemory links = small_list();
  const boost::json::value csl = boost::json::parse(catalogue(links, CatalogueFormat::csl_json));
  REQUIRE(csl.as_array().size() == 3);
  CHECK(csl.at(0).at("type") == "webpage");
  CHECK(csl.at(0).at("issued").at("date-parts") == boost::json::parse("[[2024,3,5]]"));
  CHECK(csl.at(1).at("issued").at("date-parts") == boost::json::parse("[[2024,1]]"));
  CHECK(csl.at(1).at("author") ==
        boost::json::parse(R"([{"literal":"Ada Lovelace"},{"literal":"Smith and Sons, Inc."}])"));
  CHECK(csl.at(1).at("DOI") == "10.48550/arXiv.2401.01234");
  CHECK(csl.at(2).at("title") == "Old guide");  // the title in the list, because the page is gone
  CHECK_FALSE(csl.at(2).as_object().contains("issued"));

  const std::string bibtex = catalogue(links, CatalogueFormat::bibtex);
  CHECK(bibtex.find("@misc{arxiv-" + short_id(links[1]) +
                    ",\n  title = {{Quite another title}},\n  author = {{Ada Lovelace} and {Smith and Sons, Inc.}},\n"
                    "  year = {2024},\n  month = {1},\n  doi = {10.48550/arXiv.2401.01234},\n"
                    "  url = {https://arxiv.org/abs/2401.01234v2}\n}\n") != std::string::npos);
}

TEST_CASE("a Markdown catalogue is a list under the headings of the input documents") {
  LinksInMemory links = small_list();
  links[2].state.archived_copy = storage::ArchivedCopy{};
  links[2].state.archived_copy->url = "https://web.archive.org/web/2020/https://blog.example/gone";
  CHECK(catalogue(links, CatalogueFormat::markdown) ==
        "# 大模型\n\n## 推理\n\n"
        "- [图解大模型](https://zhuanlan.zhihu.com/p/1) - 一步一步 — 吃果冻不吐果冻皮, 2024-03-05\n"
        "\n## Papers\n\n"
        "- [A paper](https://arxiv.org/abs/2401.01234v2) — *Quite another title*, Ada Lovelace, Smith and Sons, Inc., "
        "2024-01\n"
        "\n# CUDA\n\n"
        "- [Old guide](https://blog.example/gone) — **dead**: 404 Not Found, "
        "[archived copy](https://web.archive.org/web/2020/https://blog.example/gone)\n");
}

TEST_CASE("a catalogue names the new address of a dead entry") {
  LinksInMemory links = small_list();
  links[2].state.relocation = relocated("a.md", 1, "https://x.example/", "https://new.example/guide").state.relocation;
  CHECK(catalogue(links, CatalogueFormat::csv).find("dead,http_404,,,https://new.example/guide,sure,CUDA") !=
        std::string::npos);
  const boost::json::value json = boost::json::parse(catalogue(links, CatalogueFormat::json));
  CHECK(json.at("entries").at(2).at("relocated").at("url") == "https://new.example/guide");
  CHECK(json.at("entries").at(0).at("relocated").is_null());
  CHECK(catalogue(links, CatalogueFormat::markdown)
            .find("404 Not Found, moved to [https://new.example/guide](https://new.example/guide)\n") !=
        std::string::npos);
  links[2].state.relocation->url = "=x\n- [y](javascript:z)";
  CHECK(catalogue(links, CatalogueFormat::csv).find(",'=x - [y](javascript:z),sure,") != std::string::npos);
  CHECK(catalogue(links, CatalogueFormat::markdown).find("moved to =x - \\[y\\](javascript:z)\n") != std::string::npos);
}

TEST_CASE("a catalogue has each main link of an entry once in list order") {
  LinksInMemory links{alive("a.md", 1, "https://a.example/badge"), alive("a.md", 2, "https://a.example/mentioned"),
                      alive("a.md", 4, "https://a.example/last"), alive("a.md", 5, "mailto:a@a.example"),
                      alive("a.md", 6, "https://a.example/prose")};
  links[0].result.occurrences[0].role = LinkRole::secondary;
  links[1].result.occurrences[0].role = LinkRole::mention;
  links[1].result.occurrences.push_back(
      occurrence("a.md", 3, 1, "https://a.example/mentioned"));  // an entry in this file
  links[4].result.occurrences[0].role = LinkRole::prose;
  CHECK(urls_of(links) == std::vector<std::string>{"https://a.example/mentioned", "https://a.example/last"});
}

TEST_CASE("entries that differ in their fragment are separate catalogue entries of one link") {
  LinksInMemory links{alive("a.md", 1, "https://a.example/#/one")};
  links[0].result.occurrences.push_back(occurrence("a.md", 2, 1, "https://a.example/#/two"));
  links[0].result.occurrences.push_back(occurrence("a.md", 3, 1, "https://a.example/#/one"));
  CHECK(catalogue(links, CatalogueFormat::markdown) ==
        "- [https\\://a.example/#/one](https://a.example/#/one)\n- "
        "[https\\://a.example/#/two](https://a.example/#/two)\n");
}

TEST_CASE("each text link is a catalogue entry in a file without entries") {
  LinksInMemory links{alive("text.md", 1, "https://a.example/prose"), alive("text.md", 2, "https://a.example/image"),
                      alive("list.md", 1, "https://a.example/main"), alive("list.md", 2, "https://a.example/aside")};
  for (const std::size_t i : {0U, 1U, 3U}) links[i].result.occurrences[0].role = LinkRole::prose;
  links[1].result.occurrences[0].element = parser::LinkElement::image;
  CHECK(urls_of(links) == std::vector<std::string>{"https://a.example/prose", "https://a.example/main"});
}

TEST_CASE("a Markdown catalogue repeats a heading where its parent or file ends") {
  LinksInMemory links{listed("a.md", 1, "https://a.example/1", "1", {"Top", "Same", "Same"}),
                      listed("a.md", 2, "https://a.example/2", "2", {"Top", "Same"}),
                      listed("b.md", 1, "https://a.example/3", "3", {})};
  CHECK(catalogue(links, CatalogueFormat::markdown) ==
        "# a.md\n\n## Top\n\n### Same\n\n#### Same\n\n- [1](https://a.example/1)\n"
        "\n### Same\n\n- [2](https://a.example/2)\n"
        "\n# b.md\n\n- [3](https://a.example/3)\n");
}

TEST_CASE("an unchecked link is in the catalogue with its previous state") {
  LinksInMemory links = small_list();
  links[0].result.verdict = verdict(Health::deferred, "deadline");
  links[2].state.snapshot = {};
  links[2].result.verdict = verdict(Health::deferred, "deadline");
  const boost::json::value json = boost::json::parse(catalogue(links, CatalogueFormat::json));
  CHECK(json.at("entries").at(0).at("health") == "alive");
  CHECK(json.at("entries").at(2).at("health") == "deferred");
}

TEST_CASE("a catalogue names the DOI of a URL") {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"https://doi.org/10.1002/%28SICI%291097-0258", "10.1002/(SICI)1097-0258"},
      {"https://www.doi.org/10.1000/x", "10.1000/x"},
      {"https://doi.org/10./", ""},
      {"https://doi.org/10.1000/%FF", ""},
      {"https://arxiv.org/pdf/2401.01234v3.pdf", "10.48550/arXiv.2401.01234"},
      {"https://arxiv.org/abs/hep-th/9901001", "10.48550/arXiv.hep-th/9901001"},
      {"https://arxiv.org/abs/2401.....1", ""},
      {"https://arxiv.org/list/cs/new", ""},
      {"https://a.example/10.1000/x", ""},
  };
  for (const auto& [url, doi] : rows) {
    CAPTURE(url);
    const LinksInMemory links{alive("a.md", 1, url)};
    const boost::json::value json = boost::json::parse(catalogue(links, CatalogueFormat::json));
    const boost::json::value& named = json.at("entries").at(0).at("doi");
    CHECK((named.is_null() ? "" : named.as_string()) == doi);
  }
}

TEST_CASE("the DOI in a URL precedes the DOI that the page states") {
  LinksInMemory links{alive("a.md", 1, "https://a.example/paper"), alive("a.md", 2, "https://doi.org/10.1000/listed")};
  for (auto& link : links) link.state.snapshot.metadata.doi = {"10.1000/stated", "meta:citation_doi", 0.95};
  const boost::json::value json = boost::json::parse(catalogue(links, CatalogueFormat::json));
  CHECK(json.at("entries").at(0).at("doi") == "10.1000/stated");
  CHECK(json.at("entries").at(1).at("doi") == "10.1000/listed");
  const boost::json::value csl = boost::json::parse(catalogue(links, CatalogueFormat::csl_json));
  CHECK(csl.at(0).at("DOI") == "10.1000/stated");
  CHECK(catalogue(links, CatalogueFormat::bibtex).find("doi = {10.1000/stated}") != std::string::npos);
}

TEST_CASE("hostile titles break no format of a catalogue") {
  const std::vector<std::string> titles{"<script>alert(1)</script>", "]](http://evil) [x", "a\x1B[31m\u202Eb\r\nc",
                                        "\\}{ % & $ # _ ~ ^",        "::error::x ##[x]",   "\xFF\xFE",
                                        "@misc{x, title={",          "`code` *b* _i_ |t|"};
  LinksInMemory links;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    links.push_back(
        listed("a.md", static_cast<unsigned>(i + 1), "https://a.example/" + std::to_string(i), titles[i], {titles[i]}));
    describe(links.back(), titles[i], {titles[i]}, titles[i]);
  }
  for (const auto& [format, name] : catalogue_format_names) {
    CAPTURE(name);
    const std::string text = catalogue(links, format);
    CHECK(text.find('\x1B') == std::string::npos);
    CHECK(text.find("\u202E") == std::string::npos);
    CHECK(std::ranges::count(text, '\r') ==
          (format == CatalogueFormat::csv ? 1 + static_cast<long>(titles.size()) : 0));
  }
  CHECK(boost::json::parse(catalogue(links, CatalogueFormat::json)).at("entries").as_array().size() == titles.size());
  const std::string bibtex = catalogue(links, CatalogueFormat::bibtex);
  CHECK(std::ranges::count(bibtex, '{') == std::ranges::count(bibtex, '}'));
  CHECK(catalogue(links, CatalogueFormat::markdown).find("](http://evil)") == std::string::npos);
}

TEST_CASE("text is escaped for CSV, Markdown and BibTeX") {
  CHECK(csv_cell("a") == "a");
  CHECK(csv_cell("a,b \"c\"") == "\"a,b \"\"c\"\"\"");
  for (const char* formula : {"=1", "+1", "-1", "@x", "＝1"}) CHECK(csv_cell(formula) == "'" + std::string(formula));
  CHECK(csv_cell(" =1") == "\" '=1\"");
  CHECK(csv_cell("\u00A0\u3000＋1") == "\u00A0\u3000'＋1");
  // A semicolon or tab as the separator begins a new cell, in which earlier quotes have no effect.
  CHECK(csv_cell("a;=1+1;b") == "\"a;'=1+1;b\"");
  CHECK(csv_cell("a; \"@x") == "\"a; \"\"'@x\"");
  CHECK(csv_cell("a;\"\";-1") == "\"a;\"\"\"\";'-1\"");
  CHECK(csv_cell("a\t=1") == "\"a\t'=1\"");
  CHECK(csv_cell("a\r\n=1") == "\"a\r\n'=1\"");
  CHECK(csv_cell("a=1, b-2; c") == "\"a=1, b-2; c\"");
  CHECK(escape_for_markdown("a_b [c] <d> &amp; C#") == "a\\_b \\[c\\] \\<d\\> \\&amp; C\\#");
  CHECK(escape_for_markdown("www.a.cn, a@b.cn @c") == "www\\.a.cn, a@<!-- -->b.cn @<!-- -->c");
  CHECK(escape_for_bibtex("a--b ''c''") == "a-{}-b '{}'c'{}'");
  CHECK(markdown_link("https://a.cn/a_b[1]", "https://a.cn/a_b[1]?x=`(") ==
        "[https://a.cn/a\\_b\\[1\\]](https://a.cn/a_b\\[1\\]?x=%60\\()");
  CHECK(markdown_link("www.a.cn", "https://www.a.cn/") == "[www.a.cn](https://www.a.cn/)");
  CHECK(escape_for_markdown("see https://a.cn: 5 & 6") == "see https\\://a.cn: 5 & 6");
  CHECK(markdown_destination("https://a.cn/x_(y)?a=1&b=2") == "https://a.cn/x_\\(y\\)?a=1&b=2");
  CHECK(markdown_destination("https://a.cn/?a&copy;") == "https://a.cn/?a&amp;copy;");
  CHECK(escape_for_bibtex("50% {x} A_b\\") == "50\\% {\\textbraceleft}x{\\textbraceright} A\\_b{\\textbackslash}");
  CHECK(bibtex_url("https://a.cn/{x}%20") == "https://a.cn/%7Bx%7D%20");
}
