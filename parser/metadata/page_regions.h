// Classifies the regions of a page: main content, and secondary content such as comments and lists of other articles.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "parser/ascii.h"
#include "parser/html/html_document.h"

namespace linkherd::parser {

class PageRegions {
 public:
  explicit PageRegions(const HtmlDocument& document);

  // Returns true if the element is in a comment, quotation, list of related articles, side bar, navigation or footer. A
  // region that contains the headline of the page is never secondary.
  bool is_secondary(HtmlElement element) const;

  // Returns true if the element with that index in HtmlDocument::elements() is shortly before or after the headline.
  bool is_near_headline(std::size_t index) const;
  bool is_after_headline(std::size_t index) const { return headline_ && index > *headline_; }
  bool has_headline() const { return headline_.has_value(); }

  // Returns true in a section whose heading says that it is about other texts: "References", "Related articles",
  // "3 comments". Such a section is secondary too.
  bool is_about_others(HtmlElement element) const;
  // Returns true if a class or id says that an element around it has comments, reviews or references.
  bool is_in_comment_or_reference(HtmlElement element) const;

 private:
  void find_headline(const HtmlDocument& document);
  void find_sections_of_others(const HtmlDocument& document);

  std::unordered_set<const GumboNode*> sections_of_others_;  // the elements that follow the headings
  std::unordered_set<const GumboNode*> around_headline_;
  std::optional<std::size_t> headline_;  // its index in HtmlDocument::elements()
  // cache of is_secondary(), because whole subtrees share a result
  mutable std::unordered_map<const GumboNode*, bool> known_;
};

// Returns true if the class or id contains the lower-case word, as in "post-author" or "authorName".
bool class_or_id_contains(HtmlElement element, std::string_view word);

// Returns true if `is_wanted` returns true for any word of the class names. Words are passed in lower case.
// "postAuthor" and "post__author" have the words "post" and "author".
template <class Wanted>
bool has_word(std::string_view names, Wanted is_wanted) {
  constexpr std::size_t max_word_bytes = 24;
  std::array<char, max_word_bytes> word{};
  std::size_t size = 0;
  bool after_small = false;
  for (const char c : names) {
    const char small = ascii_lower(c);
    const bool letter = is_ascii_letter(c);
    if (size > 0 && (!letter || (small != c && after_small))) {
      if (is_wanted(std::string_view(word.data(), size))) return true;
      size = 0;
    }
    if (letter && size < max_word_bytes) word[size++] = small;
    after_small = small == c;
  }
  return size > 0 && is_wanted(std::string_view(word.data(), size));
}

template <class Wanted>
bool class_or_id_has_word(HtmlElement element, Wanted is_wanted) {
  return has_word(element.attribute("class").value_or(""), is_wanted) ||
         has_word(element.attribute("id").value_or(""), is_wanted);
}

// Returns the element itself or its nearest ancestor of that name, at most `steps` levels up. Returns nullopt if there
// is none.
std::optional<HtmlElement> enclosing(HtmlElement element, std::string_view name, int steps = 64);

// Returns true if `outer` is an ancestor of the element, at most 12 levels up.
bool is_inside(HtmlElement element, HtmlElement outer);

// Returns true if both elements are in a container that holds little else.
bool are_in_one_byline(HtmlElement one, HtmlElement other);

}  // namespace linkherd::parser
