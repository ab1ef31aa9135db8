// Tests how targets are resolved: hosts without a scheme, placeholders, relative files.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "parser/lists/extract_links.h"
#include "parser/lists/host_names.h"
#include "tests/parser/lists/extracted.h"

using namespace linkherd::parser;
using Notes = std::vector<LinkNote>;

namespace {

struct ResolveRow {
  std::string target;
  std::string href;
  Notes notes;
};

void check_resolve(const std::vector<ResolveRow>& rows, const Url* base, BareHost bare_host) {
  for (const ResolveRow& row : rows) {
    CAPTURE(row.target);
    Notes notes;
    const std::optional<Url> url = LinkTarget{row.target, base, bare_host}.resolve(notes);
    CHECK((url ? url->href() : "") == row.href);
    CHECK(notes == row.notes);
  }
}

}  // namespace

TEST_CASE("targets without a base are resolved or noted") {
  using enum LinkNote;
  check_resolve(
      {{"https://zhihu.com", "https://zhihu.com/", {}},
       {"  HTTPS://Zhihu.com/a b ", "https://zhihu.com/a%20b", {}},
       {"newsletter.maartengrootendorst.com/p/x", "https://newsletter.maartengrootendorst.com/p/x", {missing_scheme}},
       {"github.com", "https://github.com/", {missing_scheme}},
       {"www.python.org", "https://www.python.org/", {missing_scheme}},
       {"python.org:8443/x", "https://python.org:8443/x", {missing_scheme}},
       {"//python.org/x", "https://python.org/x", {missing_scheme}},
       {"README.md", "", {relative}},
       {"README.md#top", "", {relative}},
       {"setup.py", "", {relative}},
       {"docs/guide.html", "", {relative}},
       {"./a", "", {relative}},
       {"../a.md", "", {relative}},
       {"/a/b", "", {relative}},
       {"?q=1", "", {relative}},
       {"a.b.nosuchsuffix/x", "", {relative}},
       {"name@python.org", "", {relative}},
       {"mailto:name@python.org", "mailto:name@python.org", {}},
       {"javascript:void(0)", "javascript:void(0)", {}},
       {"tel:+123", "tel:+123", {}},
       {"https://", "", {invalid_url}},
       {"http://[bad", "", {invalid_url}},
       {"https://example.com/x", "https://example.com/x", {placeholder}},
       {"https://www.example.org", "https://www.example.org/", {placeholder}},
       {"https://notexample.com/", "https://notexample.com/", {}},
       {"http://localhost:8080/x", "http://localhost:8080/x", {placeholder}},
       {"localhost:8080/x", "https://localhost:8080/x", {missing_scheme, placeholder}},
       {"https://a.test/", "https://a.test/", {placeholder}},
       {"https://a.invalid/", "https://a.invalid/", {placeholder}},
       {"http://127.0.0.1/", "http://127.0.0.1/", {}},
       {"https://{host}/a", "https://{host}/a", {placeholder}},
       {"https://python.org/{{ version }}/x", "https://python.org/%7B%7B%20version%20%7D%7D/x", {placeholder}},
       {"https://python.org/<name>", "https://python.org/%3Cname%3E", {placeholder}},
       {"https://python.org/?q={\"a\":1}", "https://python.org/?q={%22a%22:1}", {}},
       {"{base}/a", "", {placeholder, relative}}},
      nullptr, BareHost::is_host);
}

TEST_CASE("template expressions are placeholders") {
  const auto is_placeholder = [](std::string_view target) {
    Notes notes;
    LinkTarget{target, nullptr, BareHost::is_file}.resolve(notes);
    return std::ranges::find(notes, LinkNote::placeholder) != notes.end();
  };
  for (const char* target : {"{{ '/x' | relative_url }}",
                             "{{ asset('x') }}",
                             "{% url 'home' %}",
                             "<%= u %>",
                             "%= u %",
                             "?= $u ?",
                             "<?php echo $x ?>",
                             "%s",
                             "https://a.org/%s/x",
                             "https://a.org/%d",
                             "https://a.org/%(name)s",
                             "https://a.org/%1$s?x",
                             "${x}",
                             "https://a.org/${x.y}",
                             "{props.url}",
                             "{`/x/${y}`}",
                             "@{/x}",
                             "https://a.org/{id}",
                             "{{ asset(",
                             "|filename|/a.md",
                             "%PUBLIC_URL%/a.ico",
                             "http://user:***@host:port/x",
                             "http://example.com:80x/",
                             "http://www.%",
                             "http://a.org/%[path]",
                             "$relpath^jquery.js",
                             "$relpath^$stylesheet",
                             "$projectlogo",
                             "$(ProjectDir)/a.md",
                             "http://$NODE_IP:$NODE_PORT",
                             "http://localhost:$PORT/x",
                             "ftp://me@$host",
                             "__FILENAME__.json",
                             "@routes.Assets.at(",
                             "@Url.Action(\"Index\")",
                             "@site/static/a.png",
                             "@/a.png",
                             "`Enum.map/2`",
                             "\" + root + \"/a.html",
                             "' + url + '"}) {
    CAPTURE(target);
    CHECK(is_placeholder(target));
  }
  for (const char* target : {"https://a.org/%E4%B8%AD",
                             "https://a.org/100%sure",
                             "https://a.org/%d0%b0",
                             "https://a.org/?q={\"a\":1}",
                             "https://a.org/$x",
                             "https://a.org?$x",
                             "https://me:pa$s@a.org/",
                             "https://a.org/a%20(b)",
                             "https://a.org/x#{\"a\":{\"b\":1}}",
                             "http://a.org:80x/",
                             "https://a.org/100%",
                             "a$b.md",
                             "a__b__.md",
                             "__init__.py",
                             "a.md#__FILE__",
                             "https://a.org/__FILE__",
                             "@user",
                             "a@b.org",
                             "a`b`",
                             "a+b.md"}) {
    CAPTURE(target);
    CHECK_FALSE(is_placeholder(target));
  }
}

