#include "crawler/classify/lazy_pattern.h"

#include <cstdint>
#include <utility>

#include <re2/re2.h>

namespace linkherd::crawler {

LazyPattern::LazyPattern(std::string text) : text_(std::move(text)) {}
LazyPattern::~LazyPattern() = default;

const re2::RE2& LazyPattern::compiled() const {
  constexpr std::int64_t max_memory_bytes = std::int64_t{8} << 20;  // bounds the size of the pattern
  std::call_once(once_, [this] {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(max_memory_bytes);
    compiled_ = std::make_unique<const re2::RE2>(text_, options);
  });
  return *compiled_;
}

bool LazyPattern::matches(std::string_view searched) const {
  return compiled().Match({searched.data(), searched.size()}, 0, searched.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

}  // namespace linkherd::crawler
