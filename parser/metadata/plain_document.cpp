#include "parser/metadata/plain_document.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/embedded_json.h"
#include "parser/metadata/text_values.h"
#include "parser/utf8.h"

namespace linkherd::parser {
namespace {

namespace json = boost::json;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = trim_ascii(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// Returns true for "===" or "---", as below a heading.
bool is_underline(std::string_view line) {
  return line.size() >= 3 && (line.front() == '=' || line.front() == '-') &&
         std::ranges::all_of(line, [&](char c) { return c == line.front(); });
}

// Returns the text of "# Heading #". Empty for other lines.
std::string_view heading_of(std::string_view line) {
  const std::size_t marks = std::min(line.find_first_not_of('#'), line.size());
  if (marks == 0 || marks > 6 || marks == line.size() || line[marks] != ' ') return {};
  line = trim_ascii(line.substr(marks));
  while (line.ends_with('#')) line.remove_suffix(1);
  return trim_ascii(line);
}

// Removes emphasis, code and link syntax. Long lines are cut, because the search for the ends of links is quadratic.
std::string without_markup(std::string_view line) {
  constexpr std::size_t max_line = 4 * max_title;
  line = truncate_utf8(line, max_line);
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '*' || line[at] == '`') continue;
    if (line[at] == ']' && at + 1 < line.size() && line[at + 1] == '(') {
      at = std::min(line.find(')', at), line.size() - 1);
      continue;
    }
    if (line[at] == '[' && line.find("](", at) != std::string_view::npos) continue;
    text += line[at];
  }
  return clean_value(text, max_title);
}

struct Heading {
  std::string text;
  bool marked = false;  // true if marked as a heading; otherwise it is only the first line
};

Heading first_heading(std::string_view text) {
  constexpr std::size_t max_lines = 400;
  Heading first;
  std::string_view before;
  bool fenced = false;
  for (std::size_t lines = 0; lines < max_lines && !text.empty(); ++lines) {
    const std::string_view line = take_line(text);
    if (line.starts_with("```") || line.starts_with("~~~")) fenced = !fenced;
    if (fenced) continue;
    if (const std::string_view heading = heading_of(line); !heading.empty()) return {without_markup(heading), true};
    if (!before.empty() && is_underline(line)) return {without_markup(before), true};
    if (first.text.empty() && !line.empty() && !is_underline(line)) first.text = without_markup(line);
    before = line;
  }
  return first;
}

void read_entry(std::string_view key, std::string_view value, Timestamp now, Metadata& metadata) {
  constexpr double trust = 0.8;
  if (key == "title") {
    if (std::string title = clean_value(value, max_title); !title.empty())
      metadata.title = Field<std::string>{std::move(title), "front_matter", trust};
  } else if (key == "author" || key == "authors") {
    std::string list(value);
    std::erase_if(list, [](char c) { return c == '[' || c == ']' || c == '"'; });
    if (std::vector<std::string> names = names_in_byline(list, {}); !names.empty())
      metadata.authors = Field<std::vector<std::string>>{std::move(names), "front_matter", trust};
  } else if (key == "date" || key == "published" || key == "lastmod" || key == "updated") {
    const auto date = parse_written_date(value);
    if (!date || !is_plausible(*date, now)) return;
    auto& field = key == "date" || key == "published" ? metadata.published : metadata.modified;
    field = Field<std::string>{to_iso8601(*date), "front_matter", trust};
  } else if (key == "description") {
    metadata.description = Field<std::string>{clean_value(value, max_description), "front_matter", trust};
  }
}

// Reads the lines "key: value" between two "---" at the start of a text, and moves `text` past them.
void read_front_matter(std::string_view& text, Timestamp now, Metadata& metadata) {
  constexpr std::size_t max_lines = 100;
  std::string_view rest = text;
  if (take_line(rest) != "---") return;
  Metadata found = metadata;
  for (std::size_t lines = 0; lines < max_lines && !rest.empty(); ++lines) {
    const std::string_view line = take_line(rest);
    if (line == "---" || line == "...") {
      text = rest;
      metadata = std::move(found);
      return;
    }
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      read_entry(to_ascii_lower(trim_ascii(line.substr(0, colon))), unquoted(line.substr(colon + 1)), now, found);
  }
}

// Returns the source of a cell, which is a string or a list of lines.
std::string source_of(const json::value& cell) {
  const json::value* source = at_path(cell, "source");
  if (source == nullptr || !source->is_array()) return text_of(source);
  constexpr std::size_t max_source = std::size_t{64} << 10;
  std::string text;
  for (const json::value& line : source->get_array()) {
    if (text.size() > max_source) break;
    text += text_of(&line);
  }
  return text;
}

}  // namespace

Metadata extract_text_metadata(std::string_view utf8, Timestamp now) {
  Metadata metadata;
  read_front_matter(utf8, now, metadata);
  if (metadata.title) return metadata;
  Heading heading = first_heading(utf8);
  if (heading.text.empty()) return metadata;
  metadata.title = heading.marked ? Field<std::string>{std::move(heading.text), "heading", 0.7}
                                  : Field<std::string>{std::move(heading.text), "first_line", 0.4};
  return metadata;
}

bool is_notebook(std::string_view bytes) {
  return trim_ascii(bytes.substr(0, 64)).starts_with('{') && bytes.find("\"nbformat\"") != std::string_view::npos &&
         bytes.find("\"cells\"") != std::string_view::npos;
}

Metadata extract_notebook_metadata(std::string_view text, Timestamp now) {
  constexpr std::size_t max_notebook = std::size_t{16} << 20;  // notebooks contain images
  Metadata metadata;
  json::value notebook;
  if (!parse_embedded_json(text, notebook, max_notebook)) return metadata;
  if (const std::string title = text_of(at_path(notebook, "metadata.title")); !title.empty())
    read_entry("title", title, now, metadata);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < max_authors; ++i) {
    const json::value* author = at_path(notebook, "metadata.authors." + std::to_string(i));
    if (author == nullptr) break;
    const std::string name = author->is_object() ? text_of(at_path(*author, "name")) : text_of(author);
    add_names(names, names_in_byline(name, {}));
  }
  if (!names.empty()) metadata.authors = Field<std::vector<std::string>>{std::move(names), "notebook", 0.8};
  const json::value* cells = at_path(notebook, "cells");
  if (metadata.title || cells == nullptr || !cells->is_array()) return metadata;
  for (const json::value& cell : cells->get_array()) {
    if (text_of(at_path(cell, "cell_type")) != "markdown") continue;
    Heading heading = first_heading(source_of(cell));
    if (!heading.marked) continue;
    metadata.title = Field<std::string>{std::move(heading.text), "heading", 0.7};
    break;
  }
  return metadata;
}

}  // namespace linkherd::parser
