#include "parser/metadata/page_headers.h"

#include <algorithm>
#include <chrono>

#include "parser/ascii.h"
#include "parser/metadata/dates/dates.h"

namespace linkherd::parser {
namespace {

std::string_view unquoted(std::string_view text) {
  text = trim_ascii(text);
  const bool quoted = text.size() >= 2 && text.front() == text.back() && (text.front() == '"' || text.front() == '\'');
  if (quoted) text = text.substr(1, text.size() - 2);
  return trim_ascii(text);
}

// Returns the value of the parameter "name=value" after a ";", or an empty text.
std::string_view parameter(std::string_view parameters, std::string_view name) {
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find(';'), parameters.size());
    const std::string_view one = trim_ascii(parameters.substr(0, end));
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && equals_ignoring_case(trim_ascii(one.substr(0, equals)), name)) {
      return unquoted(one.substr(equals + 1));
    }
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return {};
}

// Returns the target of the first link with rel=canonical: <https://a/>; rel="canonical", <…>; rel=next
std::string_view canonical_link(std::string_view value) {
  for (std::size_t open = value.find('<'); open != std::string_view::npos; open = value.find('<')) {
    value.remove_prefix(open + 1);
    const std::size_t close = value.find('>');
    if (close == std::string_view::npos) return {};
    const std::string_view target = value.substr(0, close);
    value.remove_prefix(close + 1);
    const std::string_view parameters = value.substr(0, value.find(','));
    if (equals_ignoring_case(parameter(parameters, "rel"), "canonical")) return trim_ascii(target);
  }
  return {};
}

std::optional<Timestamp> moment_of(std::string_view text) {
  using namespace std::chrono;
  const auto date = parse_written_date(text);
  if (!date || !date->has_day() || !date->has_time()) return std::nullopt;
  const sys_days day(year(date->year) / month(static_cast<unsigned>(date->month)) /
                     std::chrono::day(static_cast<unsigned>(date->day)));
  return Timestamp(day + hours(date->hour) + minutes(date->minute - date->offset.value_or(0)));
}

}  // namespace

bool is_html_type(std::string_view content_type) {
  return content_type == "text/html" || content_type == "application/xhtml+xml";
}

void add_page_header(std::string_view name, std::string_view value, PageHeaders& headers) {
  if (equals_ignoring_case(name, "content-type")) {
    const std::size_t end = std::min(value.find(';'), value.size());
    headers.content_type = to_ascii_lower(trim_ascii(value.substr(0, end)));
    const std::string_view charset = parameter(value.substr(end), "charset");
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
