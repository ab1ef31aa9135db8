// The elements that are open at a point of a page, kept by the rules of the HTML standard that matter for nesting: what
// closes what. The guard writes its decisions out as explicit tags, so that gumbo's tree is never deeper than this
// stack says.
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
  // Explicit tags go to `out`. Beyond `max_depth` no element is opened; its text then belongs to the one outside.
  OpenElements(std::string& out, std::size_t max_depth) : out_(out), max_depth_(max_depth) {}

  // Closes the elements whose end a start tag implies. False: the tag is not allowed here and is to be dropped.
  bool close_implied_by(GumboTag tag);
  // Whether one more element may be opened; false: too deep.
  bool can_open() const { return stack_.size() < max_depth_; }
  std::size_t depth() const { return stack_.size(); }
  // A start tag (not of a void element) was written, under the name `written_as`.
  void push(GumboTag tag, std::string_view written_as);
  void skip_too_deep() { ++too_deep_; }
  // A formatting element that is not written at all still has an end tag that must not close an outer one.
  void note_unwritten(GumboTag tag);
  // An end tag of the page: written where it closes something, else dropped.
  void end_tag(GumboTag tag, std::string_view name);
  void close_all();

 private:
  struct Element {
    GumboTag tag;
    std::uint32_t unwritten = 0;  // formatting elements of the same name inside that were left out
    std::string name;
  };
  static constexpr std::size_t none = SIZE_MAX;

  template <class Matches, class Stops>
  std::size_t find(Matches matches, Stops stops) const;
  std::size_t find_in_scope(GumboTag tag) const;
  bool is_open(GumboTag tag) const { return counts_[tag] != 0; }
  void pop();
  void pop_to(std::size_t index);  // that element included
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
bool is_formatting_element(GumboTag tag);  // less `a`, which links need

}  // namespace linkherd::parser
