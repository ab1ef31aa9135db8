// The stack of open elements, with the rules of the HTML standard for implied end tags. The sanitizer writes the result
// as explicit tags, so gumbo's tree is never deeper than this stack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gumbo.h>

namespace linkherd::parser {

class OpenElements {
 public:
  // Writes explicit tags to `out`, which must outlive this object. At `max_depth` no further element is opened; its
  // text then belongs to the enclosing element.
  OpenElements(std::string& out, std::size_t max_depth) : out_(out), max_depth_(max_depth) {}

  // Closes the elements whose end the start tag implies: "<li>" closes an open <li>. Returns false if the tag is not
  // allowed here and must be dropped.
  bool close_implied_by(GumboTag tag);
  // Returns false if the maximum depth is reached.
  bool can_open() const { return stack_.size() < max_depth_; }
  std::size_t depth() const { return stack_.size(); }
  // Records a start tag that was written under the name `written_as`. Not for void elements.
  void push(GumboTag tag, std::string_view written_as);
  void skip_too_deep() { ++too_deep_; }
  // Records a formatting element that was not written. Its end tag must not close an outer element of the same name.
  void note_omitted(GumboTag tag);
  // Handles an end tag of the page. Writes it if it closes an open element, and drops it otherwise.
  void end_tag(GumboTag tag, std::string_view name);
  void close_all();

 private:
  struct Element {
    GumboTag tag;
    std::uint32_t unwritten = 0;  // nested formatting elements of the same name that were not written
    std::string name;
  };
  static constexpr std::size_t none = SIZE_MAX;

  template <class Matches, class Stops>
  std::size_t find(Matches matches, Stops stops) const;
  std::size_t find_in_scope(GumboTag tag) const;
  bool is_open(GumboTag tag) const { return counts_[tag] != 0; }
  void pop();
  void pop_to(std::size_t index);  // closes the elements from the top of the stack to `index`, inclusive
  void close_in_scope(GumboTag tag);
  void close_list_item(GumboTag tag);
  bool close_implied_by_table_part(GumboTag tag);
  void close_anchor(std::size_t index);

  std::string& out_;
  std::size_t max_depth_;
  std::size_t too_deep_ = 0;
  std::vector<Element> stack_;
  std::array<std::uint32_t, GUMBO_TAG_LAST + 1> counts_{};
};

bool is_void_element(GumboTag tag);
bool is_formatting_element(GumboTag tag);  // false for <a>, which is needed for links

}  // namespace linkherd::parser
