// The readers, one per list format. Each returns the links of a text with their exact positions. They never fail, and
// a syntax error only affects the links inside it. Time and memory are linear in the size of the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/read_include.h"
#include "parser/lists/site_generator.h"

namespace linkherd::parser {

// `include_verbatim` (here and below): also return links in code.
struct MarkdownOptions {
  bool include_verbatim = false;
  bool include_wikilinks = false;
  SiteGenerator generator = SiteGenerator::none;
  bool is_mdx = false;
  bool is_notebook = false;  // a cell of one, which shows math
  bool has_math = true;      // see ListText
};

// CommonMark with GFM tables, task lists and autolinks. Raw HTML in it is read as HTML. Files that Docusaurus makes
// pages of are read as MDX if they are valid MDX.
FoundLinks read_markdown_list(std::string_view text, const MarkdownOptions& options);

// HTML pages.
FoundLinks read_html_list(std::string_view text, bool include_verbatim, bool entries = true);  // see ExtractOptions
FoundLinks read_bookmarks(std::string_view text, bool include_verbatim);  // with their tags and times
std::vector<std::string> read_html_anchors(std::string_view text);        // FoundLinks::anchors alone, which is faster

// Raw HTML in other formats: what is below a heading is not known to belong to it.
FoundLinks read_html_fragment(std::string_view text, bool include_verbatim);

// Stylesheets: url(…) and @import, not comments, and not the namespaces of @namespace.
FoundLinks read_css_list(std::string_view text);

// Adds the links of a stylesheet, or of a style attribute, that stands in `text`. Data in the URL itself (data:) is no
// link.
void add_css_links(const MappedText& text, FoundLinks& found);

// Bare URLs, with the title before them or on the line before. A line without a URL that ends in a colon is a heading,
// as are Markdown's "# …" lines.
FoundLinks read_plain_text_list(std::string_view text);

// Adds the bare URLs of `range`, with the title before them. For prose, comments and block scalars.
void add_prose_links(std::string_view list, TextRange range, FoundLinks& found);

// reStructuredText: `text <url>`_, targets (.. _name: url), images and their targets, bare URLs.
FoundLinks read_rst_list(std::string_view text, bool include_verbatim);

struct AsciidocOptions {
  bool include_verbatim = false;
  // For the attributes that included files set, which hold afterwards. Empty: these files are not read.
  ReadInclude read_include{};
  bool has_included_anchors = false;  // also returns the anchors of included files
};

// AsciiDoc: link:url[text], url[text], images, cross references, attributes that hold URLs, bare URLs.
// `file`: its path, which tells whether Antora resolves its references.
FoundLinks read_asciidoc_list(std::string_view text, std::string_view file, const AsciidocOptions& options);

// Org: [[target][text]], <target>, link abbreviations (#+LINK), bare URLs.
FoundLinks read_org_list(std::string_view text, bool include_verbatim);

// Jupyter notebooks: Markdown cells are read as Markdown, raw cells as text, code cells only with `include_verbatim`.
// Outputs are generated and never read.
FoundLinks read_notebook_list(std::string_view text, const MarkdownOptions& options);

// JSON and JSON-LD: every URL in a string, with the title of the enclosing object.
FoundLinks read_json_list(std::string_view text);

// The same for JSON lines, each of which is a record.
FoundLinks read_json_lines_list(std::string_view text);

// Adds the links of a JSON-LD block of a page: the values of "url", "sameAs", "contentUrl", … but not vocabulary
// ("@context", "@type", "@id").
void add_json_ld_links(std::string_view list, TextRange block, FoundLinks& found);

// Every URL in a scalar of any style, with the title of the enclosing mapping; no URLs in comments. Parsed by lines
// and indentation, so that an error only affects its own line.
FoundLinks read_yaml_list(std::string_view text);

// Every URL in a string, with the title of the enclosing table; no URLs in comments.
FoundLinks read_toml_list(std::string_view text);

// Values separated by commas, semicolons, tabs or bars, with the title of their row.
FoundLinks read_csv_list(std::string_view text);

// URLs in any field, and the DOI of `doi` fields as a doi.org URL, with the title of the entry.
FoundLinks read_bibtex_list(std::string_view text);

// URLs in any field, and the DOI of DO, with the title of the reference.
FoundLinks read_ris_list(std::string_view text);

// OPML, RSS and Atom feeds, sitemaps, and any other XML with URLs. HTML in the descriptions of feeds is read as HTML.
FoundLinks read_xml_list(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
