// A regular expression of RE2 that is compiled when it is first needed: most rules never look at a page, and compiling
// them all takes longer than a check of a few links.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace linkherd::crawler {

class LazyPattern {
 public:
  explicit LazyPattern(std::string text);
  ~LazyPattern();
  LazyPattern(const LazyPattern&) = delete;
  LazyPattern& operator=(const LazyPattern&) = delete;

  const std::string& text() const { return text_; }
  // Any thread may ask. One that is not ok() matches nothing.
  const re2::RE2& compiled() const;
  bool matches(std::string_view searched) const;

 private:
  std::string text_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const re2::RE2> compiled_;
};

}  // namespace linkherd::crawler
