#include "crawler/fetch/http/fetch_request.h"

#include <algorithm>
#include <utility>

namespace linkherd::crawler {

CompactRequest::CompactRequest(const storage::LinkId& id, std::string_view href, std::optional<Validators> validators,
                               bool confirming)
    : id_(id),
      // NOLINTNEXTLINE(modernize-avoid-c-arrays): see the header
      href_(new char[href.size()]),
      validators_(validators ? std::make_unique<Validators>(std::move(*validators)) : nullptr),
      length_(static_cast<std::uint32_t>(href.size())),
      confirming_(confirming) {
  std::ranges::copy(href, href_.get());
}

CompactRequest::CompactRequest(const FetchRequest& request)
    : CompactRequest(request.id, request.url.href(), request.validators, request.confirming) {}

// An href is its own serialisation: it always parses, and to itself.
FetchRequest CompactRequest::unpack() const {
  FetchRequest request{.id = id_,
                       .url = parser::Url::parse(href()).value(),
                       .validators = std::nullopt,
                       .confirming = confirming_,
                       .not_before = std::nullopt};
  if (validators_) request.validators = *validators_;
  return request;
}

}  // namespace linkherd::crawler
