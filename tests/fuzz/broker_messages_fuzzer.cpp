// Fuzzes the messages of a broker; the first byte selects the kind. A message that was parsed must survive a round trip
// through the writer. A value that becomes a file name, a header field or an address must have the required form.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/broker/message_checks.h"
#include "crawler/broker/messages.h"

using namespace linkherd;
using namespace linkherd::crawler;

namespace {

void must(bool condition) {
  if (!condition) std::abort();
}

bool is_one_line(std::string_view text) { return text.find_first_of("\r\n") == std::string_view::npos; }

void read_requests(std::string_view message) {
  const auto fetches = decode_requests(message);
  if (fetches.has_error()) return;
  for (const auto& fetch : *fetches) {
    std::string batch;
    append_request(batch, *fetch);
    const auto again = decode_requests(batch);
    must(again.has_value() && again->size() == 1);
    const FetchState& read = *again->front();
    must(RequestKey::of(read.request) == RequestKey::of(fetch->request) &&
         read.request.href() == fetch->request.href());
    must(read.hop_url.href() == fetch->hop_url.href() && read.redirects == fetch->redirects &&
         read.cookies.all == fetch->cookies.all);
    must(bucket_of(read.hop_url, 64) < 64);
    if (const Validators* const known = read.request.validators()) {
      must(is_one_line(known->etag) && is_one_line(known->last_modified));
      for (const std::string& line : known->lines) must(is_one_line(line));
    }
    for (const Cookie& cookie : read.cookies.all) must(is_one_line(cookie.name) && is_one_line(cookie.value));
  }
}

void read_pages(std::string_view message) {
  const Result<WorkerPages> found = decode_pages(message);
  if (found.has_error()) return;
  for (const auto& [key, analysis, location] : found->pages) {
    const storage::Snapshot& snapshot = analysis.snapshot;
    std::string batch;
    append_page(batch, key, analysis, {}, location);
    const Result<WorkerPages> again = decode_pages(batch);
    must(again.has_value() && again->pages.size() == 1);
    must(again->pages.front().key == key && again->pages.front().analysis.snapshot == snapshot);
    must(again->pages.front().body_location == location && (!location || is_name(location->file)));
    must(is_one_line(snapshot.final_url) && snapshot.status >= 0);
  }
}

void read_lease(std::string_view message) {
  const Result<BucketLease> lease = decode_lease(message);
  if (lease.has_error()) return;
  const Result<BucketLease> again = decode_lease(encode_lease(*lease));
  must(again.has_value() && again->run == lease->run && again->bucket == lease->bucket);
  must(again->should_skip_bodies == lease->should_skip_bodies && again->reads_files == lease->reads_files);
  must(again->bucket < again->buckets && again->hosts.size() == lease->hosts.size() && is_name(lease->run));
  for (const storage::HostState& host : lease->hosts) must(is_web_origin(host.origin));
}

void read_progress(std::string_view message) {
  const Result<RunProgress> progress = decode_progress(message);
  if (progress.has_error()) return;
  must(progress->rate >= 0 && is_name(progress->run));
  const Result<RunProgress> again = decode_progress(encode_progress(*progress));
  must(again.has_value() && again->run == progress->run && again->at == progress->at);
  must(again->waiting.size() == progress->waiting.size());
}

void read_plan(std::string_view message) {
  const Result<PlanHeader> plan = decode_plan(message);
  if (plan.has_error()) return;
  must(is_name(plan->plan) && plan->pieces <= max_pieces &&
       (!plan->shard || plan->shard->number <= plan->shard->count));
  const Result<PlanHeader> again = decode_plan(encode_plan(*plan));
  must(again.has_value() && again->plan == plan->plan && again->inputs == plan->inputs);
  must(again->shard == plan->shard && again->filter.exclude == plan->filter.exclude);
}

void read_piece(std::string_view message) {
  const Result<PlanPiece> piece = decode_piece(message);
  if (piece.has_error()) return;
  must(is_name(piece->plan));
  std::string links;
  LinkJoiner joiner;
  std::size_t joined = 0;
  for (const LinkPart& link : piece->links) {
    append_planned_link(links, link);
    joined += joiner.add(link).has_error() ? 0U : 1U;
  }
  const Result<PlanPiece> again = decode_piece(encode_piece(piece->plan, piece->number, links));
  must(again.has_value() && again->plan == piece->plan && again->links.size() == piece->links.size());
  const LinkTable plan = joiner.finish();
  must(plan.size() <= joined);
  for (std::size_t link = 0; link < plan.size(); ++link) {
    if (plan.verdict(link) != nullptr) continue;
    const Result<parser::Url> url = parser::Url::parse(plan.href(link));
    must(url.has_value() && url->is_http() && storage::LinkId::of(*url) == plan.id(link));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string message(data + 1, data + size);
  switch (*data % 6) {
    case 0: read_requests(message); break;
    case 1: read_pages(message); break;
    case 2: read_lease(message); break;
    case 3: read_progress(message); break;
    case 4: read_plan(message); break;
    default: read_piece(message); break;
  }
  return 0;
}
