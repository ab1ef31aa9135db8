#include "crawler/classify/evidence.h"

#include <fmt/format.h>

namespace linkherd::crawler {

bool was_moved(const FetchResult& result) {
  return !result.redirects.empty() &&
         result.final_url.href_without_fragment() != result.request.url.href_without_fragment();
}

std::string answer_phrase(const FetchResult& result) {
  const std::size_t hops = result.redirects.size();
  if (hops == 0) return fmt::format("HTTP {}", result.status);
  return fmt::format("HTTP {} at {} after {} redirect{}", result.status, result.final_url.href(), hops,
                     hops == 1 ? "" : "s");
}

}  // namespace linkherd::crawler
