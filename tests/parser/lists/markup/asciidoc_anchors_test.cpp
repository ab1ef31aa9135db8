// Tests the ids of AsciiDoc, references to them, and the effect of included files.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "parser/lists/anchors.h"
#include "parser/lists/heading_slugs.h"
#include "parser/lists/readers.h"
#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Lines = std::vector<std::string>;

namespace {

using Files = std::map<std::string, std::string>;

ReadInclude reads(const Files& files) {
  return [files](const std::string& path) -> std::optional<std::string> {
    const auto file = files.find(path);
    return file == files.end() ? std::nullopt : std::optional(file->second);
  };
}

FoundLinks document_of(const std::string& text, const Files& files = {}) {
  return read_asciidoc_links(text, "list.adoc", {false, reads(files), true});
}

bool has_anchor(const std::string& text, const std::string& anchor, const Files& files = {}) {
  return AnchorSet::of(document_of(text, files), DocumentFormat::asciidoc).has(anchor);
}

// Returns the references of a text to itself.
Lines fragments_of(const std::string& text) {
  ExtractOptions options;
  options.include_local = true;
  options.base_url = Url::parse("file:///r/list.adoc").value();
  Lines fragments;
  for (const LinkOccurrence& link : links_of(text, DocumentFormat::asciidoc, options)) {
    if (link.href.starts_with("file:///r/list.adoc#")) fragments.push_back(link.href.substr(19));
  }
  return fragments;
}

}  // namespace

TEST_CASE("section ids are those that Asciidoctor makes") {
  struct Row {
    std::string title, prefix, separator, id;
  };
  const std::vector<Row> rows{// found by asciidoctor.js 4.1.0
                              {"Hello, World!", "_", "_", "_hello_world"},
                              {"a -- b", "_", "_", "_ab"},
                              {"a--b", "_", "_", "_ab"},
                              {"wait... b", "_", "_", "_wait_b"},
                              {"C++ & D", "_", "_", "_c_d"},
                              {"1.2 Foo", "_", "_", "_1_2_foo"},
                              {"- a", "_", "_", "_a"},
                              {"a.b-c", "_", "_", "_a_b_c"},
                              {"Größe für 日本", "_", "_", "_größe_für_日本"},
                              {"foo_bar", "_", "_", "_foo_bar"},
                              {"(C) it", "_", "_", "_it"},
                              {"a &amp; b", "_", "_", "_a_b"},
                              {"-- x", "_", "_", "_x"},
                              {"x.", "_", "_", "_x"},
                              {"..x", "_", "_", "_x"},
                              {"It's", "_", "_", "_its"},
                              {"a -> b", "_", "_", "_a_b"},
                              {"Foo (bar) [baz]", "_", "_", "_foo_bar_baz"},
                              {"Foo  Bar", "_", "_", "_foo_bar"},
                              {"a__b", "_", "_", "_a_b"},
                              {"Hello, World!", "", "-", "hello-world"},
                              {"a -- b", "", "-", "ab"},
                              {"a--b", "", "-", "ab"},
                              {"wait... b", "", "-", "wait-b"},
                              {"C++ & D", "", "-", "c-d"},
                              {"1.2 Foo", "", "-", "1-2-foo"},
                              {"- a", "", "-", "a"},
                              {"a.b-c", "", "-", "a-b-c"},
                              {"Größe für 日本", "", "-", "größe-für-日本"},
                              {"foo_bar", "", "-", "foo_bar"},
                              {"(C) it", "", "-", "it"},
                              {"a &amp; b", "", "-", "a-b"},
                              {"-- x", "", "-", "x"},
                              {"x.", "", "-", "x"},
                              {"..x", "", "-", "x"},
                              {"It's", "", "-", "its"},
                              {"a -> b", "", "-", "a-b"},
                              {"Foo (bar) [baz]", "", "-", "foo-bar-baz"},
                              {"Foo  Bar", "", "-", "foo-bar"},
                              {"a__b", "", "-", "a__b"},
                              {"Hello, World!", "x-", "", "x-helloworld"},
                              {"a -- b", "x-", "", "x-ab"},
                              {"a--b", "x-", "", "x-ab"},
                              {"wait... b", "x-", "", "x-waitb"},
                              {"C++ & D", "x-", "", "x-cd"},
                              {"1.2 Foo", "x-", "", "x-1.2foo"},
                              {"- a", "x-", "", "x--a"},
                              {"a.b-c", "x-", "", "x-a.b-c"},
                              {"Größe für 日本", "x-", "", "x-größefür日本"},
                              {"foo_bar", "x-", "", "x-foo_bar"},
                              {"(C) it", "x-", "", "x-it"},
                              {"a &amp; b", "x-", "", "x-ab"},
                              {"-- x", "x-", "", "x-x"},
                              {"x.", "x-", "", "x-x."},
                              {"..x", "x-", "", "x-..x"},
                              {"It's", "x-", "", "x-its"},
                              {"a -> b", "x-", "", "x-ab"},
                              {"Foo (bar) [baz]", "x-", "", "x-foobarbaz"},
                              {"Foo  Bar", "x-", "", "x-foobar"},
                              {"a__b", "x-", "", "x-a__b"}};
  for (const Row& row : rows) {
    CAPTURE(row.title);
    CAPTURE(row.prefix);
    CHECK(asciidoctor_id(row.title, row.prefix, row.separator) == row.id);
  }
}

