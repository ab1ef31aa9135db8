#include "crawler/content_type.h"

#include "parser/ascii.h"

namespace linkherd::crawler {
namespace {

// A parameter's value may stand in quotes, of either kind.
std::string_view trim(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\"'");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\"'") - from + 1);
}

}  // namespace

ContentType parse_content_type(std::string_view header) {
  const std::string lower = parser::to_ascii_lower(header);
  const std::string_view view = lower;
  ContentType content;
  content.type = trim(view.substr(0, view.find(';')));
  const auto charset = view.find("charset=");
  if (charset != std::string_view::npos) {
    const std::string_view value = view.substr(charset + 8);
    content.charset = trim(value.substr(0, value.find_first_of(";,")));
  }
  return content;
}

bool is_html_type(std::string_view type) { return type == "text/html" || type == "application/xhtml+xml"; }

}  // namespace linkherd::crawler
