// The readers, one per document format. Each returns the links of a document with their exact positions. Readers never
// fail; a syntax error only affects the links inside it. Time and memory are linear in the size of the text. The text
// must outlive the result, which may contain views of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/found_link.h"
#include "parser/lists/mapped_text.h"
#include "parser/lists/read_include.h"
#include "parser/lists/site_generator.h"

namespace linkherd::parser {

// Here and below, `include_verbatim` also returns links in code.
struct MarkdownOptions {
  bool include_verbatim = false;
  bool include_wikilinks = false;
  SiteGenerator generator = SiteGenerator::none;
  bool is_mdx = false;
  bool is_notebook = false;        // the text is a cell of a Jupyter notebook, which renders math
  bool has_math = true;            // see DocumentText
  bool parses_block_html = false;  // the same applies here
};

// Reads CommonMark with GFM tables, task lists and autolinks. Raw HTML in it is read as HTML. Files of a Docusaurus
// site are read as MDX if they are valid MDX.
FoundLinks read_markdown_links(std::string_view text, const MarkdownOptions& options);

// Reads an HTML page. `entries` is described in ExtractOptions.
FoundLinks read_html_links(std::string_view text, bool include_verbatim, bool entries = true);
// Reads a bookmark file, including the tags and times of bookmarks.
FoundLinks read_bookmarks(std::string_view text, bool include_verbatim);
// Returns only FoundLinks::anchors of an HTML page, which is faster than reading its links.
std::vector<std::string> read_html_anchors(std::string_view text);

// Reads raw HTML in other formats. The text below a heading is not assigned to the heading, because such a fragment
// does not show which section the text belongs to.
FoundLinks read_html_fragment(std::string_view text, bool include_verbatim);

// Reads the url(…) and @import of a stylesheet. Ignores comments and the namespaces of @namespace.
FoundLinks read_css_links(std::string_view text);

// Adds the links of the stylesheet or style attribute `text`. A data: URL is not a link.
void add_css_links(const MappedText& text, FoundLinks& found);

// Reads bare URLs, with the title before them or on the line before. A line without a URL that ends in a colon is a
// heading, and so are Markdown's "# …" lines.
FoundLinks read_plain_text_links(std::string_view text);

// Adds the bare URLs in `range`, with the titles before them. Used for prose, comments and block scalars.
void add_prose_links(std::string_view document, TextRange range, FoundLinks& found);

// Reads reStructuredText: `text <url>`_, targets (.. _name: url), images and their targets, and bare URLs.
// Sphinx takes the argument of an image directive for the path of a file, so "#" and "?" are parts of the name.
FoundLinks read_rst_links(std::string_view text, bool include_verbatim, SiteGenerator generator);

struct AsciidocOptions {
  bool include_verbatim = false;
  // Reads included files for the attributes that they set, which apply to the rest of the document. If empty, included
  // files are not read.
  ReadInclude read_include{};
  bool has_included_anchors = false;  // also return the anchors of included files
};

// Reads AsciiDoc: link:url[text], url[text], images, cross references, attributes that hold URLs, and bare URLs.
// `file` is the path of the document, which determines whether Antora resolves its references.
FoundLinks read_asciidoc_links(std::string_view text, std::string_view file, const AsciidocOptions& options);

// Reads Org files: [[target][text]], <target>, link abbreviations (#+LINK), and bare URLs.
FoundLinks read_org_links(std::string_view text, bool include_verbatim);

// Reads Jupyter notebooks. Markdown cells are read as Markdown and raw cells as text. Code cells are read only with
// `include_verbatim`. Outputs are generated and never read.
FoundLinks read_notebook_links(std::string_view text, const MarkdownOptions& options);

// Reads JSON and JSON-LD: every URL in a string, with the title of the enclosing object.
FoundLinks read_json_links(std::string_view text);

// Reads JSON lines, each of which is a record.
FoundLinks read_json_lines_links(std::string_view text);

// Adds the links of a JSON-LD block of a page: the values of "url", "sameAs", "contentUrl" and similar keys. Vocabulary
// ("@context", "@type", "@id") is ignored.
void add_json_ld_links(std::string_view document, TextRange block, FoundLinks& found);

// Reads YAML: every URL in a scalar of any style, with the title of the enclosing mapping. URLs in comments are
// ignored. The text is parsed by lines and indentation, so an error only affects its own line.
FoundLinks read_yaml_links(std::string_view text);

// Reads TOML: every URL in a string, with the title of the enclosing table. URLs in comments are ignored.
FoundLinks read_toml_links(std::string_view text);

// Reads values separated by commas, semicolons, tabs or bars. Links get the title of their row.
FoundLinks read_csv_links(std::string_view text);

// Reads URLs in any field, and the DOIs of `doi` fields as doi.org URLs. Links get the title of the BibTeX entry.
FoundLinks read_bibtex_links(std::string_view text);

// Reads URLs in any field, and the DOIs of DO fields as doi.org URLs. Links get the title of the reference.
FoundLinks read_ris_links(std::string_view text);

// Reads OPML, RSS and Atom feeds, sitemaps, and any other XML with URLs. HTML in the descriptions of feeds is read as
// HTML.
FoundLinks read_xml_links(std::string_view text, bool include_verbatim);

}  // namespace linkherd::parser
