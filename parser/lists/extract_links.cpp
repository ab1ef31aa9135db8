#include "parser/lists/extract_links.h"

#include <algorithm>
#include <utility>

#include "parser/ascii.h"
#include "parser/lists/brackets.h"
#include "parser/lists/ignore_comments.h"
#include "parser/lists/line_index.h"
#include "parser/lists/readers.h"
#include "parser/lists/resolve.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

FoundLinks read_list(const ListText& list, const ExtractOptions& options) {
  const MarkdownOptions markdown{options.include_verbatim, options.include_wikilinks};
  switch (list.format) {
    case ListFormat::markdown: return read_markdown_list(list.text, markdown);
    case ListFormat::bookmarks:
    case ListFormat::html: return read_html_list(list.text, options.include_verbatim);
    case ListFormat::restructured_text: return read_rst_list(list.text, options.include_verbatim);
    case ListFormat::asciidoc: return read_asciidoc_list(list.text, options.include_verbatim);
    case ListFormat::org: return read_org_list(list.text, options.include_verbatim);
    case ListFormat::notebook: return read_notebook_list(list.text, markdown);
    case ListFormat::csv: return read_csv_list(list.text);
    case ListFormat::json:
    case ListFormat::json_lines: return read_json_list(list.text);
    case ListFormat::yaml: return read_yaml_list(list.text);
    case ListFormat::toml: return read_toml_list(list.text);
    case ListFormat::bibtex: return read_bibtex_list(list.text);
    case ListFormat::xml: return read_xml_list(list.text, options.include_verbatim);
    case ListFormat::plain_text: break;
  }
  return read_plain_text_list(list.text);
}

// What relative targets resolve against: the text's <base>, itself resolved, comes before the caller's.
std::optional<Url> base_of(const FoundLinks& found, const ExtractOptions& options) {
  if (!found.base.empty()) {
    const Result<Url> base = options.base_url ? Url::parse(found.base, *options.base_url) : Url::parse(found.base);
    if (base.has_value()) return *base;
  }
  return options.base_url;
}

void sort_by_place(FoundLinks& found) {
  if (!std::ranges::is_sorted(found.links, {}, &FoundLink::offset)) {
    std::ranges::stable_sort(found.links, {}, &FoundLink::offset);
  }
  std::ranges::stable_sort(found.headings, {}, &FoundHeading::offset);
}

// "#section" and nothing at all are no links, but for those who ask for places within the list.
bool is_link(const FoundLink& found, bool include_local) {
  return !is_local_target(found.target) || (include_local && !trim_ascii(found.target).empty());
}

}  // namespace

void for_each_link(const ListText& list, const ExtractOptions& options,
                   const std::function<void(LinkOccurrence&)>& take) {
  FoundLinks found = read_list(list, options);
  sort_by_place(found);
  mark_ignored_links(list.text, found);
  const std::optional<Url> base = base_of(found, options);
  const bool is_page = list.format == ListFormat::html || list.format == ListFormat::xml;
  const BareHost bare_host = is_page ? BareHost::is_file : BareHost::is_host;
  LineIndex lines(list.text);
  auto next_heading = found.headings.begin();
  LinkOccurrence occurrence;  // one for all: its strings keep their capacity
  std::size_t last_place = std::string_view::npos;
  for (FoundLink& link : found.links) {
    // Two at one place are one URL, read in two ways; an empty one beside it would be none.
    const bool again = std::exchange(last_place, link.offset) == link.offset;
    if (again || !is_link(link, options.include_local)) continue;
    while (next_heading != found.headings.end() && next_heading->offset <= link.offset) ++next_heading;
    const LinePosition position = lines.at(link.offset);
    occurrence.file = list.file;
    occurrence.line = position.line;
    occurrence.column = position.column;
    occurrence.offset = link.offset;
    occurrence.length = link.length;
    occurrence.url = list.text.substr(link.offset, link.length);
    occurrence.element = link.element;
    occurrence.rel = std::move(link.rel);
    occurrence.ignored_by = link.ignored_by;
    occurrence.heading = next_heading == found.headings.begin()
                             ? std::string_view()
                             : truncate_utf8(std::prev(next_heading)->text, max_shown_heading_bytes);
    ResolvedTarget resolved = resolve_target(link.target, base ? &*base : nullptr, bare_host);
    occurrence.href = std::move(resolved.href);
    occurrence.notes = std::move(resolved.notes);
    if (link.unbalanced_bracket || (link.element != LinkElement::bare && !brackets_balanced(link.text))) {
      occurrence.notes.push_back(LinkNote::unbalanced_bracket);
    }
    if (line_break(occurrence.url, 0) != occurrence.url.size()) occurrence.notes.push_back(LinkNote::wrapped_line);
    occurrence.text = std::move(link.text);
    std::string().swap(link.target);  // frees its memory for the occurrence
    take(occurrence);
  }
}

std::vector<LinkOccurrence> extract_links(const ListText& list, const ExtractOptions& options) {
  std::vector<LinkOccurrence> occurrences;
  for_each_link(list, options, [&](LinkOccurrence& occurrence) { occurrences.push_back(std::move(occurrence)); });
  return occurrences;
}

}  // namespace linkherd::parser
