// The text between the tags of a page, as the guard lets it through: white space as one space, and none where nobody
// sees it. Long texts are put aside.
#pragma once

#include <cstddef>
#include <string_view>

#include "parser/html/guard.h"

namespace linkherd::parser {

class GuardedText {
 public:
  GuardedText(GuardedHtml& out, const GuardLimits& limits) : out_(out), limits_(limits) {}

  // Text that does not fit is cut: its beginning still says something. False where nothing of it is seen.
  bool write(std::string_view text);
  // What an element holds that has no tags in it.
  bool write_raw(std::string_view text);
  // A "<" that begins no tag. gumbo never sees it: what is written behind it could make it one.
  void write_less();
  // For gumbo, whatever its length.
  void write_markup(std::string_view text);
  // A block begins or ends here.
  void note_border() { at_border_ = true; }
  std::size_t size() const { return out_.html.size() + out_.values.size(); }
  bool is_full() const { return full_; }  // a text did not fit

 private:
  std::string_view bounded(std::string_view text);
  void put_aside(std::string_view text, bool space);
  void append(std::string& out, std::string_view text);

  GuardedHtml& out_;
  const GuardLimits& limits_;
  std::size_t end_ = 0;      // of `html` behind the last text
  bool ends_space_ = false;  // so does the last text
  bool at_border_ = true;    // of a block, where white space is not seen
  bool full_ = false;
};

}  // namespace linkherd::parser
