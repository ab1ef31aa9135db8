// What is asked of the fetch pool: one link, to be followed through its redirects and retries to a FetchResult.
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

struct HopAnswer;

// What makes a request conditional, and what else one URL wants to be asked with: sent only with a request for exactly
// this URL.
struct Validators {
  std::string url;  // without fragment, its password masked: it comes from the store
  std::string etag;
  std::string last_modified;
  std::vector<std::string> lines = {};  // other header fields, whole
  std::string body = {};                // sent with POST; empty: there is none
};

// What an answer is wanted for. All but links, listed or found, are follow-ups: requests that nobody listed, and that a
// page makes necessary. They are made once, by GET unless they have a body, and count as no link.
enum class Purpose : std::uint8_t {
  link,
  found,     // a link that was found on a page of a site that is crawled: fetched only where robots.txt allows it
  probe,     // a path that cannot exist: asked for only where robots.txt allows it
  site_api,  // what a site says of a link elsewhere than on its page: asked for as the link itself is, on that host
             // alone
  archive,   // what a web archive has of a link; asked for like a site API
  home,      // the home page of a host that seems to have lost a link: asked for only where robots.txt allows it
  branch,    // the file of a link on another branch of its repository; asked for as the link itself is
  github,    // what GitHub's API has of many links; asked for like a site API
};

// A link to be fetched, from the plan to its result. A million of them wait in the frontiers, so it takes 40 bytes and
// its href, and the URL is parsed when its turn has come.
class FetchRequest {
 public:
  // `href` is that of an http or https URL. `is_confirmation`: a second look at what seemed dead, on a fresh
  // connection.
  FetchRequest(const storage::LinkId& id, std::string_view href, std::optional<Validators> validators = std::nullopt,
               bool is_confirmation = false, Purpose purpose = Purpose::link);

  static FetchRequest found(const storage::LinkId& id, std::string_view href, std::optional<Validators> validators);
  // The anchors of the page are wanted as well.
  void want_anchors() { wants_anchors_ = true; }
  bool wants_anchors() const { return wants_anchors_; }
  // The second look at the link of this request.
  FetchRequest confirmation() const;
  static FetchRequest follow_up(Purpose purpose, const parser::Url& url, std::vector<std::string> header_lines = {},
                                bool is_confirmation = false);
  // The same by POST, with a body. A redirect is followed without it.
  static FetchRequest post(Purpose purpose, const parser::Url& url, std::vector<std::string> header_lines,
                           std::string body);

  const storage::LinkId& id() const { return id_; }
  std::string_view href() const { return {href_.get(), length_}; }
  const Validators* validators() const { return validators_.get(); }  // may be null
  bool is_confirmation() const { return is_confirmation_; }
  Purpose purpose() const { return purpose_; }
  bool is_follow_up() const { return purpose_ != Purpose::link && purpose_ != Purpose::found; }
  // Whether it is fetched only where robots.txt allows it, unless that is ignored altogether.
  bool needs_permission() const {
    return purpose_ == Purpose::probe || purpose_ == Purpose::home || purpose_ == Purpose::found;
  }
  // The answer is no page to be judged, but what somebody says about a link.
  bool asks_about_a_link() const {
    return purpose_ == Purpose::site_api || purpose_ == Purpose::archive || purpose_ == Purpose::github;
  }
  // How many bytes of an answer are wanted. Such a statement has a limit of its own; the user's is for pages.
  std::size_t body_limit(std::size_t max_body) const { return asks_about_a_link() ? std::size_t{2} << 20 : max_body; }

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

// Whether a hop that failed is asked for in the other version of HTTP.
enum class VersionTrial : std::uint8_t {
  none,
  next,  // the next time
  over,  // it has been
};

// A link under way: the request and what has happened to it so far. It moves between frontiers and threads, one hop at
// a time: redirects, retries and confirmations are all the same thing, put back into a frontier.
struct PendingFetch {
  FetchRequest request;
  parser::Url link_url;                 // the request's, parsed
  parser::Url url;                      // of the next hop
  std::optional<Timestamp> not_before;  // of the next hop
  std::vector<storage::Redirect> redirects;
  std::vector<storage::Attempt> attempts;
  std::string last_detail;              // what there is to say about the latest of them
  Duration spent{};                     // on its requests and waits; to stand in a queue costs a link nothing
  int retries = 0;                      // of the present hop
  int restarts = 0;                     // of the link: hops restarted because the process was suspended
  bool needs_fresh_connection = false;  // the next hop may not reuse a connection
  bool is_first_contact = false;        // the next hop is the first request to its host in this run
  bool should_use_get = false;          // HEAD has been asked, and was not believed
  bool should_imitate_browser = false;  // the next hop is asked for with the headers and the HTTP version of a browser
  VersionTrial version_trial = VersionTrial::none;
  std::unique_ptr<HopAnswer> refusal;  // what the same hop got without; null: it was not asked before
  // What the redirects so far have set; sent only once they have run in a circle, from the redirect with this number
  // on. Each circle that has set a new one is a round.
  std::vector<Cookie> cookies;
  std::optional<std::size_t> with_cookies_from;
  bool has_new_cookies = false;  // since the last round
  int cookie_rounds = 0;

  explicit PendingFetch(FetchRequest r);
  ~PendingFetch();
  PendingFetch(const PendingFetch&) = delete;
  PendingFetch& operator=(const PendingFetch&) = delete;
};

}  // namespace linkherd::crawler
