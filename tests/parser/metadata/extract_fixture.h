// Extracts metadata from a page that a test contains, and formats it for comparison.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/html/html_document.h"
#include "parser/metadata/extract_metadata.h"

namespace linkherd::parser {

inline Metadata metadata_of(std::string_view page, std::string_view url = {}) {
  const Timestamp now = std::chrono::sys_days(std::chrono::year(2026) / 8 / 1);
  const HtmlDocument document = HtmlDocument::parse(page);
  PageHeaders headers;
  headers.date = now;
  if (url.empty()) return extract_metadata(document, nullptr, now, headers);
  const Url parsed = Url::parse(url).value();
  return extract_metadata(document, &parsed, now, headers);
}

inline std::string text_of(const std::optional<Field<std::string>>& field) { return field ? field->value : "none"; }
inline std::vector<std::string> names_of(const std::optional<Field<std::vector<std::string>>>& field) {
  return field ? field->value : std::vector<std::string>();
}

}  // namespace linkherd::parser
