#include "crawler/broker/messages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "crawler/broker/message_checks.h"
#include "crawler/broker/messages.pb.h"
#include "crawler/fetch/http/fetch_result.h"
#include "storage/stored_times.h"
#include "storage/stored_values.h"

namespace linkherd::crawler {
namespace {

constexpr char message_version = 1;
constexpr std::size_t max_encoded_bytes = std::size_t{64} << 20;  // of a message
constexpr int max_in_batch = 10'000;
constexpr std::uint32_t max_buckets = 1 << 16;
constexpr Purpose last_purpose = Purpose::relocation_lookup;

std::int64_t stored_number(Timestamp time) { return time.time_since_epoch().count(); }

// Limits the time to the range that can be printed and used in calculations.
Timestamp time_of(std::int64_t number) { return moved(Timestamp(Duration(number)), Duration()); }

template <class Message>
void set_sent_at_now(Message& message, Timestamp now) {
  if (now != Timestamp{}) message.set_sent_at(stored_number(now));
}

// Returns the shift for all times in the message.
template <class Message>
Duration clock_difference(const Message& message, Timestamp now) {
  if (!message.has_sent_at() || now == Timestamp{}) return {};
  const Duration difference = now - time_of(message.sent_at());
  return std::chrono::abs(difference) < std::chrono::minutes(1) ? Duration() : difference;
}

void move_time(Timestamp& time, Duration by) { time = moved(time, by); }

void move_time(std::optional<Timestamp>& time, Duration by) {
  if (time) move_time(*time, by);
}

void move_times(storage::HostState& host, Duration by) {
  move_time(host.not_before, by);
  move_time(host.robots_at, by);
  if (host.probe) move_time(host.probe->at, by);
  if (!host.unresponsive) return;
  move_time(host.unresponsive->since, by);
  move_time(host.unresponsive->last, by);
  move_time(host.unresponsive->last_strike, by);
}

void move_times(std::vector<storage::Attempt>& attempts, Duration by) {
  for (storage::Attempt& attempt : attempts) move_time(attempt.at, by);
}

template <class Message>
void append(std::string& batch, const Message& message) {
  if (batch.empty()) batch.push_back(message_version);
  message.AppendToString(&batch);
}

template <class Message>
Result<Message> message_of(std::string_view bytes, MessageKind kind) {
  if (bytes.empty() || bytes.front() != message_version) {
    return Error{
        "a message from an incompatible version of linkherd: use the same version for the run and all its workers"};
  }
  bytes.remove_prefix(1);
  Message message;
  if (bytes.size() > max_encoded_bytes || has_too_many_parts(kind, bytes) ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Error{"a message that is damaged or too long"};
  }
  return message;
}

std::optional<storage::LinkId> link_id_of(const std::string& bytes) {
  storage::LinkId id;
  if (bytes.size() != id.bytes.size()) return std::nullopt;
  std::ranges::copy(bytes, id.bytes.begin());
  return id;
}

std::string bytes_of(const storage::LinkId& id) { return {id.bytes.begin(), id.bytes.end()}; }

template <class Message>
Result<RequestKey> key_of(const Message& message) {
  const std::optional<storage::LinkId> id = link_id_of(message.link_id());
  if (!id || message.purpose() > static_cast<std::uint32_t>(last_purpose)) return Error{"no such request"};
  return RequestKey{*id, static_cast<Purpose>(message.purpose()), message.is_confirmation()};
}

// Returns the snapshot of a message if its parts have the form that a worker gives them.
Result<storage::Snapshot> snapshot_of(const std::string& bytes) {
  if (has_too_many_parts(MessageKind::snapshot, bytes)) return Error{"a response with too many parts"};
  Result<storage::Snapshot> snapshot = storage::decode_snapshot(bytes);
  if (!snapshot) return snapshot.error();
  const Result<void> checked = check_snapshot(*snapshot);
  if (checked.has_error()) return checked.error();
  return snapshot;
}

broker::Request message_of(const FetchRequest& request, std::optional<Timestamp> not_before, Timestamp now) {
  broker::Request message;
  set_sent_at_now(message, now);
  message.set_link_id(bytes_of(request.id()));
  message.set_href(request.href().data(), request.href().size());
  message.set_purpose(static_cast<std::uint32_t>(request.purpose()));
  message.set_is_confirmation(request.is_confirmation());
  message.set_wants_anchors(request.wants_anchors());
  if (not_before) message.set_not_before(stored_number(*not_before));
  if (const Validators* const known = request.validators()) {
    broker::Validators& validators = *message.mutable_validators();
    validators.set_url(known->url);
    validators.set_etag(known->etag);
    validators.set_last_modified(known->last_modified);
    for (const std::string& line : known->lines) validators.add_lines(line);
  }
  return message;
}

void add_so_far(broker::Request& message, const FetchState& fetch) {
  storage::Snapshot so_far;
  so_far.final_url = fetch.hop_url.href();
  so_far.redirects = fetch.redirects;
  so_far.attempts = fetch.attempts;
  message.set_so_far(storage::encode_snapshot(so_far));
  message.set_last_detail(fetch.last_detail);
  message.set_spent(static_cast<std::uint64_t>(fetch.spent.count()));
  message.set_restarts(static_cast<std::uint32_t>(fetch.restarts));
  message.set_should_use_get(fetch.should_use_get);
  for (const Cookie& known : fetch.cookies.all) {
    broker::Cookie& cookie = *message.add_cookies();
    cookie.set_name(known.name);
    cookie.set_value(known.value);
    cookie.set_domain(known.domain);
    cookie.set_path(known.path);
    cookie.set_is_host_only(known.is_host_only);
    cookie.set_secure(known.secure);
    if (known.expires) cookie.set_expires(stored_number(*known.expires));
  }
  if (fetch.cookies.sent_from) message.set_with_cookies_from(static_cast<std::uint32_t>(*fetch.cookies.sent_from));
  message.set_has_new_cookies(fetch.cookies.has_new);
  message.set_cookie_rounds(static_cast<std::uint32_t>(fetch.cookies.rounds));
}

Result<void> read_so_far(const broker::Request& message, FetchState& fetch) {
  if (message.so_far().empty()) return {};
  Result<storage::Snapshot> so_far = snapshot_of(message.so_far());
  if (!so_far) return so_far.error();
  if (!is_web_href(so_far->final_url)) return Error{"an invalid redirect chain"};
  fetch.hop_url = parser::Url::parse(so_far->final_url).value();
  fetch.redirects = std::move(so_far->redirects);
  fetch.attempts = std::move(so_far->attempts);
  fetch.last_detail = message.last_detail();
  constexpr std::uint64_t max_microseconds = std::chrono::microseconds(std::chrono::hours(24)).count();
  fetch.spent = Duration(static_cast<std::int64_t>(std::min(message.spent(), max_microseconds)));
  constexpr std::uint32_t max_count = 1000;  // above any count that a link can have
  fetch.restarts = static_cast<int>(std::min(message.restarts(), max_count));
  fetch.should_use_get = message.should_use_get();
  for (const broker::Cookie& cookie : message.cookies()) {
    fetch.cookies.all.push_back(
        {.name = cookie.name(),
         .value = cookie.value(),
         .domain = cookie.domain(),
         .path = cookie.path(),
         .is_host_only = cookie.is_host_only(),
         .secure = cookie.secure(),
         .expires = cookie.has_expires() ? std::optional(time_of(cookie.expires())) : std::nullopt});
  }
  if (const Result<void> checked = check_cookies(fetch.cookies.all); checked.has_error()) return checked.error();
  if (message.has_with_cookies_from()) {
    fetch.cookies.sent_from = std::min<std::size_t>(message.with_cookies_from(), fetch.redirects.size());
  }
  fetch.cookies.has_new = message.has_new_cookies();
  fetch.cookies.rounds = static_cast<int>(std::min(message.cookie_rounds(), max_count));
  return {};
}

Result<std::unique_ptr<FetchState>> fetch_of(const broker::Request& message, Timestamp now) {
  const Result<RequestKey> key = key_of(message);
  if (!key) return key.error();
  if (!is_web_href(message.href())) return Error{"a request for something other than an http or https URL"};
  std::optional<Validators> validators;
  if (message.has_validators()) {
    const broker::Validators& known = message.validators();
    validators = {known.url(), known.etag(), known.last_modified(), {known.lines().begin(), known.lines().end()}};
    if (const Result<void> checked = check_validators(*validators); checked.has_error()) return checked.error();
  }
  FetchRequest request(key->id, message.href(), std::move(validators), key->is_confirmation, key->purpose);
  if (message.wants_anchors()) request.want_anchors();
  auto fetch = std::make_unique<FetchState>(std::move(request));
  if (message.has_not_before()) fetch->not_before = time_of(message.not_before());
  const Result<void> so_far = read_so_far(message, *fetch);
  if (!so_far) return so_far.error();
  const Duration difference = clock_difference(message, now);
  move_time(fetch->not_before, difference);
  if (fetch->not_before && now != Timestamp{}) *fetch->not_before = std::min(*fetch->not_before, now + max_wait);
  move_times(fetch->attempts, difference);
  return fetch;
}

template <class Texts>
std::vector<std::string> texts_of(const Texts& texts) {
  return {texts.begin(), texts.end()};
}

template <class Patterns>
std::vector<SourcedPattern> patterns_of(const Patterns& messages) {
  std::vector<SourcedPattern> patterns;
  for (const broker::Pattern& pattern : messages) patterns.push_back({pattern.source(), pattern.pattern()});
  return patterns;
}

void set_pattern(broker::Pattern& message, const SourcedPattern& pattern) {
  message.set_source(pattern.source);
  message.set_pattern(pattern.pattern);
}

bool is_bucket_count(std::uint32_t count) { return count > 0 && count <= max_buckets; }

void add_host(broker::Host& message, const storage::HostState& host, Timestamp now) {
  set_sent_at_now(message, now);
  message.set_origin(host.origin);
  message.set_state(storage::encode_host(host));
}

template <class Messages>
Result<std::vector<storage::HostState>> hosts_of(const Messages& messages, Timestamp now) {
  std::vector<storage::HostState> hosts;
  hosts.reserve(static_cast<std::size_t>(messages.size()));
  for (const broker::Host& message : messages) {
    Result<storage::HostState> host = storage::decode_host(message.state(), message.origin());
    if (!host) return host.error();
    if (const Result<void> checked = check_host(*host); checked.has_error()) return checked.error();
    move_times(*host, clock_difference(message, now));
    if (now != Timestamp{}) storage::clamp_times(*host, now);
    hosts.push_back(std::move(*host));
  }
  return hosts;
}

broker::Anchors message_of(const PageAnchors& anchors) {
  broker::Anchors message;
  for (const std::string& name : anchors.names) message.add_names(name);
  message.set_text(anchors.text);
  message.set_lines(anchors.lines);
  message.set_is_html(anchors.is_html);
  message.set_is_pdf(anchors.is_pdf);
  message.set_is_whole(anchors.is_whole);
  message.set_has_text(anchors.has_text);
  message.set_is_built_by_script(anchors.is_built_by_script);
  return message;
}

PageAnchors anchors_of(const broker::Anchors& message) {
  PageAnchors anchors;
  anchors.names.assign(message.names().begin(), message.names().end());
  std::ranges::sort(anchors.names);
  anchors.text = message.text();
  anchors.lines = message.lines();
  anchors.is_html = message.is_html();
  anchors.is_pdf = message.is_pdf();
  anchors.is_whole = message.is_whole();
  anchors.has_text = message.has_text();
  anchors.is_built_by_script = message.is_built_by_script();
  return anchors;
}

Result<WorkerPage> page_of(const broker::Page& message, Timestamp now) {
  const Result<RequestKey> key = key_of(message);
  if (!key) return key.error();
  Result<storage::Snapshot> snapshot = snapshot_of(message.snapshot());
  if (!snapshot) return snapshot.error();
  if (!message.body().empty() && storage::content_digest(message.body()) != snapshot->body_digest)
    return Error{"a body that does not match its digest"};  // it would replace the body of another link
  if (!message.body_file().empty() && !is_name(message.body_file())) return Error{"a body without a file"};
  const Duration difference = clock_difference(message, now);
  move_time(snapshot->fetched_at, difference);
  if (now != Timestamp{}) storage::clamp_to_past(snapshot->fetched_at, now);
  move_times(snapshot->attempts, difference);
  WorkerPage page{
      .key = *key,
      .analysis = {.snapshot = std::move(*snapshot),
                   .body = message.body(),
                   .out_of_memory = message.out_of_memory(),
                   .visible = {message.visible_title(), message.visible_text()},
                   .features = {message.title(), message.text_hash(), message.text_length()},
                   .features_with_url = {message.whole_title(), message.whole_hash(), message.text_length()},
                   .oembed = message.oembed()}};
  if (!message.body_file().empty()) page.body_location = {message.body_file(), message.body_offset()};
  if (message.has_anchors()) page.analysis.anchors = anchors_of(message.anchors());
  Result<std::optional<storage::Verdict>> by_status = storage::decode_verdict(message.by_status());
  if (!by_status) return by_status.error();
  if (*by_status) {
    if (const Result<void> checked = check_verdict(**by_status); checked.has_error()) return checked.error();
  }
  page.analysis.by_status = std::move(*by_status);
  return page;
}

}  // namespace

void append_request(std::string& batch, const FetchRequest& request, std::optional<Timestamp> not_before,
                    Timestamp now) {
  broker::Requests one;
  *one.add_requests() = message_of(request, not_before, now);
  append(batch, one);
}

void append_request(std::string& batch, const FetchState& fetch, Timestamp now) {
  broker::Requests one;
  *one.add_requests() = message_of(fetch.request, fetch.not_before, now);
  add_so_far(*one.mutable_requests(0), fetch);
  append(batch, one);
}

void append_requests(std::string& batch, std::string_view others) {
  if (!batch.empty() && !others.empty()) others.remove_prefix(1);  // skips the version
  batch += others;
}

Result<std::vector<std::unique_ptr<FetchState>>> decode_requests(std::string_view batch, Timestamp now) {
  const Result<broker::Requests> message = message_of<broker::Requests>(batch, MessageKind::requests);
  if (!message) return message.error();
  if (message->requests().size() > max_in_batch) return Error{"a batch with too many requests"};
  std::vector<std::unique_ptr<FetchState>> fetches;
  fetches.reserve(static_cast<std::size_t>(message->requests().size()));
  for (const broker::Request& request : message->requests()) {
    Result<std::unique_ptr<FetchState>> fetch = fetch_of(request, now);
    if (!fetch) return fetch.error();
    fetches.push_back(std::move(*fetch));
  }
  return fetches;
}

void append_page(std::string& batch, const RequestKey& key, const PageAnalysis& page, Timestamp now,
                 const std::optional<BodyLocation>& body_location) {
  broker::Pages one;
  broker::Page& message = *one.add_pages();
  set_sent_at_now(message, now);
  message.set_link_id(bytes_of(key.id));
  message.set_purpose(static_cast<std::uint32_t>(key.purpose));
  message.set_is_confirmation(key.is_confirmation);
  message.set_snapshot(storage::encode_snapshot(page.snapshot));
  message.set_body(page.body);
  if (body_location) {
    message.set_body_file(body_location->file);
    message.set_body_offset(body_location->offset);
  }
  message.set_out_of_memory(page.out_of_memory);
  message.set_visible_title(page.visible.title);
  message.set_visible_text(page.visible.text);
  message.set_title(page.features.title);
  message.set_text_hash(page.features.text_hash);
  message.set_text_length(page.features.text_length);
  message.set_whole_title(page.features_with_url.title);
  message.set_whole_hash(page.features_with_url.text_hash);
  message.set_by_status(storage::encode_verdict(page.by_status));
  message.set_oembed(page.oembed);
  if (page.anchors) *message.mutable_anchors() = message_of(*page.anchors);
  append(batch, one);
}

void append_hosts(std::string& batch, const std::vector<storage::HostState>& hosts, Timestamp now) {
  broker::Pages one;
  for (const storage::HostState& host : hosts) add_host(*one.add_hosts(), host, now);
  append(batch, one);
}

Result<WorkerPages> decode_pages(std::string_view batch, Timestamp now) {
  const Result<broker::Pages> message = message_of<broker::Pages>(batch, MessageKind::pages);
  if (!message) return message.error();
  WorkerPages found;
  found.pages.reserve(static_cast<std::size_t>(message->pages().size()));
  for (const broker::Page& one : message->pages()) {
    Result<WorkerPage> page = page_of(one, now);
    if (!page) return page.error();
    found.pages.push_back(std::move(*page));
  }
  Result<std::vector<storage::HostState>> hosts = hosts_of(message->hosts(), now);
  if (!hosts) return hosts.error();
  found.hosts = std::move(*hosts);
  return found;
}

std::string encode_lease(const BucketLease& lease, Timestamp now) {
  broker::Lease message;
  message.set_run(lease.run);
  message.set_bucket(lease.bucket);
  message.set_buckets(lease.buckets);
  for (const storage::HostState& host : lease.hosts) add_host(*message.add_hosts(), host, now);
  message.set_should_skip_bodies(lease.should_skip_bodies);
  message.set_reads_files(lease.reads_files);
  std::string bytes;
  append(bytes, message);
  return bytes;
}

Result<BucketLease> decode_lease(std::string_view bytes, Timestamp now) {
  const Result<broker::Lease> message = message_of<broker::Lease>(bytes, MessageKind::lease);
  if (!message) return message.error();
  const bool is_possible = is_bucket_count(message->buckets()) && message->bucket() < message->buckets();
  if (!is_possible || !is_name(message->run())) return Error{"a lease without a valid bucket"};
  Result<std::vector<storage::HostState>> hosts = hosts_of(message->hosts(), now);
  if (!hosts) return hosts.error();
  return BucketLease{
      message->run(),        message->bucket(), message->buckets(), std::move(*hosts), message->should_skip_bodies(),
      message->reads_files()};
}

std::string encode_progress(const RunProgress& progress) {
  broker::Progress message;
  message.set_run(progress.run);
  message.set_buckets(progress.buckets);
  message.set_started_at(stored_number(progress.started_at));
  message.set_at(stored_number(progress.at));
  message.set_planned(progress.planned);
  message.set_done(progress.done);
  message.set_under_way(progress.pending_requests);
  message.set_rate(progress.rate);
  for (const RunProgress::WaitingHost& host : progress.waiting) {
    broker::WaitingHost& waiting = *message.add_waiting();
    waiting.set_origin(host.origin);
    waiting.set_until(stored_number(host.until));
  }
  message.set_all_waiting(progress.all_waiting);
  std::string bytes;
  append(bytes, message);
  return bytes;
}

Result<RunProgress> decode_progress(std::string_view bytes) {
  const Result<broker::Progress> message = message_of<broker::Progress>(bytes, MessageKind::progress);
  if (!message) return message.error();
  if (!is_bucket_count(message->buckets()) || !is_name(message->run()))
    return Error{"a progress message without a valid run"};
  RunProgress progress{.run = message->run(),
                       .buckets = message->buckets(),
                       .started_at = time_of(message->started_at()),
                       .at = time_of(message->at()),
                       .planned = message->planned(),
                       .done = message->done(),
                       .pending_requests = message->under_way(),
                       .rate = std::isfinite(message->rate()) ? std::max(0.0, message->rate()) : 0,
                       .waiting = {},
                       .all_waiting = message->all_waiting()};
  for (const broker::WaitingHost& host : message->waiting()) {
    if (!is_web_origin(host.origin())) return Error{"a progress message with invalid hosts"};
    progress.waiting.push_back({host.origin(), time_of(host.until())});
  }
  return progress;
}

std::string encode_plan(const PlanHeader& plan) {
  broker::Plan message;
  message.set_plan(plan.plan);
  message.set_pieces(plan.pieces);
  message.set_links(plan.links);
  message.set_all_links(plan.all_links);
  message.set_made_at(stored_number(plan.made_at));
  for (const std::string& input : plan.inputs) message.add_inputs(input);
  message.set_settings(plan.settings);
  for (const std::string& input : plan.unread) message.add_missed(input);
  if (plan.shard) {
    message.set_shard(plan.shard->number);
    message.set_shards(plan.shard->count);
  }
  message.set_web_anchors(plan.web_anchors);
  for (const SourcedPattern& pattern : plan.filter.include) set_pattern(*message.add_include(), pattern);
  for (const SourcedPattern& pattern : plan.filter.exclude) set_pattern(*message.add_exclude(), pattern);
  for (const std::string& scheme : plan.filter.schemes) message.add_schemes(scheme);
  std::string bytes;
  append(bytes, message);
  return bytes;
}

Result<PlanHeader> decode_plan(std::string_view bytes) {
  const Result<broker::Plan> message = message_of<broker::Plan>(bytes, MessageKind::plan);
  if (!message) return message.error();
  const bool is_shard = message->shard() > 0 && message->shard() <= message->shards();
  if (!is_name(message->plan()) || message->pieces() > max_pieces || (message->shard() != 0 && !is_shard))
    return Error{"an invalid plan"};
  PlanHeader plan{.plan = message->plan(),
                  .pieces = message->pieces(),
                  .links = message->links(),
                  .all_links = message->all_links(),
                  .made_at = time_of(message->made_at()),
                  .inputs = texts_of(message->inputs()),
                  .settings = message->settings(),
                  .unread = texts_of(message->missed()),
                  .shard = std::nullopt,
                  .web_anchors = message->web_anchors(),
                  .filter = {.include = patterns_of(message->include()),
                             .exclude = patterns_of(message->exclude()),
                             .remap = {},
                             .schemes = texts_of(message->schemes())}};
  if (is_shard) plan.shard = {.number = message->shard(), .count = message->shards(), .links = message->all_links()};
  return plan;
}

void append_planned_link(std::string& links, const LinkPart& link) {
  broker::PlanPiece one;
  broker::PlannedLink& message = *one.add_links();
  message.set_link_id(bytes_of(link.id));
  message.set_href(link.href);
  message.set_verdict(link.verdict);
  message.set_order(link.order);
  for (const std::string& occurrences : link.occurrences) message.add_occurrences(occurrences);
  one.AppendToString(&links);
}

std::string encode_piece(const std::string& plan, std::uint32_t number, std::string_view links) {
  broker::PlanPiece head;
  head.set_plan(plan);
  head.set_number(number);
  std::string bytes;
  append(bytes, head);
  return bytes.append(links);
}

Result<PlanPiece> decode_piece(std::string_view bytes) {
  const Result<broker::PlanPiece> message = message_of<broker::PlanPiece>(bytes, MessageKind::piece);
  if (!message) return message.error();
  if (!is_name(message->plan())) return Error{"a piece without a valid plan"};
  PlanPiece piece{message->plan(), message->number(), {}};
  piece.links.reserve(static_cast<std::size_t>(message->links().size()));
  for (const broker::PlannedLink& link : message->links()) {
    const std::optional<storage::LinkId> id = link_id_of(link.link_id());
    if (!id) return Error{"a planned link without an id"};
    piece.links.push_back({*id, link.order(), link.href(), link.verdict(), texts_of(link.occurrences())});
  }
  return piece;
}

}  // namespace linkherd::crawler
