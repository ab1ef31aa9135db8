// Describes a request to the fetch pool: one link, which the pool follows through redirects and retries to one
// FetchResult. Also holds the state of a link between two hops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/fetch/http/cookies.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/snapshot.h"

namespace linkherd::crawler {

struct AttemptResult;

// Makes a request conditional and adds header fields or a body. It is sent only with requests for exactly this URL.
struct Validators {
  std::string url;  // without fragment and with a masked password, as stored
  std::string etag;
  std::string last_modified;
  std::vector<std::string> lines = {};  // other header fields, as whole lines
  std::string body = {};                // sent by POST; empty: no body
};

// Why a request is made. All purposes except `link` and `found` are follow-ups: requests that no input document lists,
// and that the response of a link requires. A follow-up is made once, by GET unless it has a body, and does not count
// as a link.
enum class Purpose : std::uint8_t {
  link,
  found,  // a link found on a page of a crawled site; fetched only if robots.txt allows it
  probe,  // a soft-404 probe: a path that cannot exist; requested only if robots.txt allows it
  // A request to a site API about a link. It needs no permission of robots.txt, and follows no redirect to another
  // host.
  site_api,
  archive,            // a request to a web archive for copies of a link; sent like a site API request
  home,               // the home page of a host that seems to have lost a link; requested only if robots.txt allows it
  branch,             // the file of a link on another branch of its repository; needs no permission of robots.txt
  github,             // a request to GitHub's API about many links; sent like a site API request
  relocation,         // a page that may be the new one of a dead link; requested only if robots.txt allows it
  relocation_lookup,  // a request to an archive or to GitHub for that new page; sent like a site API request
};

// A link to fetch. A million of them may wait in the frontiers, so one takes 40 bytes and its href. The URL is parsed
// when its fetch starts.
class FetchRequest {
 public:
  // `href` is the serialisation of an http or https URL. `is_confirmation` marks the second check of a link that seemed
  // dead; it uses a new connection.
  FetchRequest(const storage::LinkId& id, std::string_view href, std::optional<Validators> validators = std::nullopt,
               bool is_confirmation = false, Purpose purpose = Purpose::link);

  // Requests that the anchors of the page are collected too.
  void want_anchors() { wants_anchors_ = true; }
  bool wants_anchors() const { return wants_anchors_; }
  // Returns the request that confirms the result of this one.
  FetchRequest confirmation() const;
  static FetchRequest follow_up(Purpose purpose, const parser::Url& url, std::vector<std::string> header_lines = {},
                                bool is_confirmation = false);
  // Like follow_up(), but by POST with a body. A redirect is followed without the body.
  static FetchRequest post(Purpose purpose, const parser::Url& url, std::vector<std::string> header_lines,
                           std::string body);

  const storage::LinkId& id() const { return id_; }
  std::string_view href() const { return {href_.get(), length_}; }
  const Validators* validators() const { return validators_.get(); }  // may be null
  // Returns the validators if they are for exactly this URL, or null.
  const Validators* validators_for(const parser::Url& url) const;
  bool is_confirmation() const { return is_confirmation_; }
  Purpose purpose() const { return purpose_; }
  bool is_follow_up() const { return purpose_ != Purpose::link && purpose_ != Purpose::found; }
  // Returns true if the request needs the permission of robots.txt, unless robots.txt is ignored altogether.
  bool needs_permission() const {
    return purpose_ == Purpose::probe || purpose_ == Purpose::home || purpose_ == Purpose::found ||
           purpose_ == Purpose::relocation;
  }
  bool is_for_relocation() const { return purpose_ == Purpose::relocation || purpose_ == Purpose::relocation_lookup; }
  // Returns true if the response is a statement about a link, not a page to evaluate.
  bool is_lookup() const {
    return purpose_ == Purpose::site_api || purpose_ == Purpose::archive || purpose_ == Purpose::github ||
           purpose_ == Purpose::relocation_lookup;
  }
  // Returns the maximum body size in bytes. Statements about links have a limit of their own (2 MiB), because the
  // user's limit is meant for pages.
  std::size_t body_limit(std::size_t max_body) const { return is_lookup() ? std::size_t{2} << 20 : max_body; }

 private:
  storage::LinkId id_;
  std::unique_ptr<char[]> href_;  // NOLINT(modernize-avoid-c-arrays): a std::string would double the entry
  std::unique_ptr<Validators> validators_;
  std::uint32_t length_ = 0;
  bool is_confirmation_ = false;
  bool wants_anchors_ = false;
  Purpose purpose_ = Purpose::link;
};
static_assert(sizeof(FetchRequest) == 40);

// How the next attempt of a hop differs from its first one. The first response is kept meanwhile.
enum class Alternative : std::uint8_t {
  none,
  browser,             // the headers and HTTP version of a browser
  other_version,       // HTTP/2 instead of HTTP/1.1, or the reverse
  other_version_over,  // no longer different: the other version of HTTP has been tried
};

// A request, and the redirects and attempts that it has led to.
struct FetchChain {
  FetchRequest request;
  parser::Url link_url;  // the URL of the request, parsed
  std::vector<storage::Redirect> redirects = {};
  std::vector<storage::Attempt> attempts = {};

  explicit FetchChain(FetchRequest r);
};

// The state of a link while it is fetched. It moves between frontiers and threads, one attempt at a time. Redirects,
// retries and confirmations are handled alike: they go back into a frontier.
struct FetchState : FetchChain {
  parser::Url hop_url;                  // the URL of the next hop
  std::optional<Timestamp> not_before;  // the earliest start of the next attempt
  std::string last_detail;              // the failure detail of the latest attempt
  Duration spent{};                     // time spent on requests and waits; time in a queue does not count
  int retries = 0;                      // retries of the current hop
  int restarts = 0;                     // attempts restarted because the process was suspended
  bool needs_fresh_connection = false;  // the next attempt must not reuse a connection
  bool is_first_contact = false;        // the next attempt is the first request to its host in this run
  bool should_use_get = false;          // HEAD was sent, and its response was not accepted
  Alternative alternative = Alternative::none;
  // The first response of a hop that is being repeated as a browser or in the other version; null: not repeated.
  std::unique_ptr<AttemptResult> refusal;
  ChainCookies cookies;

  explicit FetchState(FetchRequest r);
  ~FetchState();
  FetchState(const FetchState&) = delete;
  FetchState& operator=(const FetchState&) = delete;
};

}  // namespace linkherd::crawler