TEST_CASE("AsciiDoc anchors are section ids and explicit ids") {
  const std::string sections = "= Book\n\n== Getting _Started_ with `x`\n\nPart\n----\n\n== Part\n\n== Named [[own]]\n";
  for (const char* const id :
       {"_getting_started_with_x", "_part", "_part_2", "own", "getting-started-with-x", "part-2", "toc"})
    CHECK_MESSAGE(has_anchor(sections, id), id);
  CHECK(has_anchor(sections, "Getting-Started-With-X"));  // as on GitHub's pages
  for (const char* const id : {"_gone", "_named", "_part_3", "Part_"})
    CHECK_FALSE_MESSAGE(has_anchor(sections, id), id);
  const std::string written =
      "[[a]]\n== A\n\n[#b.role]\n== B\n\n[[c,Label of C]]Text [[d]]more [#e]#marked# anchor:f[] [#f1.role]*bold*.\n\n"
      "[source#g,sh]\n----\n[[no]]\n----\n\n[id=h]\nText.\n\n[id=\"i\",reftext=\"The "
      "I\"]\nText.\n\nimage::p.png[P,id=j]\n\n"
      "* [[[k]]] Book. * [[[l,1]]] Other.\n\n++++\n<a name=\"m\"></a>\n++++\n\n+++<i "
      "id=\"n\">+++\n\n|===\n|[[o]]cell\n|===\n\n"
      ".Title of a block\n[[p]]\n====\nx\n====\n\nTerm[[q]]:: text footnote:[x]\n";
  for (const char* const id : {"a",
                               "b",
                               "c",
                               "Label of C",
                               "d",
                               "e",
                               "f",
                               "f1",
                               "g",
                               "h",
                               "i",
                               "The I",
                               "j",
                               "k",
                               "l",
                               "m",
                               "n",
                               "o",
                               "p",
                               "q",
                               "Title of a block",
                               "_footnotedef_1",
                               "A"})
    CHECK_MESSAGE(has_anchor(written, id), id);
  for (const char* const id : {"no", "_a", "_b", "b.role"}) CHECK_FALSE_MESSAGE(has_anchor(written, id), id);
}

TEST_CASE("AsciiDoc attributes decide how ids are made") {
  const std::string text = ":idprefix: s-\n:idseparator: .\n\n== The Part\n";
  CHECK(has_anchor(text, "s-the.part"));
  CHECK(has_anchor(text, "the-part"));  // on GitHub, which sets its own attributes
  CHECK_FALSE(has_anchor(text, "_the_part"));
  CHECK(has_anchor(":idprefix:\n\n== The Part\n", "the_part"));
  CHECK(has_anchor(":name: X 1\n\n== Part {name}\n\n[[{name}-b]]\n", "_part_x_1"));
  CHECK(document_of("== Part {gone}\n").has_unknown_anchors);
  CHECK(document_of("[[{context}-b]]\n").has_unknown_anchors);
  CHECK(document_of("operation::x[]\n").has_unknown_anchors);
  CHECK_FALSE(document_of("== Part\n\nimage::x[]\n\ntoc::[]\n\nTerm:: [x]\n").has_unknown_anchors);
}

