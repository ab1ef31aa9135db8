#include "crawler/fetch/http/fetch_request.h"

#include <algorithm>

namespace linkherd::crawler {

FetchRequest::FetchRequest(const storage::LinkId& id, std::string_view href, std::optional<Validators> validators,
                           bool confirming)
    : id_(id),
      // NOLINTNEXTLINE(modernize-avoid-c-arrays): see the header
      href_(new char[href.size()]),
      validators_(validators ? std::make_unique<Validators>(std::move(*validators)) : nullptr),
      length_(static_cast<std::uint32_t>(href.size())),
      confirming_(confirming) {
  std::ranges::copy(href, href_.get());
}

FetchRequest FetchRequest::control(const storage::LinkId& id, std::string_view href) {
  FetchRequest request(id, href);
  request.control_ = true;
  return request;
}

}  // namespace linkherd::crawler
