// Whether an element, or one around it, has the attribute `data-proofer-ignore`: then its links are to be left alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parser/lists/html_tokenizer.h"

namespace linkherd::parser {

class HtmlIgnored {
 public:
  void start_tag(const HtmlToken& tag);
  void end_tag(std::string_view name);

  // The attribute, for what comes next; empty where nothing says so.
  std::string_view by() const;

 private:
  std::string element_;     // the outermost that has it; empty for none
  std::size_t depth_ = 0;   // how many of its name are open since
  bool only_this_ = false;  // the tag itself has it, and holds nothing
};

}  // namespace linkherd::parser
