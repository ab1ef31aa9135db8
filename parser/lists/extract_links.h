// Extracts all links of an input document, in the order of the text. Extraction never fails: a text that is not in the
// expected format just has no links.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/anchors.h"
#include "parser/lists/document_format.h"
#include "parser/lists/link_occurrence.h"
#include "parser/lists/read_include.h"
#include "parser/lists/site_generator.h"
#include "parser/url/url.h"

namespace linkherd::parser {

struct DocumentText {
  std::string_view file;  // copied into every occurrence
  std::string_view text;  // well-formed UTF-8 (see decode_text), less than 4 GiB
  DocumentFormat format = DocumentFormat::plain_text;
  SiteGenerator generator = SiteGenerator::none;  // decides the dialect of Markdown and reST
  bool has_math = true;            // false if the generator needs a plugin for math and is configured without one
  bool parses_block_html = false;  // true if kramdown is configured to read Markdown in the blocks of HTML
};

struct ExtractOptions {
  bool include_verbatim = false;   // also return links in code blocks and code spans
  bool include_wikilinks = false;  // also return Markdown's [[page]] and [[page|text]]
  bool include_local = false;      // also return links within the document, such as "#section"
  bool entries = true;             // false for a page of a site, which lists nothing: all of its links are prose
  std::optional<Url> base_url;     // base of relative links; a <base> element in the text takes precedence
  ReadInclude read_include{};      // reads the files that AsciiDoc includes, because they may set attributes
};

// Properties of a document besides its links.
struct DocumentInfo {
  AnchorSet anchors;         // empty if has_known_anchors() returns false for the format
  bool has_base = false;     // the document has a <base> element
  bool is_template = false;  // the document is HTML that a template engine or another program completes
};

// How to resolve a target such as "example.com/x". In markup it is a file next to the document, as in a browser. In
// running text and in data formats it is a host.
enum class BareHost { is_host, is_file };

// Returns true if a target is an example or contains a part that a template fills in. This is LinkNote::placeholder
// without the check for reserved hosts such as example.com.
bool has_placeholder(std::string_view target);

// Calls `visit` for each link. All calls receive the same LinkOccurrence object, so a document with a million links
// needs the memory of one occurrence. `visit` may change the object or move from it, because it is filled in again for
// each link. `info` may be null; otherwise it is filled in before the first call.
void for_each_link(const DocumentText& document, const ExtractOptions& options,
                   const std::function<void(LinkOccurrence&)>& visit, DocumentInfo* info = nullptr);

// A target that is not resolved yet.
struct LinkTarget {
  std::string_view text;
  const Url* base = nullptr;  // may be null
  BareHost bare_host = BareHost::is_host;

  // Returns the URL. If the target has none, returns nullopt and adds the reason to the notes.
  std::optional<Url> resolve(std::vector<LinkNote>& notes) const;
  // Does the same for an occurrence: sets its href and puts the notes before its other notes.
  std::optional<Url> resolve(LinkOccurrence& occurrence) const;
};

// Does the same as for_each_link(), but leaves the resolution to the caller, who may already know many of the targets.
// The occurrences have neither an href nor the notes about it.
void for_each_target(const DocumentText& document, const ExtractOptions& options,
                     const std::function<void(LinkOccurrence&, const LinkTarget&)>& visit,
                     DocumentInfo* info = nullptr);

}  // namespace linkherd::parser
