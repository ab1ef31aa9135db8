// Encodes and decodes the messages that a run and its workers exchange through the broker (messages.proto). Anybody who
// can write to the broker can send anything. Decoding returns an Error for messages that are malformed, too long or of
// a newer version, and never throws.
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
#include "crawler/run/link_sorter.h"
#include "crawler/run/link_table.h"
#include "crawler/run/page_analysis.h"
#include "crawler/sources/link_filter.h"
#include "parser/result.h"
#include "storage/host_state.h"
#include "storage/link_result.h"
#include "storage/run.h"

namespace linkherd::crawler {

// Clocks of different machines differ. The sender writes its current time into a message. If the reader's clock differs
// by a minute or more, the reader shifts all times in the message by the difference. If the message was queued for a
// while, a pause may become longer than necessary, but never shorter. A `now` of Timestamp{} disables this.

// Identifies a request among the pending requests of a run.
struct RequestKey {
  storage::LinkId id;
  Purpose purpose = Purpose::link;
  bool is_confirmation = false;

  static RequestKey of(const FetchRequest& request) {
    return {request.id(), request.purpose(), request.is_confirmation()};
  }
  bool operator==(const RequestKey&) const = default;
};

// Returns the bucket of a host, from its registrable domain.
inline std::uint32_t bucket_of(const parser::Url& url, std::uint32_t buckets) { return part_of_domain(url, buckets); }

// Requests per batch. A batch is acknowledged when all its requests are done. The number is small so that little is
// repeated if a worker dies.
inline constexpr std::size_t requests_per_batch = 10;

// The hosts of a batch must all belong to one bucket.
void append_request(std::string& batch, const FetchRequest& request, std::optional<Timestamp> not_before,
                    Timestamp now = {});
void append_request(std::string& batch, const FetchState& fetch, Timestamp now = {});
void append_requests(std::string& batch, std::string_view others);  // appends all requests of another batch
Result<std::vector<std::unique_ptr<FetchState>>> decode_requests(std::string_view batch, Timestamp now = {});

// Contains what a worker found for a request. Only the run has the request itself.
struct WorkerPage {
  RequestKey key;
  PageAnalysis analysis;
  std::optional<BodyLocation> body_location = std::nullopt;  // location of the body if it is in a file
};

struct WorkerPages {
  std::vector<WorkerPage> pages;
  std::vector<storage::HostState> hosts;
};
// `body_location`: location of the body, if it was moved out of `page`.
void append_page(std::string& batch, const RequestKey& key, const PageAnalysis& page, Timestamp now = {},
                 const std::optional<BodyLocation>& body_location = std::nullopt);
void append_hosts(std::string& batch, const std::vector<storage::HostState>& hosts, Timestamp now = {});
Result<WorkerPages> decode_pages(std::string_view batch, Timestamp now = {});

// The right to contact the hosts of a bucket. Only the worker that holds this message unacknowledged may do so. For
// example, the lease {run "0a1b2c3d4e5f6071", bucket 17, buckets 64} covers all hosts whose registrable domain hashes
// to 17. A worker that hands the bucket back publishes a new lease with its current host states and acknowledges the
// old one. If the worker dies, the broker redelivers the old lease to another worker.
struct BucketLease {
  std::string run;
  std::uint32_t bucket = 0;
  std::uint32_t buckets = 1;
  std::vector<storage::HostState> hosts;  // known states of the hosts in the bucket
  bool should_skip_bodies = false;        // bodies of pages are not kept
  bool reads_files = false;               // the run has a folder for bodies (crawler/broker/body_writer.h)
};
std::string encode_lease(const BucketLease& lease, Timestamp now = {});
Result<BucketLease> decode_lease(std::string_view message, Timestamp now = {});

// The progress of a run, as published by the run.
struct RunProgress {
  std::string run;
  std::uint32_t buckets = 1;
  Timestamp started_at, at;
  std::uint64_t planned = 0;           // links known so far
  std::uint64_t done = 0;              // links that are done
  std::uint64_t pending_requests = 0;  // requests without a page
  double rate = 0;                     // links per second in the last minute
  struct WaitingHost {
    std::string origin;
    Timestamp until;
  };
  std::vector<WaitingHost> waiting;  // hosts that requested a pause, the longest pauses first
  std::uint64_t all_waiting = 0;
};
std::string encode_progress(const RunProgress& progress);
Result<RunProgress> decode_progress(std::string_view message);

// A plan that waits for a run to fetch its links.
struct PlanHeader {
  std::string plan;  // name of the plan
  std::uint32_t pieces = 0;
  std::uint64_t links = 0;      // in the pieces
  std::uint64_t all_links = 0;  // in all shards
  Timestamp made_at;
  std::vector<std::string> inputs;
  std::string settings;  // settings that determine the links; together with the inputs they identify the plan
  std::vector<std::string> unread;  // inputs that were not read, with the reason
  std::optional<storage::Shard> shard;
  bool web_anchors = false;  // fragments of links to pages are checked
  LinkFilterOptions filter;  // links whose fragments are not checked; `remap` is not sent
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

// Maximum pieces of a plan. A consumer can hold no more messages at once.
inline constexpr std::uint32_t max_pieces = UINT16_MAX;

}  // namespace linkherd::crawler

template <>
struct std::hash<linkherd::crawler::RequestKey> {
  std::size_t operator()(const linkherd::crawler::RequestKey& key) const noexcept {
    return std::hash<linkherd::storage::LinkId>()(key.id) * 16 + static_cast<std::size_t>(key.purpose) * 2 +
           (key.is_confirmation ? 1 : 0);
  }
};
