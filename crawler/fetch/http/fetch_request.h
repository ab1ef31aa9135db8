// What is asked of the fetch pool: one link, to be followed through its redirects and retries to a FetchResult.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/fetch/http/cookies.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

// What makes a request conditional: sent only with a request for exactly this URL.
struct Validators {
  std::string url;  // without fragment, its password masked: it comes from the store
  std::string etag;
  std::string last_modified;
};

struct FetchRequest {
  storage::LinkId id;
  parser::Url url;
  std::optional<Validators> validators;
  bool confirming = false;              // a second look at what seemed dead: on a fresh connection
  std::optional<Timestamp> not_before;  // the earliest time of the first request
};

// A link under way: the request and what has happened to it so far. It moves between frontiers and threads, one hop at
// a time: redirects, retries and confirmations are all the same thing, put back into a frontier.
struct PendingFetch {
  FetchRequest request;
  parser::Url url;                      // of the next hop
  std::optional<Timestamp> not_before;  // of the next hop
  std::vector<storage::Redirect> redirects;
  std::vector<storage::Attempt> attempts;
  std::string last_detail;        // what there is to say about the latest of them
  Duration spent{};               // on its requests and waits; to stand in a queue costs a link nothing
  int retries = 0;                // of the present hop
  int restarts = 0;               // of the link: hops begun again because we slept through them
  bool fresh_connection = false;  // the next hop may not reuse a connection
  bool first_contact = false;     // the next hop is the first request to its host in this run
  bool use_get = false;           // HEAD has been asked, and was not believed
  // What the redirects so far have set; sent only once they have run in a circle, from the redirect with this number
  // on. Each circle that has set a new one is a round.
  std::vector<Cookie> cookies;
  std::optional<std::size_t> with_cookies_from;
  bool new_cookies = false;  // since the last round
  int cookie_rounds = 0;

  explicit PendingFetch(FetchRequest r)
      : request(std::move(r)), url(request.url), not_before(request.not_before), fresh_connection(request.confirming) {}
};

// A request that waits for its turn, in little room: most of what is pending is nothing but a URL. It takes 40 bytes
// and its URL, which is no object but bytes: no parsed URL, no string, no task, no timer.
class CompactRequest {
 public:
  // `href` is that of an http or https URL. The request has no time of its own.
  CompactRequest(const storage::LinkId& id, std::string_view href, std::optional<Validators> validators,
                 bool confirming = false);
  explicit CompactRequest(const FetchRequest& request);

  std::string_view href() const { return {href_.get(), length_}; }
  FetchRequest unpack() const;

 private:
  storage::LinkId id_;
  std::unique_ptr<char[]> href_;  // NOLINT(modernize-avoid-c-arrays): a std::string would double the entry
  std::unique_ptr<Validators> validators_;
  std::uint32_t length_ = 0;
  bool confirming_ = false;
};
static_assert(sizeof(CompactRequest) == 40);

}  // namespace linkherd::crawler
