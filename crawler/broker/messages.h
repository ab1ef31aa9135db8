// What a run and its workers tell each other through the broker, as bytes (messages.proto) and back. Whoever can write
// to the broker can send anything: reading returns an Error for what is malformed, too long or newer, and never throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crawler/broker/body_writer.h"
#include "crawler/fetch/http/fetch_request.h"
#include "crawler/run/page_analysis.h"
#include "crawler/run/plan.h"
#include "crawler/run/plan_sorter.h"
#include "crawler/sources/link_filter.h"
#include "parser/result.h"
#include "storage/host_state.h"
#include "storage/run.h"

namespace linkherd::crawler {

// Clocks of machines differ. Who writes a message says what time it is there, and who reads it moves the times in it by
// what its own clock says more or less, if that is a minute or more: then a pause may be longer than it had to be where
// the message has waited, and never shorter. A clock that is Timestamp{} says nothing.

// What tells requests apart that are under way at the same time in a run.
struct RequestKey {
  storage::LinkId id;
  Purpose purpose = Purpose::link;
  bool is_confirmation = false;

  static RequestKey of(const FetchRequest& request) {
    return {request.id(), request.purpose(), request.is_confirmation()};
  }
  bool operator==(const RequestKey&) const = default;
};

// Which of the buckets a host is in, by its registrable domain.
inline std::uint32_t bucket_of(const parser::Url& url, std::uint32_t buckets) { return part_of_domain(url, buckets); }

// So many go into a batch, which is done when all of them are: few, so that much survives where a worker does not.
inline constexpr std::size_t requests_a_batch = 10;

// Of the hosts of one bucket.
void append_request(std::string& batch, const FetchRequest& request, std::optional<Timestamp> not_before,
                    Timestamp now = {});
void append_request(std::string& batch, const PendingFetch& fetch, Timestamp now = {});
void append_requests(std::string& batch, std::string_view others);  // all of another batch
Result<std::vector<std::unique_ptr<PendingFetch>>> decode_requests(std::string_view batch, Timestamp now = {});

// A page without its request, which the run knows.
struct FoundPage {
  RequestKey key;
  storage::Snapshot snapshot;
  std::string body;
  std::optional<BodyLocation> body_location;  // where the body is instead
  bool out_of_memory = false;
  VisibleText visible;
  storage::PageFeatures features;
  storage::PageFeatures whole;
  std::optional<storage::Verdict> by_status;
  std::string oembed;
  std::optional<PageAnchors> anchors;

  AnalyzedPage with(FetchRequest request) &&;
};

struct FoundPages {
  std::vector<FoundPage> pages;
  std::vector<storage::HostState> hosts;
};
// `body_location`: where its body is, which `page` has no more.
void append_page(std::string& batch, const AnalyzedPage& page, Timestamp now = {},
                 const std::optional<BodyLocation>& body_location = std::nullopt);
void append_hosts(std::string& batch, const std::vector<storage::HostState>& hosts, Timestamp now = {});
Result<FoundPages> decode_pages(std::string_view batch, Timestamp now = {});

// Whoever holds this message unacknowledged, and nobody else, asks the hosts of the bucket.
struct BucketLease {
  std::string run;
  std::uint32_t bucket = 0;
  std::uint32_t buckets = 1;
  std::vector<storage::HostState> hosts;  // what is known of them
  bool should_skip_bodies = false;        // nobody keeps those of pages
  bool reads_files = false;               // the run has a folder for them (crawler/broker/body_writer.h)
};
std::string encode_lease(const BucketLease& lease, Timestamp now = {});
Result<BucketLease> decode_lease(std::string_view message, Timestamp now = {});

// How far a run is, as it says itself.
struct RunProgress {
  std::string run;
  std::uint32_t buckets = 1;
  Timestamp started_at, at;
  std::uint64_t planned = 0;    // links that are known by now
  std::uint64_t done = 0;       // of these
  std::uint64_t under_way = 0;  // requests that no page has come for
  double rate = 0;              // links a second, lately
  struct WaitingHost {
    std::string origin;
    Timestamp until;
  };
  std::vector<WaitingHost> waiting;  // hosts that asked for it; those that wait longest
  std::uint64_t all_waiting = 0;
};
std::string encode_progress(const RunProgress& progress);
Result<RunProgress> decode_progress(std::string_view message);

// A plan that waits for the run that fetches its links.
struct PlanHeader {
  std::string plan;  // its name
  std::uint32_t pieces = 0;
  std::uint64_t links = 0;      // in the pieces
  std::uint64_t all_links = 0;  // of all shards
  Timestamp made_at;
  std::vector<std::string> inputs;
  std::string settings;             // that change which links there are; with the inputs: which plan it is
  std::vector<std::string> missed;  // inputs that were not read, and why
  std::optional<storage::Shard> shard;
  bool web_anchors = false;  // the fragments of links to pages are judged …
  LinkFilterOptions filter;  // … but not of those that are left out; without `remap`
};
std::string encode_plan(const PlanHeader& plan);
Result<PlanHeader> decode_plan(std::string_view message);

struct PlanPiece {
  std::string plan;
  std::uint32_t number = 0;
  std::vector<LinkPart> links;
};
void append_planned_link(std::string& links, const LinkPart& link);
std::string encode_piece(const std::string& plan, std::uint32_t number, std::string_view links);
Result<PlanPiece> decode_piece(std::string_view message);

// So many pieces a plan may have: a consumer can have no more of them at once.
inline constexpr std::uint32_t max_pieces = UINT16_MAX;

}  // namespace linkherd::crawler

template <>
struct std::hash<linkherd::crawler::RequestKey> {
  std::size_t operator()(const linkherd::crawler::RequestKey& key) const noexcept {
    return std::hash<linkherd::storage::LinkId>()(key.id) * 16 + static_cast<std::size_t>(key.purpose) * 2 +
           (key.is_confirmation ? 1 : 0);
  }
};