TEST_CASE("targets with a base are resolved") {
  using enum LinkNote;
  const Url base = Url::parse("http://site.org/docs/index.html").value();
  check_resolve({{"a.md", "http://site.org/docs/a.md", {}},
                 {"/a", "http://site.org/a", {}},
                 {"//python.org/x", "http://python.org/x", {}},
                 {"python.org/x", "https://python.org/x", {missing_scheme}}},
                &base, BareHost::is_host);
  check_resolve({{"python.org/x", "http://site.org/docs/python.org/x", {}}}, &base, BareHost::is_file);
  const Url folder = Url::parse("file:///docs/index.md").value();
  check_resolve({{"README.org", "file:///docs/README.org", {missing_scheme}},
                 {"README.org#usage", "file:///docs/README.org#usage", {missing_scheme}},
                 {"config.h.in", "file:///docs/config.h.in", {missing_scheme}},
                 {"python.org/x?a=1", "file:///docs/python.org/x?a=1", {missing_scheme}},
                 {"www.python.org", "file:///docs/www.python.org", {missing_scheme}},
                 {"example.org", "file:///docs/example.org", {missing_scheme, placeholder}},
                 {"python.org:8443/x", "https://python.org:8443/x", {missing_scheme}},
                 {"//python.org/x", "https://python.org/x", {missing_scheme}},
                 {"README.md", "file:///docs/README.md", {}}},
                &folder, BareHost::is_file);
  check_resolve({{"python.org/x", "https://python.org/x", {missing_scheme}}}, &folder, BareHost::is_host);
  check_resolve({{"README.org", "", {missing_scheme, relative}}}, nullptr, BareHost::is_file);
}

TEST_CASE("a target without scheme is a file in markup and a host in text and data") {
  struct Case {
    DocumentFormat format;
    std::string text;
    std::string href;
  };
  const std::string file = "file:///docs/README.org";
  const std::string host = "https://www.python.org/x";
  const std::vector<Case> cases{
      {DocumentFormat::markdown, "[a](README.org)\n", file},
      {DocumentFormat::markdown, "![a](README.org)\n", file},
      {DocumentFormat::markdown, "[a]\n\n[a]: README.org\n", file},
      {DocumentFormat::markdown, "<a href=\"README.org\">a</a>\n", file},
      {DocumentFormat::markdown, "See www.python.org/x for more.\n", host},
      {DocumentFormat::html, "<a href=README.org>a</a>", file},
      {DocumentFormat::html, "<p>See www.python.org/x for more.</p>", host},
      {DocumentFormat::restructured_text, "`a <README.org>`_\n", file},
      {DocumentFormat::restructured_text, "a_\n\n.. _a: README.org\n", file},
      {DocumentFormat::asciidoc, "link:README.org[a]\n", file},
      {DocumentFormat::org, "[[file:README.org][a]]\n", file},
      {DocumentFormat::notebook, R"x({"nbformat":4,"cells":[{"cell_type":"markdown","source":["[a](README.org)"]}]})x",
       file},
      {DocumentFormat::plain_text, "See www.python.org/x for more.\n", host},
      {DocumentFormat::csv, "name,url\na,www.python.org/x\n", host},
      {DocumentFormat::bookmarks, "<DL><DT><A HREF=\"www.python.org/x\">a</A></DL>", host}};
  ExtractOptions options;
  options.base_url = Url::parse("file:///docs/index.md").value();
  for (const Case& each : cases) {
    CAPTURE(each.text);
    const std::vector<LinkOccurrence> links =
        extract_links({.file = "index.md", .text = each.text, .format = each.format}, options);
    REQUIRE(links.size() == 1);
    CHECK(links.front().href == each.href);
  }
}

TEST_CASE("anchors of the same list are no links by default") {
  const DocumentText list{
      .file = "a.html",
      .text = "<a href=''>a</a><a href=' \n'>b</a><a href='#section'>c</a><a href='a#section'>d</a>",
      .format = DocumentFormat::html};
  const std::vector<LinkOccurrence> links = extract_links(list, {});
  REQUIRE(links.size() == 1);
  CHECK(links.front().url == "a#section");
}

TEST_CASE("host names end in a public suffix") {
  CHECK(is_public_host_name("zhihu.com"));
  CHECK(is_public_host_name("A.B.CO.UK"));
  CHECK(is_public_host_name("中文.中国"));
  CHECK_FALSE(is_public_host_name("com"));
  CHECK_FALSE(is_public_host_name("a..com"));
  CHECK_FALSE(is_public_host_name("a.com."));
  CHECK_FALSE(is_public_host_name("-a.com"));
  CHECK_FALSE(is_public_host_name("a b.com"));
  CHECK_FALSE(is_public_host_name(std::string(1000, 'a') + ".com"));
  CHECK_FALSE(is_public_host_name(""));
}
