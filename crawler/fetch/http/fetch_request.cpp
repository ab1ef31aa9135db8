#include "crawler/fetch/http/fetch_request.h"

#include <algorithm>
#include <utility>

namespace linkherd::crawler {

CompactRequest::CompactRequest(const FetchRequest& request)
    : id_(request.id),
      // NOLINTNEXTLINE(modernize-avoid-c-arrays): see the header
      url_(new char[request.url.href().size()]),
      validators_(request.validators ? std::make_unique<Validators>(*request.validators) : nullptr),
      length_(static_cast<std::uint32_t>(request.url.href().size())),
      confirming_(request.confirming) {
  std::ranges::copy(request.url.href(), url_.get());
}

// An href is its own serialisation: it always parses, and to itself.
FetchRequest CompactRequest::unpack() const {
  FetchRequest request{.id = id_,
                       .url = parser::Url::parse(url()).value(),
                       .validators = std::nullopt,
                       .confirming = confirming_,
                       .not_before = std::nullopt};
  if (validators_) request.validators = *validators_;
  return request;
}

}  // namespace linkherd::crawler
