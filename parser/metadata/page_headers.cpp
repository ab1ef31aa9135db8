#include "parser/metadata/page_headers.h"

#include <algorithm>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/dates/dates.h"
#include "parser/metadata/link_values.h"

namespace linkherd::parser {
namespace {

// Returns the target of the first link with rel=canonical.
std::string_view canonical_link(std::string_view value) {
  const std::vector<LinkValue> links = parse_link_values(value);
  const auto found = std::ranges::find_if(links, [](const LinkValue& link) { return link.has_relation("canonical"); });
  return found == links.end() ? std::string_view() : found->target;
}

std::optional<Timestamp> moment_of(std::string_view text) {
  const auto date = parse_written_date(text);
  return date && date->has_day() && date->has_time() ? std::optional(start_of_date(*date)) : std::nullopt;
}

}  // namespace

bool is_html_type(std::string_view content_type) {
  return content_type == "text/html" || content_type == "application/xhtml+xml";
}

void add_page_header(std::string_view name, std::string_view value, PageHeaders& headers) {
  if (equals_ignoring_case(name, "content-type")) {
    const std::size_t end = std::min(value.find(';'), value.size());
    headers.content_type = to_ascii_lower(trim_ascii(value.substr(0, end)));
    const std::string_view charset = find_parameter(value.substr(end), "charset");
    headers.charset = to_ascii_lower(trim_ascii(charset.substr(0, charset.find(','))));
  } else if (equals_ignoring_case(name, "last-modified")) {
    headers.last_modified = value;
  } else if (equals_ignoring_case(name, "content-language")) {
    headers.language = value;
  } else if (equals_ignoring_case(name, "date")) {
    headers.date = moment_of(value);
  } else if (equals_ignoring_case(name, "link") && headers.canonical.empty()) {
    headers.canonical = canonical_link(value);
  }
}

PageHeaders parse_page_headers(std::string_view text) {
  PageHeaders headers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim_ascii(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (starts_ignoring_case(line, "HTTP/")) headers = {};
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos)
      add_page_header(trim_ascii(line.substr(0, colon)), trim_ascii(line.substr(colon + 1)), headers);
  }
  return headers;
}

}  // namespace linkherd::parser
