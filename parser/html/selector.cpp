#include "parser/html/selector.h"

#include <algorithm>
#include <optional>

#include "parser/ascii.h"

namespace linkherd::parser {
namespace {

// The number of ancestors that a descendant selector checks. Real pages nest less; the bound is for hostile ones.
constexpr int max_ancestors = 64;

std::string_view take_name(std::string_view& selector) {
  const std::size_t end = std::min(selector.find_first_of("#.[ ,"), selector.size());
  const std::string_view name = selector.substr(0, end);
  selector.remove_prefix(end);
  return name;
}

// Matches "[name]", "[name=value]" or "[name^=value]". `selector` begins after its "[".
bool matches_attribute(HtmlElement element, std::string_view& selector) {
  const std::size_t end = std::min(selector.find(']'), selector.size());
  std::string_view inside = selector.substr(0, end);
  selector.remove_prefix(std::min(end + 1, selector.size()));
  const std::size_t equals = inside.find('=');
  if (equals == std::string_view::npos) return element.attribute(inside).has_value();
  const std::string_view value = inside.substr(equals + 1);
  const bool prefix = equals > 0 && inside[equals - 1] == '^';
  const auto actual = element.attribute(inside.substr(0, prefix ? equals - 1 : equals));
  return actual && (prefix ? actual->starts_with(value) : *actual == value);
}

bool matches_compound(HtmlElement element, std::string_view compound) {
  if (const std::string_view name = take_name(compound); !name.empty() && name != "*" && element.name() != name) {
    return false;
  }
  while (!compound.empty()) {
    const char kind = compound.front();
    compound.remove_prefix(1);
    if (kind == '[') {
      if (!matches_attribute(element, compound)) return false;
    } else {
      const std::string_view word = take_name(compound);
      if (kind == '.' ? !element.has_class(word) : element.attribute("id") != word) return false;
    }
  }
  return true;
}

// Matches a selector without commas, from its right end to the left.
bool matches_chain(HtmlElement element, std::string_view selector) {
  const std::size_t space = selector.rfind(' ');
  if (space == std::string_view::npos) return matches_compound(element, selector);
  if (!matches_compound(element, selector.substr(space + 1))) return false;
  std::string_view rest = selector.substr(0, space);
  std::optional<HtmlElement> ancestor = element.parent();
  for (int steps = 0; ancestor && steps < max_ancestors; ++steps, ancestor = ancestor->parent()) {
    const std::size_t next = rest.rfind(' ');
    const std::string_view compound = next == std::string_view::npos ? rest : rest.substr(next + 1);
    if (!matches_compound(*ancestor, compound)) continue;
    if (next == std::string_view::npos) return true;
    rest = rest.substr(0, next);
  }
  return false;
}

}  // namespace

bool matches(HtmlElement element, std::string_view selector) {
  while (!selector.empty()) {
    const std::size_t comma = std::min(selector.find(','), selector.size());
    if (matches_chain(element, trim_ascii(selector.substr(0, comma)))) return true;
    selector.remove_prefix(std::min(comma + 1, selector.size()));
  }
  return false;
}

std::vector<HtmlElement> select(std::span<const HtmlElement> elements, std::string_view selector, std::size_t limit) {
  std::vector<HtmlElement> found;
  for (const HtmlElement element : elements) {
    if (found.size() == limit) break;
    if (matches(element, selector)) found.push_back(element);
  }
  return found;
}

}  // namespace linkherd::parser
