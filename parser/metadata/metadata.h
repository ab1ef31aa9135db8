// The metadata that a page states about itself. Each field has its source and confidence. A field that the page does
// not state is absent, never guessed from elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linkherd::parser {

template <class T>
struct Field {
  T value;
  std::string source;       // stable names: "json_ld", "meta:og:title", "h1", "title", "time", "site:zhihu", …
  double confidence = 0.0;  // 0 to 1

  bool operator==(const Field&) const = default;
};

struct Metadata {
  std::optional<Field<std::string>> title;
  std::optional<Field<std::vector<std::string>>> authors;  // in the order of the page; never empty if present
  std::optional<Field<std::string>> published;             // ISO 8601 with the page's own offset and precision
  std::optional<Field<std::string>> modified;              // likewise
  std::optional<Field<std::string>> language;              // BCP 47
  std::optional<Field<std::string>> site_name;
  std::optional<Field<std::string>> description;
  std::optional<Field<std::string>> canonical;  // an absolute URL
  std::optional<Field<std::string>> doi;        // "10.1000/182"
  std::optional<Field<std::string>> arxiv;      // "2401.01234", of all versions
  std::optional<Field<std::string>> isbn;       // digits

  bool operator==(const Metadata&) const = default;
};

// What only `others` says of the title, authors, dates and name of the site is taken over.
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

// How much is read of what pages say of themselves.
enum class Harvest : std::uint8_t {
  none,   // what verdicts need: of HTML pages all but authors and dates
  title,  // the same of other documents, such as PDFs
  full,
};

}  // namespace linkherd::parser
