#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "parser/html/ascii.h"
#include "parser/lists/extract_links.h"

namespace linkherd::parser {
namespace {

struct Ending {
  std::string_view name;
  ListFormat format;
};

constexpr std::array<Ending, 10> endings{{{"md", ListFormat::markdown},
                                          {"markdown", ListFormat::markdown},
                                          {"mdown", ListFormat::markdown},
                                          {"mkd", ListFormat::markdown},
                                          {"mkdn", ListFormat::markdown},
                                          {"html", ListFormat::html},
                                          {"htm", ListFormat::html},
                                          {"xhtml", ListFormat::html},
                                          {"txt", ListFormat::plain_text},
                                          {"text", ListFormat::plain_text}}};

constexpr std::size_t max_comment_bytes = 4096;

// Past white space and comments, of which a page may have some in front of its doctype.
std::string_view skip_to_markup(std::string_view text) {
  text = trim_ascii(text.substr(0, max_comment_bytes));
  while (text.starts_with("<!--")) {
    const std::size_t end = text.find("-->");
    if (end == std::string_view::npos) return {};
    text = trim_ascii(text.substr(end + 3));
  }
  return text;
}

}  // namespace

std::optional<ListFormat> list_format_of_extension(std::string_view file_name) {
  const std::string_view name = file_name.substr(file_name.find_last_of("/\\") + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const auto* found = std::ranges::find_if(
      endings, [&](const Ending& ending) { return equals_ignoring_case(name.substr(dot + 1), ending.name); });
  if (found == endings.end()) return std::nullopt;
  return found->format;
}

ListFormat detect_list_format(std::string_view file_name, std::string_view text) {
  if (const std::optional<ListFormat> named = list_format_of_extension(file_name)) return *named;
  const std::string_view start = skip_to_markup(text);
  return starts_ignoring_case(start, "<!doctype html") || starts_ignoring_case(start, "<html") ? ListFormat::html
                                                                                               : ListFormat::plain_text;
}

}  // namespace linkherd::parser
