// An RE2 regular expression that is compiled on first use. Most rules are never tried on a page, and compiling all of
// them takes longer than checking a few links.
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
  // Thread-safe. If the pattern is not ok(), it matches nothing.
  const re2::RE2& compiled() const;
  bool matches(std::string_view searched) const;

 private:
  std::string text_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const re2::RE2> compiled_;
};

}  // namespace linkherd::crawler
