// The formats of lists, and which one a text is in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "parser/enum_names.h"

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
  csv,         // also separated by semicolons, bars or tabs: the first line decides
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
// stands for: what folders give. Data formats are lists only where a person names the file: for those, and for
// other names, nothing is returned.
std::optional<ListFormat> list_format_of_extension(std::string_view file_name);

}  // namespace linkherd::parser
