// A request that waits for its turn, in little room: most of what is pending is nothing but a URL. It takes 40 bytes
// and its URL, which is no object but bytes: no parsed URL, no string, no task, no timer.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "crawler/frontier/fetch_request.h"

namespace linkherd::crawler {

class CompactRequest {
 public:
  // Of a request without a time of its own.
  explicit CompactRequest(const FetchRequest& request);

  std::string_view url() const { return {url_.get(), length_}; }
  FetchRequest unpack() const;

 private:
  storage::LinkId id_;
  std::unique_ptr<char[]> url_;  // NOLINT(modernize-avoid-c-arrays): a std::string would double the entry
  std::unique_ptr<Validators> validators_;
  std::uint32_t length_ = 0;
  bool confirming_ = false;
};
static_assert(sizeof(CompactRequest) == 40);

}  // namespace linkherd::crawler