TEST_CASE("AsciiDoc references inside a document are links of that document") {
  CHECK(fragments_of("<<a>> <<b,text>> <<#c>> xref:d[] xref:#e[text] link:#f[g] <<The Title>> <<Two\nlines>>") ==
        Lines{"#a", "#b", "#c", "#d", "#e", "#f", "#The%20Title", "#Two%20lines"});
  CHECK(fragments_of(":x: y\n\n<<a-{x}>> xref:{x}[]") == Lines{"#a-y", "#y"});
  CHECK(fragments_of("<<a-{gone}>> << no>> x<<1>>y `<<code>>` \\<<no>> +<<no>>+ <<>>").empty());
  CHECK(fragments_of("----\ncat <<EOF >>file\n----\n\n  cat <<EOF >>file\n").empty());
  CHECK(fragments_of("<<other.adoc#a>> xref:other.adoc[]").empty());
  const std::string text = "== The `best` Part\n\n<<The `best` Part>>";
  CHECK(has_anchor(text, fragments_of(text).at(0).substr(1)));
}

TEST_CASE("AsciiDoc includes the ids of included files") {
  const Files files{{"part.adoc", "== Part\n\ninclude::sub/deep.adoc[]\n"},
                    {"sub/deep.adoc", "[[deep]]\ninclude::beside.adoc[]\n"},
                    {"sub/beside.adoc", "[[beside]]\n"},
                    {"attributes.adoc", ":parts: sub\n:url: https://a.org\n"},
                    {"loop.adoc", "include::loop.adoc[]\n\n[[loop]]\n"},
                    {"tagged.adoc", "[[no]]\n// tag::a[]\n[[yes]]\n// end::a[]\n[[neither]]\n"}};
  const std::string text =
      "= T\ninclude::attributes.adoc[]\n:after: x\n\ninclude::part.adoc[leveloffset=+1]\n\n"
      "include::{parts}/beside.adoc[]\ninclude::gone.adoc[opts=optional]\n== Part\n\n[[own]]\n";
  for (const char* const id : {"_part", "_part_2", "deep", "beside", "own"})
    CHECK_MESSAGE(has_anchor(text, id, files), id);
  CHECK_FALSE(document_of(text, files).has_unknown_anchors);
  CHECK(has_anchor("include::loop.adoc[]", "loop", files));
  CHECK(document_of("include::loop.adoc[]", files).has_unknown_anchors);
  CHECK(has_anchor("include::tagged.adoc[tag=a]", "yes", files));
  CHECK_FALSE(has_anchor("include::tagged.adoc[tag=a]", "no", files));
  CHECK_FALSE(has_anchor("include::tagged.adoc[tags=a;b]", "neither", files));
  CHECK(has_anchor("include::tagged.adoc[tags=!b]", "neither", files));
  CHECK(has_anchor("include::tagged.adoc[lines=1..2]", "no", files));
  CHECK_FALSE(has_anchor("include::tagged.adoc[lines=\"2..3,5\"]", "no", files));
  for (const char* const include : {"include::gone.adoc[]", "include::https://a.org/x.adoc[]",
                                    "include::{gone}/part.adoc[]", "include::mod:partial$x.adoc[]"})
    CHECK_MESSAGE(document_of(include, files).has_unknown_anchors, include);
  CHECK_FALSE(
      document_of("----\ninclude::gone.rb[]\n----\n\n////\ninclude::gone.adoc[]\n////\n", files).has_unknown_anchors);
}

TEST_CASE("AsciiDoc attributes of included files apply afterwards") {
  const Files files{
      {"a/attributes.adoc", "////\n:imagesdir: no\n////\n:imagesdir: img\n:url: https://a.org\ninclude::more.adoc[]\n"},
      {"a/more.adoc", ":more: b\n"}};
  ExtractOptions options;
  options.read_include = reads(files);
  options.base_url = Url::parse("file:///r/list.adoc").value();
  const std::string text =
      "= T\ninclude::a/attributes.adoc[]\n\nimage::p.png[]\n\nlink:{url}/x[y] {url}[z] link:{more}.html[b]\n";
  Lines hrefs;
  for (const LinkOccurrence& link : links_of(text, DocumentFormat::asciidoc, options)) hrefs.push_back(link.href);
  CHECK(hrefs == Lines{"file:///r/a/attributes.adoc", "file:///r/img/p.png", "https://a.org/x", "https://a.org/",
                       "file:///r/b.html"});
  const FoundLinks found =
      document_of(":imagesdir: i\n\ninclude::a.adoc[]\n\n:imagesdir: {docdir}/j\n\ninclude::b/c.adoc[]\n");
  REQUIRE(found.includes.size() == 2);
  CHECK(found.includes[0].images_folder == "i");
  CHECK(found.includes[1].path == "b/c.adoc");
  CHECK(found.includes[1].images_folder == "./j");
}
