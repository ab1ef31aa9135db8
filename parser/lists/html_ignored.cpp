#include "parser/lists/html_ignored.h"

#include <algorithm>
#include <array>

namespace linkherd::parser {
namespace {

constexpr std::string_view attribute_name = "data-proofer-ignore";

// Elements that hold nothing, and those that another of their name ends.
constexpr std::array<std::string_view, 14> void_elements{"area",  "base", "br",   "col",    "embed", "hr",  "img",
                                                         "input", "link", "meta", "source", "track", "wbr", "param"};
constexpr std::array<std::string_view, 5> self_ending{"p", "dt", "dd", "option", "a"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void HtmlIgnored::start_tag(const HtmlToken& tag) {
  const bool has = tag.attribute(attribute_name) != nullptr;
  const bool is_void = contains(void_elements, tag.name);
  only_this_ = has && is_void;
  if (is_void) return;
  if (tag.name == element_) {
    if (contains(self_ending, tag.name)) {
      if (!has) element_.clear();
    } else {
      ++depth_;
    }
  } else if (element_.empty() && has) {
    element_ = tag.name;
    depth_ = 1;
  }
}

void HtmlIgnored::end_tag(std::string_view name) {
  only_this_ = false;
  if (name == element_ && --depth_ == 0) element_.clear();
}

std::string_view HtmlIgnored::by() const {
  return only_this_ || !element_.empty() ? attribute_name : std::string_view();
}

}  // namespace linkherd::parser
