// Every link of a list file, in the order of the text. Never fails: what is no list simply has no links.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/enum_names.h"
#include "parser/lists/link_occurrence.h"
#include "parser/url/url.h"

namespace linkherd::parser {

// The names are what `--input-format` takes.
enum class ListFormat : std::uint8_t {
  markdown,
  html,
  plain_text,
  restructured_text,
  asciidoc,
  org,
  notebook,    // Jupyter
  csv,         // also separated by semicolons, bars or tabs: what separates is seen in the first line
  json,        // also with comments
  json_lines,  // a JSON value a line
  yaml,
  toml,
  bibtex,
  xml,        // OPML, RSS, Atom, sitemaps, and any other
  bookmarks,  // Netscape bookmark files, which every browser exports
};
inline constexpr std::array<EnumName<ListFormat>, 15> list_format_names{{{ListFormat::markdown, "markdown"},
                                                                         {ListFormat::html, "html"},
                                                                         {ListFormat::plain_text, "text"},
                                                                         {ListFormat::restructured_text, "rst"},
                                                                         {ListFormat::asciidoc, "asciidoc"},
                                                                         {ListFormat::org, "org"},
                                                                         {ListFormat::notebook, "notebook"},
                                                                         {ListFormat::csv, "csv"},
                                                                         {ListFormat::json, "json"},
                                                                         {ListFormat::json_lines, "jsonl"},
                                                                         {ListFormat::yaml, "yaml"},
                                                                         {ListFormat::toml, "toml"},
                                                                         {ListFormat::bibtex, "bibtex"},
                                                                         {ListFormat::xml, "xml"},
                                                                         {ListFormat::bookmarks, "bookmarks"}}};

// By the file's name (its extension), then by its content; plain text where neither tells. ".html" is looked into, too:
// browsers give bookmark files that name.
ListFormat detect_list_format(std::string_view file_name, std::string_view text);

// The prose format (Markdown, HTML, text, reStructuredText, AsciiDoc, Org, notebook) that a name such as "list.md"
// stands for: what folders give. Data formats are lists only where a person names the file: for those, and for names
// that say nothing, there is nothing here.
std::optional<ListFormat> list_format_of_extension(std::string_view file_name);

struct ListText {
  std::string_view file;  // its name, copied into every occurrence
  std::string_view text;  // well-formed UTF-8 (see decode_text), less than 4 GiB
  ListFormat format = ListFormat::plain_text;
};

struct ExtractOptions {
  bool include_verbatim = false;   // also links in code blocks and code spans
  bool include_wikilinks = false;  // also Markdown's [[page]] and [[page|text]]
  bool include_local = false;      // also "#section": places within the same list
  std::optional<Url> base_url;     // what relative links resolve against; a <base> in the text comes first
};

std::vector<LinkOccurrence> extract_links(const ListText& list, const ExtractOptions& options);

// The same, one by one: a list of a million links need not be in memory as a million occurrences. There is only one,
// which `take` may change or move from: it is filled in anew for each link.
void for_each_link(const ListText& list, const ExtractOptions& options,
                   const std::function<void(LinkOccurrence&)>& take);

}  // namespace linkherd::parser
