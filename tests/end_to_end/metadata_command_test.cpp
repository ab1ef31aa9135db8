// Tests the command that reads saved pages and the files next to them. Also tests PDFs of any origin, which a separate
// process reads.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <doctest/doctest.h>
#include <zlib.h>

#include "tests/end_to_end/checked_line.h"
#include "tests/end_to_end/linkherd_run.h"
#include "tests/support/pdf_file.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;
namespace json = boost::json;

namespace {

std::string text_at(const json::object& line, std::string_view key) {
  const json::value* value = line.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "none";
}

std::string compressed(std::string_view text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
            static_cast<uLong>(text.size()), 9);
  out.resize(size);
  return out;
}

// Half a megabyte that expands to more than any title reader may use.
const std::string& bomb() {
  static const std::string pdf =
      make_pdf("/Title (The bomb)", compressed(std::string(std::size_t{300} << 20, ' ')), "/Filter /FlateDecode");
  return pdf;
}

std::string pdf_named(const std::string& title) {
  return make_pdf("/Title (" + title + ") /Author (Jane Doe) /CreationDate (D:20240305102030+08'00')");
}

Page pdf_page(std::string body) {
  Page page;
  page.headers.emplace_back("Content-Type", "application/pdf");
  page.body = std::move(body);
  return page;
}

}  // namespace

TEST_CASE("metadata prints the same output in the same order for any number of jobs") {
  const TempDir folder;
  std::string list;
  for (int i = 0; i < 150; ++i) {
    const std::string number = std::to_string(i);
    const bool is_pdf = i % 3 == 0;
    const std::string file = number + (is_pdf ? ".pdf" : ".html");
    folder.write(
        file, is_pdf ? pdf_named("Page " + number) : "<title>Page " + number + "</title><h1>Page " + number + "</h1>");
    list += file + "\thttps://good.herd/" + file + "\n";
  }
  folder.write("pages.tsv", list);
  const ProgramResult one = run_linkherd(folder.path(), {"metadata", "--files-from", "pages.tsv"});
  const ProgramResult many = run_linkherd(folder.path(), {"metadata", "--files-from", "pages.tsv", "--jobs", "8"});
  CAPTURE(many.err);
  CHECK(one.exit_code == 0);
  CHECK(many.exit_code == 0);
  CHECK(many.out == one.out);
  const std::vector<json::object> lines = json_lines(many.out);
  REQUIRE(lines.size() == 150);
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(text_at(lines[i], "title") == "Page " + std::to_string(i));
  CHECK(text_at(lines[3], "published") == "2024-03-05T10:20:30+08:00");
}

TEST_CASE("metadata continues past unreadable files and reports them at the end") {
  const TempDir folder;
  folder.write("a.html", "<h1>One</h1>");
  const ProgramResult result =
      run_linkherd(folder.path(), {"metadata", "--jobs", "4", "a.html", "gone.html", "a.html"});
  CHECK(result.exit_code == 1);
  CHECK(json_lines(result.out).size() == 2);
  CHECK(last_line(result.err).find("gone.html") != std::string::npos);
}

TEST_CASE("unreadable headers cost only the metadata of their page") {
  const TempDir folder;
  folder.write("one.html", "<title>One</title>");
  folder.write("one.html.headers/file", "a folder where a file should be");
  folder.write("two.html", "<title>Two</title>");
  const ProgramResult result = run_linkherd(folder.path(), {"metadata", "one.html", "two.html"});
  CHECK(result.exit_code == 1);
  const std::vector<json::object> lines = json_lines(result.out);
  REQUIRE(lines.size() == 1);
  CHECK(text_at(lines[0], "title") == "Two");
  CHECK(last_line(result.err).find("one.html.headers") != std::string::npos);
}

TEST_CASE("metadata reads the pages of a folder and writes JSON lines or JSON or CSV") {
  const TempDir folder;
  folder.write("site/index.html", "<title>Fish, \"and\" chips</title><meta name=author content='=cmd()'>");
  folder.write("site/index.html.headers", "Content-Type: text/html\n");
  folder.write("site/a/b/Page.HTM", "<h1>Deep</h1>");
  folder.write("site/a/notes.md", "# Notes\n");
  folder.write("site/a/style.css", "a { color: red }");
  folder.write("site/.hidden/page.html", "<h1>Hidden</h1>");
  folder.write("empty/style.css", "");
  const ProgramResult lines = run_linkherd(folder.path(), {"metadata", "site"});
  CHECK(lines.exit_code == 0);
  std::vector<std::string> titles;
  for (const json::object& line : json_lines(lines.out))
    titles.push_back(text_at(line, "file") + " " + text_at(line, "title"));
  CHECK(titles == std::vector<std::string>{"site/a/b/Page.HTM Deep", "site/a/notes.md Notes",
                                           "site/index.html Fish, \"and\" chips"});
  CHECK_FALSE(holds(lines.out, "E-"));  // decimals are plain

  const ProgramResult array = run_linkherd(folder.path(), {"metadata", "--format", "json", "site"});
  const json::array pages = json::parse(array.out).as_array();
  REQUIRE(pages.size() == 3);
  CHECK(pages[0].as_object() == json_lines(lines.out).front());

  const ProgramResult csv = run_linkherd(folder.path(), {"metadata", "--format", "csv", "site"});
  CHECK(csv.out.starts_with("file,url,title,authors,published,"));
  CHECK(holds(csv.out, "\r\nsite/index.html,,\"Fish, \"\"and\"\" chips\","));
  CHECK(count_lines(csv.out) == 4);
  CHECK(run_linkherd(folder.path(), {"metadata", "--format", "csv", "--bom", "site"}).out == "\xEF\xBB\xBF" + csv.out);
  CHECK(run_linkherd(folder.path(), {"metadata", "--bom", "site"}).exit_code == 3);
  CHECK(run_linkherd(folder.path(), {"metadata", "--format", "csv", "--explain", "site"}).exit_code == 3);

  const ProgramResult none = run_linkherd(folder.path(), {"metadata", "--format", "json", "empty"});
  CHECK(none.exit_code == 1);
  CHECK(json::parse(none.out).as_array().empty());
  CHECK(holds(last_line(none.err), "empty contains no page"));
}

