// Tests that every reader of data formats and of markup other than Markdown and HTML takes linear time for hostile
// texts.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/parser/lists/extracted.h"
#include "tests/parser/lists/hostile_text.h"

using namespace linkherd::parser;

namespace {

struct HostileFormat {
  DocumentFormat format;
  std::string first;  // a link that must survive
  std::vector<std::string> units;
};

const std::vector<HostileFormat>& hostile_formats() {
  using namespace std::literals;
  static const std::vector<HostileFormat> all{
      {DocumentFormat::json,
       "[\"https://first.org/\",\n",
       {"[",
        "{",
        "]",
        "}",
        "\"",
        "\\",
        "\"\\",
        "\"a\":",
        "{\"a\":",
        "{\"title\":\"a\",\"b\":[\"https://a.b\",",
        "\"\\uD800\",",
        "\"\\u\",",
        "/*",
        "//",
        "\"https:\\/\\/a.b\\/\"",
        ",",
        "\0"s,
        "\"\0"s,
        "[]",
        "{}"}},
      {DocumentFormat::notebook,
       R"({"cells":[{"cell_type":"markdown","source":"<https://first.org/>"},)",
       {"{", "[", "{\"cells\":[", "{\"cell_type\":\"markdown\",\"source\":[", "\"[\",", "\"source\":\"[a](\","}},
      {DocumentFormat::yaml,
       "- https://first.org/\n",
       {"[", "{",   "- ", "-\n", "a:\n ", "\"",           "'",     "\"a\n",  "a: \"\n",      "'\n", " \n", "a: |\n",
        "#", "&a ", "!",  "? ",  "{a: ",  "a: 'b\n  c\n", "---\n", "\"\\\n", "https://a.b: "}},
      {DocumentFormat::toml,
       "a = 'https://first.org/'\n",
       {"[", "{", "\"", "'", "\"\"\"", "\'\'\'", "a=", "a.", "#", "\"\\", "[a]\n", "a = \"\n"}},
      {DocumentFormat::csv,
       "https://first.org/,a\n",
       {",", "\"", "\"\",", "a\n", "\"\n", "\"a,\"\"\n", "https://a.b,"}},
      {DocumentFormat::ris,
       "TY  - JOUR\nUR  - https://first.org/\nER  - \n",
       {"TY  - ", "ER  - \n", "DO  - 10.", "TI  - ", "UR  - ", "\n", "AB  - https://a.b\n", "TY  - X\nTI  - "}},
      {DocumentFormat::bibtex,
       "@a{k, url={https://first.org/}}\n",
       {"@", "{", "}", "@a{", "@a{b,", "a={", "\"", "\\", "#", "@a{b, c={\\", "@comment{", "$\\sim", "@a{b, c=\"", "=",
        "@a{b,c=d#"}},
      {DocumentFormat::xml,
       "<loc>https://first.org/</loc>",
       {"<",
        "<a",
        "<a>",
        "</a>",
        "<a b=\"",
        "<!--",
        "<![CDATA[",
        "<!DOCTYPE [",
        "<?",
        "&",
        "&amp;",
        "&#x",
        "<a b='c' ",
        "<title>a",
        "<item><title>a</title>",
        "<outline text='a'>",
        "]]>",
        "<description>&lt;",
        "<!ENTITY a '&a;'>",
        "<a/>"}},
      {DocumentFormat::restructured_text,
       "https://first.org/\n\n",
       {"`",
        "``",
        "_",
        "a_ ",
        "`a <",
        "`a <b>`_",
        ".. ",
        "..\n",
        ".. _",
        ".. _a: b\n",
        ".. image:: a\n",
        "::\n",
        "=\n",
        "==\n",
        "a\n==\n",
        "|",
        "|`|\n",
        "|`|`| |\n| | |`|\n",
        ":a:`",
        "\\",
        ".. a::\n",
        "\n",
        ".. raw:: html\n\n <a\n"}},
      {DocumentFormat::asciidoc, "https://first.org/\n\n", {"[",
                                                            "]",
                                                            "link:",
                                                            "link:a[",
                                                            "{",
                                                            "{a}",
                                                            "<<",
                                                            ">>",
                                                            "`",
                                                            "+",
                                                            "`a",
                                                            "++",
                                                            "link:++",
                                                            "https://a[",
                                                            "----\n",
                                                            "////\n",
                                                            ":a: {a}{a}\n",
                                                            "= a\n",
                                                            "|===\n",
                                                            "image::a[link=",
                                                            "\\",
                                                            "\n",
                                                            "//\n",
                                                            "--\n",
                                                            "[source]\n",
                                                            "xref:a["}},
      {DocumentFormat::org,
       "https://first.org/\n\n",
       {"[", "[[", "]]", "[[a]", "[[a][", "[[a][b]]", "=", "~", "=a", " =a", "* a\n", "#+begin_src\n", "#+LINK: a b\n",
        "[[a:b]]", ": a\n", "[[\\", "\n", "# a\n"}}};
  return all;
}

}  // namespace

TEST_CASE("repeated constructs take linear time in every other format") {
  for (const HostileFormat& hostile : hostile_formats()) {
    for (const std::string& unit : hostile.units) {
      CAPTURE(enum_name(document_format_names, hostile.format));
      CAPTURE(unit);
      const std::vector<LinkOccurrence> links = links_of(hostile.first + repeated(unit), hostile.format);
      CHECK(has_url(links, "https://first.org/"));
    }
  }
}
