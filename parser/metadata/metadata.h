// What a page says about itself. Each field carries where it was found and how far it can be trusted; a field that the
// page does not state is absent, never guessed from elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace linkherd::parser {

template <class T>
struct Field {
  T value;
  std::string source;       // stable words: "json_ld", "meta:og:title", "h1", "title", "time", "site:zhihu", …
  double confidence = 0.0;  // 0 to 1

  bool operator==(const Field&) const = default;
};

struct Metadata {
  std::optional<Field<std::string>> title;
  std::optional<Field<std::vector<std::string>>> authors;  // names, in the page's order; never empty where present
  std::optional<Field<std::string>> published;  // ISO 8601 in the page's own offset, as precise as the page is
  std::optional<Field<std::string>> modified;   // likewise
  std::optional<Field<std::string>> language;   // BCP 47
  std::optional<Field<std::string>> site_name;
  std::optional<Field<std::string>> description;
  std::optional<Field<std::string>> canonical;  // an absolute URL

  bool operator==(const Metadata&) const = default;
};

}  // namespace linkherd::parser
