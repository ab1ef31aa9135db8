// The follow-up requests of a run: requests that the page of a link makes necessary. Four kinds: a control request
// asks a host, at most once a day, for a path that cannot exist, if a page may be a soft 404; a site API is asked about
// a link whose page was refused, looks gone or has no title; a file that a branch of a repository does not have is
// looked for on the other one of the usual branches; a host that had pages and seems to have lost them all is asked for
// its home page. Pages are held here until the answer arrives.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "crawler/classify/site_facts.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/lookups/site_apis.h"
#include "crawler/run/page_analysis.h"
#include "storage/host_state.h"
#include "storage/link_id.h"

namespace linkherd::crawler {

// Used by one thread.
class FollowUps {
 public:
  // `site_apis`: null where none is asked; outlives this. `can_ask_hosts`: false where pages come from a web archive,
  // which has no control answers.
  explicit FollowUps(const SiteApiSet* site_apis, parser::Harvest harvest = parser::Harvest::full,
                     bool can_ask_hosts = true)
      : site_apis_(site_apis), harvest_(harvest), can_ask_hosts_(can_ask_hosts) {}

  void restore(const std::vector<storage::HostState>& hosts, Timestamp now);  // what earlier runs were answered

  // Notes what a page says of its host. hold() does so as well.
  void note_host(const AnalyzedPage& page);

  // Takes in a page whose verdict or metadata another answer may change: then take_request() may have a request to be
  // submitted. Any other page is settled, which gives false. `may_ask`: else it is settled without.
  bool hold(AnalyzedPage& page, bool may_ask, Timestamp now);
  struct Request {
    FetchRequest request;
    std::optional<Timestamp> not_before;
  };
  std::optional<Request> take_request() { return std::exchange(request_, std::nullopt); }

  // The pages that waited for this answer, settled by it. Another one may still be due.
  std::vector<AnalyzedPage> release(AnalyzedPage answer, Timestamp now);

  void add_to(std::vector<storage::HostState>& hosts) const;

 private:
  struct Host {
    std::string origin;  // that is asked
    std::optional<storage::ProbeResult> answer;
    std::optional<storage::PageFeatures> home;
    std::optional<storage::LinkId> asked;  // the control request; it is under way while pages wait for it
  };
  struct Waiting {
    AnalyzedPage page;
    std::optional<SiteApiRequest> question = std::nullopt;
    std::optional<OtherBranch> branch = std::nullopt;
    bool home = false;  // without any of these it waits for the host's control answer
  };
  // An answer of a site API. It is kept for other links that need the same request.
  struct Reply {
    int status = 0;
    std::optional<std::string> body = std::nullopt;  // nothing: not complete
    Timestamp at = {};                               // when it came
    std::string remark = {};                         // about how it was asked
    bool is_confirmation = false;                    // it was asked for the second look at a link
  };

  bool compare_with_host(AnalyzedPage& page, bool may_ask, Timestamp now);
  bool ask_site_api(AnalyzedPage& page, bool may_ask, Timestamp now);
  bool ask_other_branch(AnalyzedPage& page, bool may_ask);
  bool ask_home_page(AnalyzedPage& page, bool may_ask);
  bool has_lost_everything(std::size_t host) const;
  bool has_room_for(const AnalyzedPage& page) const;
  void add(const storage::LinkId& request, Waiting waiting);
  void settle_by_host(const Host& host, AnalyzedPage& page) const;
  const Reply& keep_reply(AnalyzedPage answer, Timestamp now);
  void settle_by_site_api(const SiteApiRequest& question, const Reply& reply, AnalyzedPage& page);

  const SiteApiSet* site_apis_;
  parser::Harvest harvest_;
  bool can_ask_hosts_;
  std::unordered_map<std::string, Host> hosts_;                     // by host and port, whatever the scheme
  std::unordered_set<std::size_t> serving_;                         // hashes of hosts that have a page in this run
  std::unordered_map<std::size_t, storage::LinkId> home_requests_;  // the requests for home pages, by such a hash
  std::unordered_set<std::size_t> missing_;     // hashes of hosts that lack a page beside their home page
  std::unordered_map<std::size_t, int> homes_;  // statuses of home pages, by such a hash
  std::unordered_map<storage::LinkId, std::vector<Waiting>> waiting_;  // by the request that is waited for
  std::unordered_set<storage::LinkId> unanswered_;      // links: a second look at their page does not ask again
  std::unordered_map<std::string, Timestamp> paused_;   // site APIs, by name: when they want to be asked again
  std::unordered_map<storage::LinkId, Reply> replies_;  // of site APIs, by the request
  std::size_t reply_bytes_ = 0;
  std::optional<Request> request_;
  std::size_t held_ = 0;
  std::size_t held_bytes_ = 0;
};

}  // namespace linkherd::crawler
