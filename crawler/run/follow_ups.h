// Sends the follow-up requests of a run, which the page of a link makes necessary. There are four kinds:
// - A soft-404 probe requests a path that cannot exist, if a page may be a soft 404. A host gets at most one a day.
// - A site API is queried for a link whose page was refused, looks gone or has no title.
// - If a branch of a repository lacks a file, the file is requested on the other usual branch.
// - A host that had pages and now seems to have lost them all gets a request for its home page.
//
// A page is held until the response to its follow-up request arrives. For example, https://example.org/old answers 200
// with the title "Page not found". hold() keeps that page, and take_request() returns a probe for a path of example.org
// that cannot exist. When release() receives the response to the probe, it returns the page with its final verdict.
// Pages that need the same request share it: a second page of example.org waits for the same probe.
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

// Not thread-safe.
class FollowUps {
 public:
  // `site_apis`: null if no site API is used; must outlive this object. `can_probe_hosts`: false if pages come from a
  // web archive, which cannot answer probes.
  explicit FollowUps(const SiteApiSet* site_apis, parser::Harvest harvest = parser::Harvest::full,
                     bool can_probe_hosts = true)
      : site_apis_(site_apis), harvest_(harvest), can_probe_hosts_(can_probe_hosts) {}

  // takes over probe results of earlier runs
  void restore(const std::vector<storage::HostState>& hosts, Timestamp now);

  // Records what the response says about its host. hold() calls it too.
  void note_host(const AnalyzedPage& page);

  // Takes `page` over and returns true if another response may change its verdict or metadata. take_request() may then
  // return a request to submit. Otherwise returns false: `page` is final and stays with the caller. `may_request`: if
  // false, no request is made and `page` becomes final without one.
  bool hold(AnalyzedPage& page, bool may_request, Timestamp now);
  struct Request {
    FetchRequest request;
    std::optional<Timestamp> not_before;
  };
  std::optional<Request> take_request() { return std::exchange(request_, std::nullopt); }

  // Returns the pages that waited for `answer`, evaluated with it. Such a page may need another follow-up request, so
  // pass it to hold() again.
  std::vector<AnalyzedPage> release(AnalyzedPage answer, Timestamp now);

  void add_to(std::vector<storage::HostState>& hosts) const;

 private:
  struct Host {
    std::string origin;  // of the URL that is probed
    std::optional<storage::ProbeResult> probe_result;
    std::optional<storage::PageFeatures> home;
    std::optional<storage::LinkId> probe_id;  // ID of the probe, once sent; it is pending while `waiting_` has its ID
  };
  struct Waiting {
    AnalyzedPage page;
    std::optional<SiteApiRequest> site_api_request = std::nullopt;
    std::optional<OtherBranch> branch = std::nullopt;
    bool home = false;  // waits for the home page; without any of these three the page waits for the probe
  };
  // A response of a site API, kept for other links that need the same request.
  struct SiteApiAnswer {
    int status = 0;
    std::optional<std::string> body = std::nullopt;  // nullopt if incomplete
    Timestamp at = {};                               // time of arrival
    std::string remark = {};       // note for the evidence on how it was requested, such as "Archived at …"
    bool is_confirmation = false;  // requested for the confirmation of a link
  };

  bool compare_with_host(AnalyzedPage& page, bool may_request, Timestamp now);
  bool request_site_api(AnalyzedPage& page, bool may_request, Timestamp now);
  bool request_other_branch(AnalyzedPage& page, bool may_request);
  bool request_home_page(AnalyzedPage& page, bool may_request);
  bool has_lost_everything(std::size_t host) const;
  bool has_room_for(const AnalyzedPage& page) const;
  void add(const storage::LinkId& request, Waiting waiting);
  void evaluate_by_host(const Host& host, AnalyzedPage& page) const;
  const SiteApiAnswer& keep_reply(AnalyzedPage answer, Timestamp now);
  void evaluate_by_site_api(const SiteApiRequest& site_api_request, const SiteApiAnswer& reply, AnalyzedPage& page);

  const SiteApiSet* site_apis_;
  parser::Harvest harvest_;
  bool can_probe_hosts_;
  std::unordered_map<std::string, Host> hosts_;                     // by host and port, without the scheme
  std::unordered_set<std::size_t> hosts_with_pages_;                // hashes of hosts that served a page in this run
  std::unordered_map<std::size_t, storage::LinkId> home_requests_;  // requests for home pages, by hash of the host
  std::unordered_set<std::size_t>
      hosts_with_404_;  // hashes of hosts that answered 404 for a page other than the home page
  std::unordered_map<std::size_t, int> home_statuses_;                 // statuses of home pages, by hash of the host
  std::unordered_map<storage::LinkId, std::vector<Waiting>> waiting_;  // pages by the request they wait for
  // links whose site API gave no usable response; their confirmation does not query it again
  std::unordered_set<storage::LinkId> links_without_reply_;
  std::unordered_map<std::string, Timestamp> paused_;  // earliest time of the next request, by name of the site API
  std::unordered_map<storage::LinkId, SiteApiAnswer> replies_;  // of site APIs, by request
  std::size_t reply_bytes_ = 0;
  std::optional<Request> request_;
  std::size_t held_ = 0;
  std::size_t held_bytes_ = 0;
};

}  // namespace linkherd::crawler
