#include "crawler/fetch/http/fetch_request.h"

#include <algorithm>
#include <utility>

#include "crawler/fetch/http/fetch_result.h"
#include "parser/url/credentials.h"

namespace linkherd::crawler {

FetchRequest::FetchRequest(const storage::LinkId& id, std::string_view href, std::optional<Validators> validators,
                           bool is_confirmation, Purpose purpose)
    : id_(id),
      // NOLINTNEXTLINE(modernize-avoid-c-arrays): see the header
      href_(new char[href.size()]),
      validators_(validators ? std::make_unique<Validators>(std::move(*validators)) : nullptr),
      length_(static_cast<std::uint32_t>(href.size())),
      is_confirmation_(is_confirmation),
      purpose_(purpose) {
  std::ranges::copy(href, href_.get());
}

FetchRequest FetchRequest::confirmation() const {
  FetchRequest request(id_, href(), std::nullopt, true, purpose_);
  request.wants_anchors_ = wants_anchors_;
  return request;
}

FetchRequest FetchRequest::follow_up(Purpose purpose, const parser::Url& url, std::vector<std::string> header_lines,
                                     bool is_confirmation) {
  std::optional<Validators> lines;
  if (!header_lines.empty()) {
    lines.emplace();
    lines->url = url.href_without_fragment();
    lines->lines = std::move(header_lines);
  }
  return {storage::LinkId::of(url), url.href(), std::move(lines), is_confirmation, purpose};
}

FetchRequest FetchRequest::post(Purpose purpose, const parser::Url& url, std::vector<std::string> header_lines,
                                std::string body) {
  FetchRequest request = follow_up(purpose, url);
  request.validators_ = std::make_unique<Validators>();
  request.validators_->url = url.href_without_fragment();
  request.validators_->lines = std::move(header_lines);
  request.validators_->body = std::move(body);
  return request;
}

const Validators* FetchRequest::validators_for(const parser::Url& url) const {
  const bool fits = validators_ && validators_->url == parser::mask_password(url.href_without_fragment());
  return fits ? validators_.get() : nullptr;
}

// An href is a serialised URL, so it always parses and serialises to itself.
FetchChain::FetchChain(FetchRequest r) : request(std::move(r)), link_url(parser::Url::parse(request.href()).value()) {}

FetchState::FetchState(FetchRequest r)
    : FetchChain(std::move(r)), hop_url(link_url), needs_fresh_connection(request.is_confirmation()) {}
FetchState::~FetchState() = default;

}  // namespace linkherd::crawler