TEST_CASE("metadata --explain shows the rejected candidates with their reasons") {
  const TempDir folder;
  folder.write("page.html",
               "<title>Fish and Chips | The Site</title><meta property=og:site_name content='The Site'>"
               "<meta property=og:title content='Fish and Chips: all you need'><h1>Fish and Chips</h1>");
  const ProgramResult result = run_linkherd(folder.path(), {"metadata", "--explain", "page.html"});
  CHECK(result.exit_code == 0);
  const json::object line = json_lines(result.out).at(0);
  const json::array& titles = line.at("candidates").as_object().at("title").as_array();
  REQUIRE(titles.size() >= 2);
  CHECK(text_at(titles.front().as_object(), "value") == text_at(line, "title"));
  CHECK(text_at(titles.front().as_object(), "verdict") == "chosen");
  for (const json::value& title : titles) {
    CHECK(text_at(title.as_object(), "source") != "none");
    CHECK(title.as_object().at("confidence").is_number());
  }
  CHECK(std::ranges::any_of(titles, [](const json::value& title) {
    return text_at(title.as_object(), "value") == "Fish and Chips: all you need" &&
           text_at(title.as_object(), "verdict") != "chosen";
  }));
  const ProgramResult plain = run_linkherd(folder.path(), {"metadata", "page.html"});
  CHECK_FALSE(json_lines(plain.out).at(0).contains("candidates"));
}

TEST_CASE("metadata uses the headers beside a page") {
  const TempDir folder;
  // 鱼和薯条 in GBK, which is ambiguous without its label. "Yesterday" is relative to the date of the response.
  folder.write("page.html",
               "<title>\xD3\xE3\xBA\xCD\xCA\xED\xCC\xF5</title><h1>\xD3\xE3\xBA\xCD\xCA\xED\xCC\xF5</h1>"
               "<span class=date>\xD7\xF2\xCC\xEC 10:20</span>");
  folder.write("page.html.headers",
               "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gbk\r\nDate: Wed, 06 Mar 2024 00:00:00 GMT\r\n"
               "Content-Language: zh\r\nLink: <https://good.herd/fish>; rel=canonical\r\n\r\n");
  folder.write("list.cgi", "# Not HTML\n\n<title>x</title>");
  folder.write("list.cgi.headers", "Content-Type: text/plain\n");
  const ProgramResult result = run_linkherd(folder.path(), {"metadata", "page.html", "list.cgi"});
  CHECK(result.exit_code == 0);
  const std::vector<json::object> lines = json_lines(result.out);
  REQUIRE(lines.size() == 2);
  CHECK(text_at(lines[0], "title") == "鱼和薯条");
  CHECK(text_at(lines[0], "published").substr(0, 10) == "2024-03-05");
  CHECK(text_at(lines[0], "language") == "zh");
  CHECK(text_at(lines[0], "canonical") == "https://good.herd/fish");
  CHECK(text_at(lines[1], "title") == "Not HTML");
}

TEST_CASE("a PDF bomb costs only its own metadata") {
  const TempDir folder;
  folder.write("bomb.pdf", bomb());
  folder.write("fine.pdf", pdf_named("Fine"));
  const ProgramResult result =
      run_linkherd(folder.path(), {"metadata", "--jobs", "2", "bomb.pdf", "fine.pdf", "bomb.pdf"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::vector<json::object> lines = json_lines(result.out);
  REQUIRE(lines.size() == 3);
  CHECK(text_at(lines[1], "title") == "Fine");
}

TEST_CASE("a check reads metadata of PDFs and survives PDF bombs") {
  TempDir folder;
  SmallInternet internet;
  std::string list;
  for (int i = 0; i < 20; ++i) {
    const std::string path = "/" + std::to_string(i) + ".pdf";
    internet.host("good.herd").page(path, pdf_page(i % 4 == 0 ? bomb() : pdf_named("Paper " + std::to_string(i))));
    list += "[paper](https://good.herd" + path + ")\n";
  }
  internet.host("good.herd").page("/readme", [] {
    Page page;
    page.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
    page.body = "# The readme\n\ntext\n";
    return page;
  }());
  folder.write("list.md", list + "[readme](https://good.herd/readme)\n");
  const ProgramResult result =
      run_linkherd(folder.path(), check_arguments(internet, {"--no-store", "--format", "jsonl", "list.md"}));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const auto lines = checked_lines(result.out);
  REQUIRE(lines.size() == 21);
  for (int i = 0; i < 20; ++i) {
    const CheckedLine& line = line_of(lines, "https://good.herd/" + std::to_string(i) + ".pdf");
    CHECK(line.health == "alive");
    if (i % 4 == 0) continue;
    CHECK(line.harvest.title == "Paper " + std::to_string(i));
    CHECK(line.harvest.authors == std::vector<std::string>{"Jane Doe"});
    CHECK(line.harvest.published == "2024-03-05T10:20:30+08:00");
  }
  CHECK(line_of(lines, "https://good.herd/readme").harvest.title == "The readme");
}
