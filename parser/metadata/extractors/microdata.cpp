// Extracts the microdata (itemprop) of the main item of the page.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/ascii.h"
#include "parser/metadata/authors.h"
#include "parser/metadata/identifiers.h"
#include "parser/metadata/page.h"
#include "parser/metadata/page_regions.h"
#include "parser/metadata/text_values.h"

namespace linkherd::parser {
namespace {

std::string value_of(HtmlElement element) {
  for (const std::string_view name : {"content", "datetime"}) {
    if (const auto value = element.attribute(name); value && !value->empty()) return std::string(*value);
  }
  return element.text();
}

// Returns true if the property belongs to a nested item that is not a work: a comment, a review, a list entry.
bool is_in_other_item(HtmlElement element) {
  std::optional<HtmlElement> at = element.parent();
  for (int steps = 0; at && steps < 64; ++steps, at = at->parent()) {
    const auto type = at->attribute("itemtype");
    if (type && (type->ends_with("Comment") || type->ends_with("UserComments") || type->ends_with("ListItem") ||
                 type->ends_with("Answer") || type->ends_with("Product"))) {
      return true;
    }
    const auto property = at->attribute("itemprop");
    if (property && (*property == "comment" || *property == "publisher" || *property == "review")) return true;
  }
  return false;
}

// Returns the name properties inside the author element, which follow it in document order.
std::vector<std::string> author_names(const std::vector<HtmlElement>& elements, std::size_t index) {
  constexpr std::size_t max_inside = 60;
  const HtmlElement author = elements[index];
  std::vector<std::string> names;
  for (std::size_t i = index + 1; i < elements.size() && i <= index + max_inside; ++i) {
    if (!is_inside(elements[i], author)) break;
    if (elements[i].attribute("itemprop") == "name") add_names(names, names_in_byline(value_of(elements[i]), {}));
  }
  if (!names.empty()) return names;
  const bool is_written = author.attribute("content") || author.attribute("datetime");
  return is_written ? names_in_byline(value_of(author), {}) : names_in_element(author);
}

// Returns true for elements of one parent. The names of a byline may have biographies between them.
bool are_siblings(HtmlElement one, HtmlElement other) { return one.node()->parent == other.node()->parent; }

// Adds the names of an author element. Further author elements of the same byline name further people.
void add_authors(std::size_t index, const Page& page, Candidates& candidates, std::optional<HtmlElement>& last_author) {
  const auto& elements = page.document.elements();
  std::vector<std::string> names = author_names(elements, index);
  if (names.empty()) return;
  const bool is_next =
      last_author && !candidates.authors.empty() && candidates.authors.back().source == "microdata" &&
      (are_in_one_byline(*last_author, elements[index]) || are_siblings(*last_author, elements[index]));
  last_author = elements[index];
  if (is_next)
    add_names(candidates.authors.back().value, names);
  else
    add(candidates.authors, std::move(names), "microdata", 0.75);
}

void read_property(std::size_t index, std::string_view property, const Page& page, Candidates& candidates,
                   std::optional<HtmlElement>& last_author) {
  const auto& elements = page.document.elements();
  const HtmlElement element = elements[index];
  const auto add_date = [&](CandidateList<WrittenDate>& list, double trust) {
    const auto date = parse_written_date(value_of(element), page.day_order);
    if (date && is_plausible_mark(*date, page.now)) add(list, *date, "microdata", trust);
  };
  if (property == "headline") {
    std::string text = clean_value(value_of(element), max_title);
    const bool visible = !element.attribute("content");
    if (!text.empty()) add(visible ? candidates.headings : candidates.titles, std::move(text), "microdata", 0.85);
  } else if (property == "author" || property == "creator") {
    add_authors(index, page, candidates, last_author);
  } else if (property == "isbn") {
    if (std::string isbn = parse_isbn(value_of(element)); !isbn.empty())
      add(candidates.isbn, std::move(isbn), "microdata", 0.8);
  } else if (property == "datepublished" || property == "uploaddate") {
    add_date(candidates.published, 0.85);
  } else if (property == "datecreated") {
    add_date(candidates.published, 0.7);
  } else if (property == "datemodified") {
    add_date(candidates.modified, 0.85);
  }
}

}  // namespace

void extract_microdata(const Page& page, Candidates& candidates) {
  std::size_t budget = 500;  // properties that are read; each may search many elements
  std::optional<HtmlElement> last_author;
  const auto elements = page.searched_elements();
  for (std::size_t i = 0; i < elements.size() && budget > 0; ++i) {
    const HtmlElement element = elements[i];
    const auto property = element.attribute("itemprop");
    if (!property) continue;
    --budget;
    // A date that is marked for programs may be in any region.
    const bool is_date = starts_ignoring_case(*property, "date");
    if (is_in_other_item(element) || (!is_date && page.regions.is_secondary(element))) continue;
    for (std::string_view rest = *property; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      read_property(i, to_ascii_lower(rest.substr(0, end)), page, candidates, last_author);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

}  // namespace linkherd::parser
