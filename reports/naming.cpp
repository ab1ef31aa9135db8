#include "reports/naming.h"

#include <fmt/format.h>

#include "parser/url/url.h"

namespace linkherd::reports {

std::string_view link_url(const storage::CheckedLink& link) {
  if (!link.record.url.empty() || link.entry.occurrences.empty()) return link.record.url;
  const parser::LinkOccurrence& first = link.entry.occurrences.front();
  const std::string_view href = first.href;
  return href.empty() ? std::string_view(first.url) : href.substr(0, href.find('#'));
}

std::string link_host(const storage::CheckedLink& link) {
  const auto url = parser::Url::parse(link_url(link));
  return url.has_value() ? std::string(url->host()) : std::string();
}

std::string place(const parser::LinkOccurrence& occurrence) {
  return fmt::format("{}:{}:{}", occurrence.file, occurrence.line, occurrence.column);
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string day(Timestamp time) { return format_timestamp(time).substr(0, 10); }

std::string minute(Timestamp time) {
  const std::string text = format_timestamp(time);
  return fmt::format("{} {} UTC", text.substr(0, 10), text.substr(11, 5));
}

}  // namespace linkherd::reports
