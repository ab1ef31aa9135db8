// The metadata that a page contains about itself. Each field has its source and confidence. A field is absent if the
// page does not have it; it is never guessed from elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linkherd::parser {

template <class T>
struct Field {
  T value;
  std::string source;       // stable name: "json_ld", "meta:og:title", "h1", "title", "time", "site:zhihu", …
  double confidence = 0.0;  // 0 to 1

  bool operator==(const Field&) const = default;
};

struct Metadata {
  std::optional<Field<std::string>> title;
  std::optional<Field<std::vector<std::string>>> authors;  // in the order of the page; never empty if present
  std::optional<Field<std::string>> published;             // ISO 8601, with the offset and precision that the page has
  std::optional<Field<std::string>> modified;              // like `published`
  std::optional<Field<std::string>> language;              // BCP 47
  std::optional<Field<std::string>> site_name;
  std::optional<Field<std::string>> description;
  std::optional<Field<std::string>> canonical;  // an absolute URL
  std::optional<Field<std::string>> doi;        // "10.1000/182"
  std::optional<Field<std::string>> arxiv;      // "2401.01234", without version
  std::optional<Field<std::string>> isbn;       // digits

  bool operator==(const Metadata&) const = default;
};

// Copies the title, authors, dates and site name that `page` lacks from `others`.
inline void fill_gaps(Metadata& page, const Metadata& others) {
  const auto fill = [](auto& field, const auto& other) {
    if (!field) field = other;
  };
  fill(page.title, others.title);
  fill(page.authors, others.authors);
  fill(page.published, others.published);
  fill(page.modified, others.modified);
  fill(page.site_name, others.site_name);
}

// How much metadata is extracted from a document.
enum class Harvest : std::uint8_t {
  none,   // only what verdicts need: all fields of HTML pages except authors and dates
  title,  // the same fields, also of other documents such as PDFs
  full,
};

}  // namespace linkherd::parser
