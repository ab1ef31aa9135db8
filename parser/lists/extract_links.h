// Extracts every link of a list file, in the order of the text. Never fails: a text that is not a list has no links.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/lists/anchors.h"
#include "parser/lists/link_occurrence.h"
#include "parser/lists/list_format.h"
#include "parser/lists/read_include.h"
#include "parser/lists/site_generator.h"
#include "parser/url/url.h"

namespace linkherd::parser {

struct ListText {
  std::string_view file;  // copied into every occurrence
  std::string_view text;  // well-formed UTF-8 (see decode_text), less than 4 GiB
  ListFormat format = ListFormat::plain_text;
  SiteGenerator generator = SiteGenerator::none;  // decides the dialect of Markdown
  bool has_math = true;  // false: the generator needs a plugin for math, and is configured without one
};

struct ExtractOptions {
  bool include_verbatim = false;   // also links in code blocks and code spans
  bool include_wikilinks = false;  // also Markdown's [[page]] and [[page|text]]
  bool include_local = false;      // also "#section": links within the same list
  bool entries = true;             // false: a page of a site is no list, and all of its links are prose
  std::optional<Url> base_url;     // base of relative links; a <base> in the text takes precedence
  ReadInclude read_include{};      // of AsciiDoc, whose attributes may be set in included files
};

// What a list has beside its links.
struct ListFacts {
  AnchorSet anchors;         // none where has_known_anchors() says so
  bool has_base = false;     // a <base>
  bool is_template = false;  // HTML with links that a template engine fills in
};

// The URL of a link target.
struct ResolvedTarget {
  std::optional<Url> url;  // nullopt if there is none; `notes` say why
  std::vector<LinkNote> notes;

  std::string_view href() const { return url ? url->href() : std::string_view(); }
};

// How to resolve a target such as "example.com/x". In markup it is a file beside the list, as in a browser; in running
// text and in the values of data formats it is a host.
enum class BareHost { is_host, is_file };

ResolvedTarget resolve_target(std::string_view target, const Url* base, BareHost bare_host);
// Whether a target is an illustration, or what a template fills in: LinkNote::placeholder, but for what its host says.
bool has_placeholder(std::string_view target);

// Calls `take` for each link. All calls get the same occurrence, so a list of a million links needs the memory of one.
// `take` may change it or move from it; it is filled again for each link.
// `facts` may be null; they are filled in before the first call.
void for_each_link(const ListText& list, const ExtractOptions& options,
                   const std::function<void(LinkOccurrence&)>& take, ListFacts* facts = nullptr);

// A target that is still to be resolved.
struct LinkTarget {
  std::string_view text;
  const Url* base = nullptr;
  BareHost bare_host = BareHost::is_host;

  // Fills in the occurrence's href and the notes on it. Returns the URL, if there is one.
  std::optional<Url> resolve(LinkOccurrence& occurrence) const;
};

// The same for a caller that knows many of the targets: the occurrences have no href yet, nor the notes on it.
void for_each_target(const ListText& list, const ExtractOptions& options,
                     const std::function<void(LinkOccurrence&, const LinkTarget&)>& take, ListFacts* facts = nullptr);

}  // namespace linkherd::parser
