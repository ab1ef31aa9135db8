// The readers, one a list format: each finds the links of a text with their exact places. None ever fails, and what is
// broken in a text costs only the links inside it. Time and memory are linear in the size of the text.
#pragma once

#include <string_view>

#include "parser/lists/found_link.h"

namespace linkherd::parser {

// `include_verbatim`, here and below: also the links in code.
struct MarkdownOptions {
  bool include_verbatim = false;
  bool include_wikilinks = false;
};

// CommonMark, and the tables, task lists and autolinks of GFM. Raw HTML in it is read as HTML.
FoundLinks read_markdown_list(std::string_view text, const MarkdownOptions& options);

// HTML pages, and the raw HTML in other formats.
FoundLinks read_html_list(std::string_view text, bool include_verbatim);

// Bare URLs, with the title in front of them or on the line before. A line without a URL that ends in a colon is a
// heading, as are Markdown's "# …" lines.
FoundLinks read_plain_text_list(std::string_view text);

// Adds the bare URLs at `range`, with the title in front of them: prose, comments, block scalars.
void add_prose_links(std::string_view list, TextRange range, FoundLinks& found);

// reStructuredText: `text <url>`_, targets (.. _name: url), images and their targets, bare URLs.
FoundLinks read_rst_list(std::string_view text, bool include_verbatim);

// AsciiDoc: link:url[text], url[text], images, cross references to other files, attributes that hold URLs, bare URLs.
FoundLinks read_asciidoc_list(std::string_view text, bool include_verbatim);

// Org: [[target][text]], <target>, link abbreviations (#+LINK), bare URLs.
FoundLinks read_org_list(std::string_view text, bool include_verbatim);

// Jupyter notebooks: Markdown cells are read as Markdown, raw cells as text. Code cells are read only with
// `include_verbatim`, outputs never: they are generated.
FoundLinks read_notebook_list(std::string_view text, const MarkdownOptions& options);

// JSON, JSON lines and JSON-LD: every URL in a string, with the title of the object it stands in.
FoundLinks read_json_list(std::string_view text);

// Adds the links that a JSON-LD block of a page gives as such: "url", "sameAs", "contentUrl", … Vocabulary ("@context",
// "@type", "@id") is none.
void add_json_ld_links(std::string_view list, TextRange block, FoundLinks& found);

// Every URL in a scalar of any style, with the title of the mapping it stands in; comments have none. By lines and
// indentation, so that a mistake costs no more than its own line.
FoundLinks read_yaml_list(std::string_view text);

// Every URL in a string, with the title of the table it stands in; comments have none.
FoundLinks read_toml_list(std::string_view text);

// Values separated by commas, semicolons, tabs or bars, with the title of their row.
FoundLinks read_csv_list(std::string_view text);

// URLs in any field, and what `doi` names at doi.org, with the title of their entry.
FoundLinks read_bibtex_list(std::string_view text);

// OPML, RSS and Atom feeds, sitemaps, and whatever other XML holds URLs. HTML inside a feed's descriptions is read as
// HTML.
FoundLinks read_xml_list(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
