#include "storage/stored_values.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>

#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include "storage/stored_values.pb.h"
#include "storage/value_format.h"

namespace linkherd::storage {
namespace {

using parser::LinkOccurrence;

constexpr std::size_t max_snapshots = 32;
constexpr std::size_t max_message_bytes = std::size_t{16} << 20;
constexpr std::size_t max_occurrences_bytes = std::size_t{256} << 20;  // enough for a link with a million occurrences

template <class E, class Stored>
using Numbers = std::pair<E, Stored>;

constexpr std::array<Numbers<Health, stored::Health>, health_names.size()> health_numbers{
    {{Health::alive, stored::HEALTH_ALIVE},
     {Health::redirected, stored::HEALTH_REDIRECTED},
     {Health::dead, stored::HEALTH_DEAD},
     {Health::insecure, stored::HEALTH_INSECURE},
     {Health::unreachable, stored::HEALTH_UNREACHABLE},
     {Health::blocked, stored::HEALTH_BLOCKED},
     {Health::deferred, stored::HEALTH_DEFERRED},
     {Health::skipped, stored::HEALTH_SKIPPED},
     {Health::suspect, stored::HEALTH_SUSPECT}}};
static_assert(health_numbers.back().second != stored::HEALTH_UNKNOWN);  // every health has a number

constexpr std::array<Numbers<RunState, stored::RunState>, run_state_names.size()> run_state_numbers{
    {{RunState::open, stored::RUN_OPEN},
     {RunState::complete, stored::RUN_COMPLETE},
     {RunState::interrupted, stored::RUN_INTERRUPTED},
     {RunState::outage, stored::RUN_OUTAGE}}};
static_assert(run_state_numbers.back().second != stored::RUN_UNKNOWN);

constexpr std::array<Numbers<RelocationLevel, stored::RelocationLevel>, relocation_level_names.size()>
    relocation_level_numbers{{{RelocationLevel::possibly, stored::RELOCATION_POSSIBLY},
                              {RelocationLevel::project, stored::RELOCATION_PROJECT},
                              {RelocationLevel::newer, stored::RELOCATION_NEWER},
                              {RelocationLevel::probably, stored::RELOCATION_PROBABLY},
                              {RelocationLevel::sure, stored::RELOCATION_SURE}}};
static_assert(relocation_level_numbers.back().second != stored::RELOCATION_LEVEL_UNKNOWN);

constexpr std::array<Numbers<RelocationSource, stored::RelocationSource>, relocation_source_names.size()>
    relocation_source_numbers{{{RelocationSource::host_rule, stored::RELOCATION_HOST_RULE},
                               {RelocationSource::other_pages, stored::RELOCATION_OTHER_PAGES},
                               {RelocationSource::old_page, stored::RELOCATION_OLD_PAGE},
                               {RelocationSource::entry, stored::RELOCATION_ENTRY},
                               {RelocationSource::github, stored::RELOCATION_GITHUB},
                               {RelocationSource::not_found_page, stored::RELOCATION_NOT_FOUND_PAGE},
                               {RelocationSource::archive, stored::RELOCATION_ARCHIVE},
                               {RelocationSource::sitemap, stored::RELOCATION_SITEMAP},
                               {RelocationSource::home, stored::RELOCATION_HOME},
                               {RelocationSource::feed, stored::RELOCATION_FEED},
                               {RelocationSource::folder, stored::RELOCATION_FOLDER}}};
static_assert(relocation_source_numbers.back().second != stored::RELOCATION_SOURCE_UNKNOWN);

template <class E, class Stored, std::size_t N>
Stored stored_number(const std::array<Numbers<E, Stored>, N>& numbers, E value) {
  return std::ranges::find(numbers, value, &Numbers<E, Stored>::first)->second;
}

template <class E, class Stored, std::size_t N>
std::optional<E> from_number(const std::array<Numbers<E, Stored>, N>& numbers, Stored number) {
  const auto found = std::ranges::find(numbers, number, &Numbers<E, Stored>::second);
  return found == numbers.end() ? std::nullopt : std::optional(found->first);
}

// Returns the enumerator with a 1-based position. The table of names must be in the order of the enumerators.
template <class E, std::size_t N>
std::optional<E> of_position(const std::array<EnumName<E>, N>& names, std::uint32_t number) {
  return number == 0 || number > N ? std::nullopt : std::optional(names[number - 1].value);
}

std::int64_t stored_number(Timestamp time) { return time.time_since_epoch().count(); }

// Clamps to the year 9999, the end of RFC 3339, because certificates may be valid longer. All stored times can be
// printed.
Timestamp time_of(std::int64_t number) {
  static constexpr Timestamp last{Timestamp(std::chrono::sys_days(std::chrono::year(9999) / 12 / 31)) +
                                  std::chrono::days(1) - Duration(1)};
  return std::clamp(Timestamp(Duration(number)), Timestamp{}, last);
}

constexpr double millionths = 1e6;

std::uint32_t confidence_number(double confidence) {
  if (!std::isfinite(confidence)) return 0;
  return static_cast<std::uint32_t>(std::lround(std::clamp(confidence, 0.0, 1.0) * millionths));
}

double confidence_of(std::uint32_t number) { return std::min<double>(number, millionths) / millionths; }

std::uint32_t count_number(int count) { return static_cast<std::uint32_t>(std::max(count, 0)); }
int count_of(std::uint32_t number) { return static_cast<int>(std::min<std::uint32_t>(number, INT32_MAX)); }

std::optional<Timestamp> time_if(bool is_set, std::int64_t number) {
  return is_set ? std::optional(time_of(number)) : std::nullopt;
}

// --- verdicts and snapshots

// Splits a verdict: `of_link` gets health and confidence, `of_check` gets the texts.
void write_verdict(const Verdict& verdict, stored::Verdict& of_link, stored::Verdict& of_check) {
  of_link.set_health(stored_number(health_numbers, verdict.health));
  const std::uint32_t confidence = confidence_number(verdict.confidence);
  if (confidence != confidence_number(1.0)) of_link.set_confidence(confidence);
  of_check.set_reason(verdict.reason);
  of_check.set_rule(verdict.rule);
  of_check.set_evidence(verdict.evidence);
}

// This function and others below take a message as `&&` and move its texts.
Result<Verdict> read_verdict(stored::Verdict&& from) {
  const std::optional<Health> health = from_number(health_numbers, from.health());
  if (!health) return damaged_value("a health that this version does not know");
  return Verdict{*health, std::move(*from.mutable_reason()), std::move(*from.mutable_rule()),
                 std::move(*from.mutable_evidence()), from.has_confidence() ? confidence_of(from.confidence()) : 1.0};
}

Result<Verdict> read_verdict(const stored::Verdict& from) { return read_verdict(stored::Verdict(from)); }

void write_field(const std::optional<parser::Field<std::string>>& field,
                 stored::MetadataField* (stored::Metadata::*to)(), stored::Metadata& metadata) {
  if (!field) return;
  stored::MetadataField& stored = *(metadata.*to)();
  stored.add_values(field->value);
  stored.set_source(field->source);
  stored.set_confidence(confidence_number(field->confidence));
}

void write_metadata(const parser::Metadata& metadata, stored::Metadata& to) {
  write_field(metadata.title, &stored::Metadata::mutable_title, to);
  write_field(metadata.published, &stored::Metadata::mutable_published, to);
  write_field(metadata.modified, &stored::Metadata::mutable_modified, to);
  write_field(metadata.language, &stored::Metadata::mutable_language, to);
  write_field(metadata.site_name, &stored::Metadata::mutable_site_name, to);
  write_field(metadata.description, &stored::Metadata::mutable_description, to);
  write_field(metadata.canonical, &stored::Metadata::mutable_canonical, to);
  write_field(metadata.doi, &stored::Metadata::mutable_doi, to);
  write_field(metadata.arxiv, &stored::Metadata::mutable_arxiv, to);
  write_field(metadata.isbn, &stored::Metadata::mutable_isbn, to);
  if (!metadata.authors) return;
  for (const std::string& author : metadata.authors->value) to.mutable_authors()->add_values(author);
  to.mutable_authors()->set_source(metadata.authors->source);
  to.mutable_authors()->set_confidence(confidence_number(metadata.authors->confidence));
}

std::optional<parser::Field<std::string>> read_field(bool is_set, stored::MetadataField* (stored::Metadata::*in)(),
                                                     stored::Metadata& metadata) {
  if (!is_set) return std::nullopt;
  stored::MetadataField& field = *(metadata.*in)();
  if (field.values().empty()) return std::nullopt;
  return parser::Field<std::string>{std::move(*field.mutable_values(0)), std::move(*field.mutable_source()),
                                    confidence_of(field.confidence())};
}

parser::Metadata read_metadata(stored::Metadata&& from) {
  parser::Metadata metadata;
  metadata.title = read_field(from.has_title(), &stored::Metadata::mutable_title, from);
  metadata.published = read_field(from.has_published(), &stored::Metadata::mutable_published, from);
  metadata.modified = read_field(from.has_modified(), &stored::Metadata::mutable_modified, from);
  metadata.language = read_field(from.has_language(), &stored::Metadata::mutable_language, from);
  metadata.site_name = read_field(from.has_site_name(), &stored::Metadata::mutable_site_name, from);
  metadata.description = read_field(from.has_description(), &stored::Metadata::mutable_description, from);
  metadata.canonical = read_field(from.has_canonical(), &stored::Metadata::mutable_canonical, from);
  metadata.doi = read_field(from.has_doi(), &stored::Metadata::mutable_doi, from);
  metadata.arxiv = read_field(from.has_arxiv(), &stored::Metadata::mutable_arxiv, from);
  metadata.isbn = read_field(from.has_isbn(), &stored::Metadata::mutable_isbn, from);
  if (const stored::MetadataField& authors = from.authors(); !authors.values().empty()) {
    metadata.authors = {
        {authors.values().begin(), authors.values().end()}, authors.source(), confidence_of(authors.confidence())};
  }
  return metadata;
}

void write_redirect(const Redirect& redirect, stored::Redirect& to) {
  to.set_from(redirect.from);
  to.set_status(redirect.status);
  to.set_to(redirect.to);
  if (redirect.kind == parser::RedirectKind::http) return;
  to.set_kind(std::string(enum_name(parser::redirect_kind_names, redirect.kind)));
  to.set_is_canonical(redirect.is_canonical);
}

Redirect read_redirect(stored::Redirect& from) {
  return {.from = std::move(*from.mutable_from()),
          .status = from.status(),
          .to = std::move(*from.mutable_to()),
          .kind = enum_value(parser::redirect_kind_names, from.kind()).value_or(parser::RedirectKind::http),
          .is_canonical = from.is_canonical()};
}

void write_attempt(const Attempt& attempt, std::string_view final_url, stored::Attempt& to) {
  to.set_at(stored_number(attempt.at));
  if (attempt.url != final_url) to.set_url(attempt.url);
  to.set_status(attempt.status);
  to.set_failure(attempt.failure);
  to.set_milliseconds(attempt.milliseconds);
}

void write_signature(const parser::TextSignature& signature, stored::TextSignature& to) {
  to.set_digest(signature.digest);
  to.set_simhash(signature.simhash);
  to.set_length(signature.length);
  if (!signature.is_comparable()) return;
  for (const std::uint64_t bits : signature.minhash) {
    for (unsigned shift = 0; shift < 64; shift += 8) to.mutable_minhash()->push_back(static_cast<char>(bits >> shift));
  }
}

parser::TextSignature read_signature(const stored::TextSignature& from) {
  if (from.digest() == 0) return {};  // no text was read
  parser::TextSignature signature{
      .digest = from.digest(), .simhash = from.simhash(), .length = from.length(), .minhash = {}};
  const std::string& bytes = from.minhash();
  if (bytes.size() != sizeof signature.minhash) return signature;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    signature.minhash[i / 8] |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (i % 8 * 8);
  }
  return signature;
}

// Splits a snapshot: `of_link` gets the state of the link, `of_check` gets what belongs to this check alone.
// Concatenating the bytes of both messages gives the complete message.
void write_snapshot(const Snapshot& snapshot, stored::Snapshot& of_link, stored::Snapshot& of_check) {
  of_check.set_fetched_at(stored_number(snapshot.fetched_at));
  write_verdict(snapshot.verdict, *of_link.mutable_verdict(), *of_check.mutable_verdict());
  of_check.set_status(snapshot.status);
  for (const Attempt& attempt : snapshot.attempts) write_attempt(attempt, snapshot.final_url, *of_check.add_attempts());
  of_check.set_remote_address(snapshot.remote_address);
  for (const ResponseHeader& header : snapshot.headers) {
    stored::Header& stored = *of_check.add_headers();
    stored.set_name(header.name);
    stored.set_value(header.value);
  }
  of_link.set_final_url(snapshot.final_url);
  for (const Redirect& redirect : snapshot.redirects) write_redirect(redirect, *of_link.add_redirects());
  of_link.set_content_type(snapshot.content_type);
  of_link.set_charset(snapshot.charset);
  of_link.set_etag(snapshot.etag);
  of_link.set_last_modified(snapshot.last_modified);
  of_link.set_body_digest(snapshot.body_digest);
  of_link.set_body_bytes(snapshot.body_bytes);
  of_link.set_body_incomplete(!snapshot.is_body_complete);
  if (snapshot.certificate) {
    stored::Certificate& certificate = *of_link.mutable_certificate();
    certificate.set_subject(snapshot.certificate->subject);
    certificate.set_issuer(snapshot.certificate->issuer);
    if (snapshot.certificate->expires) certificate.set_expires(stored_number(*snapshot.certificate->expires));
    certificate.set_is_chain_incomplete(snapshot.certificate->is_chain_incomplete);
  }
  of_link.set_vantage(snapshot.vantage);
  write_metadata(snapshot.metadata, *of_link.mutable_metadata());
  for (const Fact& fact : snapshot.facts) {
    stored::Fact& stored = *of_link.add_facts();
    stored.set_kind(fact.kind);
    stored.set_text(fact.text);
  }
  if (snapshot.main_text.was_read()) write_signature(snapshot.main_text, *of_link.mutable_main_text());
  if (snapshot.plain) {
    stored::PlainAnswer& plain = *of_check.mutable_plain();
    plain.set_status(snapshot.plain->status);
    write_verdict(snapshot.plain->verdict, *of_link.mutable_plain()->mutable_verdict(), *plain.mutable_verdict());
  }
}

Result<Snapshot> read_snapshot(stored::Snapshot&& from) {
  Snapshot snapshot;
  Result<Verdict> verdict = read_verdict(std::move(*from.mutable_verdict()));
  if (verdict.has_error()) return verdict.error();
  snapshot.fetched_at = time_of(from.fetched_at());
  snapshot.verdict = std::move(*verdict);
  snapshot.status = from.status();
  snapshot.attempts.reserve(static_cast<std::size_t>(from.attempts_size()));
  for (stored::Attempt& attempt : *from.mutable_attempts()) {
    snapshot.attempts.push_back({time_of(attempt.at()), attempt.has_url() ? attempt.url() : from.final_url(),
                                 attempt.status(), std::move(*attempt.mutable_failure()), attempt.milliseconds()});
  }
  snapshot.remote_address = std::move(*from.mutable_remote_address());
  snapshot.headers.reserve(static_cast<std::size_t>(from.headers_size()));
  for (stored::Header& header : *from.mutable_headers())
    snapshot.headers.push_back({std::move(*header.mutable_name()), std::move(*header.mutable_value())});
  snapshot.final_url = std::move(*from.mutable_final_url());
  for (stored::Redirect& hop : *from.mutable_redirects()) snapshot.redirects.push_back(read_redirect(hop));
  snapshot.content_type = std::move(*from.mutable_content_type());
  snapshot.charset = std::move(*from.mutable_charset());
  snapshot.etag = std::move(*from.mutable_etag());
  snapshot.last_modified = std::move(*from.mutable_last_modified());
  snapshot.body_digest = std::move(*from.mutable_body_digest());
  snapshot.body_bytes = from.body_bytes();
  snapshot.is_body_complete = !from.body_incomplete();
  if (from.has_certificate()) {
    const stored::Certificate& certificate = from.certificate();
    snapshot.certificate = {certificate.subject(), certificate.issuer(),
                            time_if(certificate.has_expires(), certificate.expires()),
                            certificate.is_chain_incomplete()};
  }
  snapshot.vantage = std::move(*from.mutable_vantage());
  if (from.has_metadata()) snapshot.metadata = read_metadata(std::move(*from.mutable_metadata()));
  for (const stored::Fact& fact : from.facts()) snapshot.facts.push_back({fact.kind(), fact.text()});
  snapshot.main_text = read_signature(from.main_text());
  if (from.has_plain()) {
    Result<Verdict> plain = read_verdict(std::move(*from.mutable_plain()->mutable_verdict()));
    if (plain.has_error()) return plain.error();
    snapshot.plain = {from.plain().status(), std::move(*plain)};
  }
  return snapshot;
}

// --- values

std::string value_of(const google::protobuf::MessageLite& message) {
  std::string value(1, value_version);
  message.AppendToString(&value);
  return value;
}

Result<bool> parse(std::string_view stored, std::size_t max_bytes, google::protobuf::MessageLite& message) {
  const Result<std::string_view> payload = after_version(stored);
  if (payload.has_error()) return payload.error();
  if (payload->size() > max_bytes) return damaged_value("too large");
  if (!message.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
    return damaged_value("not a message of the expected type");
  }
  return true;
}

template <class Message>
Result<Message> message_of(std::string_view stored) {
  Message message;
  const Result<bool> parsed = parse(stored, max_message_bytes, message);
  return parsed.has_value() ? Result<Message>(std::move(message)) : Result<Message>(parsed.error());
}

// A message that is decoded, read once and discarded. It uses an arena, because allocating each part of a message
// separately takes as long as decoding it.
template <class Message>
class PassingMessage {
 public:
  explicit PassingMessage(std::string_view stored, std::size_t max_bytes = max_message_bytes)
      : message_(*google::protobuf::Arena::CreateMessage<Message>(&arena_)),
        parsed_(parse(stored, max_bytes, message_)) {}

  bool has_error() const { return parsed_.has_error(); }
  Error error() const { return parsed_.error(); }
  Message& operator*() { return message_; }
  Message* operator->() { return &message_; }

 private:
  static google::protobuf::ArenaOptions options(char* block, std::size_t size) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block;
    options.initial_block_size = size;
    return options;
  }

  alignas(8) std::array<char, 4096> block_;  // enough for most messages
  google::protobuf::Arena arena_{options(block_.data(), block_.size())};
  Message& message_;
  const Result<bool> parsed_;
};

// --- links

// Returns a digest that is equal for two checks that found the same. An unchanged page (304) counts as the page itself.
// `of_link` is the encoded message that write_snapshot() fills.
std::uint64_t digest_of(std::string_view of_link, const Snapshot& snapshot) {
  const bool is_unchanged = snapshot.verdict.reason == reason::not_modified;
  std::string text = std::to_string(snapshot.status == 304 ? 200 : snapshot.status);
  text.append(1, '\n').append(is_unchanged ? reason::ok : std::string_view(snapshot.verdict.reason));
  text.append(1, '\n').append(of_link);
  const LinkId hash = LinkId::of_text(text);
  std::uint64_t digest = 0;
  for (std::size_t i = 0; i < sizeof digest; ++i) digest = digest << 8 | hash.bytes[i];
  return digest;
}

std::vector<CheckOutcome> read_checks(const stored::Link& link) {
  std::vector<CheckOutcome> checks;
  std::int64_t seconds = 0;
  const auto count = std::min<std::size_t>(
      {static_cast<std::size_t>(link.check_seconds_size()), link.check_healths().size(), max_snapshots});
  checks.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    // Unsigned arithmetic, because foreign numbers may overflow.
    seconds = static_cast<std::int64_t>(static_cast<std::uint64_t>(seconds) +
                                        static_cast<std::uint64_t>(link.check_seconds(static_cast<int>(i))));
    const auto health = from_number(health_numbers, static_cast<stored::Health>(link.check_healths()[i]));
    constexpr std::int64_t max_seconds = INT64_MAX / 1'000'000;
    const std::int64_t bounded = std::clamp<std::int64_t>(seconds, 0, max_seconds);
    if (health) checks.push_back({time_of(bounded * 1'000'000), *health});
  }
  return checks;
}

std::int64_t seconds_of(Timestamp time) { return stored_number(time) / 1'000'000; }

void write_checks(std::vector<CheckOutcome> checks, stored::Link& link) {
  if (checks.size() > max_snapshots) checks.erase(checks.begin(), checks.end() - max_snapshots);
  link.clear_check_seconds();
  link.clear_check_healths();
  std::int64_t before = 0;
  for (const CheckOutcome& check : checks) {
    link.add_check_seconds(seconds_of(check.at) - before);
    before = seconds_of(check.at);
    link.mutable_check_healths()->push_back(static_cast<char>(stored_number(health_numbers, check.health)));
  }
}

void add_check(stored::Link& link, const Snapshot& snapshot) {
  std::vector<CheckOutcome> checks = read_checks(link);
  if (!checks.empty() && seconds_of(checks.back().at) == seconds_of(snapshot.fetched_at)) checks.pop_back();
  checks.push_back({snapshot.fetched_at, snapshot.verdict.health});
  write_checks(std::move(checks), link);
}

void write_vantage_check(const VantageCheck& check, stored::VantageCheck& to) {
  to.set_vantage(check.vantage);
  to.set_at(stored_number(check.at));
  write_verdict(check.verdict, *to.mutable_verdict(), *to.mutable_verdict());
}

void write_archived_copy(const ArchivedCopy& copy, stored::ArchivedCopy& to) {
  to.set_url(copy.url);
  to.set_date(stored_number(copy.date));
  to.set_asked_at(stored_number(copy.asked_at));
}

void write_relocation(const Relocation& relocation, stored::Relocation& to) {
  to.set_url(relocation.url);
  to.set_level(stored_number(relocation_level_numbers, relocation.level));
  to.set_source(stored_number(relocation_source_numbers, relocation.source));
  if (relocation.similarity) to.set_similarity(confidence_number(*relocation.similarity));
  to.set_evidence(relocation.evidence);
  to.set_searched_at(stored_number(relocation.searched_at));
}

// Returns nullopt for a level or a source that this version does not know, so that the next check searches again.
std::optional<Relocation> read_relocation(stored::Relocation&& from) {
  const std::optional<RelocationLevel> level = from_number(relocation_level_numbers, from.level());
  const std::optional<RelocationSource> source = from_number(relocation_source_numbers, from.source());
  if (!level || !source) return std::nullopt;
  Relocation relocation{
      std::move(*from.mutable_url()), *level, *source, std::nullopt, std::move(*from.mutable_evidence()),
      time_of(from.searched_at())};
  if (from.has_similarity()) relocation.similarity = confidence_of(from.similarity());
  return relocation;
}

void write_link_state(const LinkState& state, stored::Link& link) {
  link.set_url(state.url);
  link.set_first_seen(stored_number(state.first_seen));
  link.clear_last_alive();
  link.clear_first_failed();
  link.clear_last_strike();
  if (state.last_alive) link.set_last_alive(stored_number(*state.last_alive));
  if (state.first_failed) link.set_first_failed(stored_number(*state.first_failed));
  if (state.last_strike) link.set_last_strike(stored_number(*state.last_strike));
  link.set_strikes(count_number(state.strikes));
  link.clear_vantages();
  for (const VantageCheck& check : state.vantages) write_vantage_check(check, *link.add_vantages());
  link.clear_moved_at();
  if (state.moved_at) link.set_moved_at(stored_number(*state.moved_at));
  link.clear_first_version_after();
  if (state.first_version_at) link.set_first_version_after(stored_number(*state.first_version_at) - link.first_seen());
  link.clear_archived_copy();
  if (state.archived_copy) write_archived_copy(*state.archived_copy, *link.mutable_archived_copy());
  link.clear_relocation();
  if (state.relocation) write_relocation(*state.relocation, *link.mutable_relocation());
}

void parse_link_state(stored::Link&& link, const LinkId& id, LinkState& state) {
  state.id = id;
  state.url = std::move(*link.mutable_url());
  state.first_seen = time_of(link.first_seen());
  state.last_alive = time_if(link.has_last_alive(), link.last_alive());
  state.first_failed = time_if(link.has_first_failed(), link.first_failed());
  state.strikes = count_of(link.strikes());
  state.last_strike = time_if(link.has_last_strike(), link.last_strike());
  state.moved_at = time_if(link.has_moved_at(), link.moved_at());
  for (const stored::VantageCheck& check : link.vantages()) {
    const Result<Verdict> verdict = read_verdict(check.verdict());
    if (verdict.has_value()) state.vantages.push_back({check.vantage(), time_of(check.at()), *verdict});
  }
  // Unsigned arithmetic, because foreign numbers may overflow.
  const auto first_version_at = static_cast<std::int64_t>(static_cast<std::uint64_t>(link.first_seen()) +
                                                          static_cast<std::uint64_t>(link.first_version_after()));
  state.first_version_at = time_if(link.has_first_version_after(), first_version_at);
  if (link.has_archived_copy()) {
    const stored::ArchivedCopy& copy = link.archived_copy();
    state.archived_copy = {copy.url(), time_of(copy.date()), time_of(copy.asked_at())};
  }
  if (link.has_relocation()) state.relocation = read_relocation(std::move(*link.mutable_relocation()));
}

// --- occurrences

std::uint32_t stored_number(parser::LinkElement element) { return static_cast<std::uint32_t>(element) + 1; }
std::uint32_t stored_number(parser::LinkNote note) { return static_cast<std::uint32_t>(note) + 1; }
std::uint32_t stored_number(parser::LinkRole role) { return static_cast<std::uint32_t>(role) + 1; }

// Returns the 1-based number of a heading path in the row, and adds the path if it is new. `known` maps paths to
// numbers.
std::uint32_t path_number(const std::vector<std::string>& headings,
                          std::map<std::vector<std::string>, std::uint32_t>& known, stored::Occurrences& row) {
  if (headings.empty()) return 0;
  const auto [path, is_new] = known.try_emplace(headings, static_cast<std::uint32_t>(known.size() + 1));
  if (is_new) {
    stored::HeadingPath& added = *row.add_heading_paths();
    for (const std::string& heading : headings) added.add_headings(heading);
  }
  return path->second;
}

void write_occurrence(const LinkOccurrence& occurrence, stored::Occurrence& to) {
  to.set_file(occurrence.file);
  to.set_line(occurrence.line);
  to.set_column(occurrence.column);
  to.set_offset(occurrence.offset);
  to.set_length(occurrence.length);
  to.set_url(occurrence.url);
  if (occurrence.href != occurrence.url) to.set_href(occurrence.href);
  to.set_element(stored_number(occurrence.element));
  to.set_text(occurrence.text);
  if (!occurrence.description.empty()) to.set_description(occurrence.description);
  to.set_entry(occurrence.entry);
  to.set_role(stored_number(occurrence.role));
  to.set_rel(occurrence.rel);
  to.set_ignored_by(occurrence.ignored_by);
  for (const parser::LinkNote note : occurrence.notes) to.add_notes(stored_number(note));
  for (const std::string& tag : occurrence.tags) to.add_tags(tag);
  if (occurrence.added) to.set_added_at(stored_number(*occurrence.added));
}

Result<LinkOccurrence> read_occurrence(stored::Occurrence&& from, const stored::Occurrences& row) {
  LinkOccurrence occurrence;
  const auto element = of_position(parser::link_element_names, from.element());
  if (!element) return damaged_value("an element that this version does not know");
  const auto role = of_position(parser::link_role_names, from.role());
  if (!role) return damaged_value("a role that this version does not know");
  occurrence.file = std::move(*from.mutable_file());
  occurrence.line = from.line();
  occurrence.column = from.column();
  occurrence.offset = from.offset();
  occurrence.length = from.length();
  if (from.has_href()) {
    occurrence.href = std::move(*from.mutable_href());
  } else {
    occurrence.href = from.url();
  }
  occurrence.url = std::move(*from.mutable_url());
  occurrence.element = *element;
  occurrence.text = std::move(*from.mutable_text());
  occurrence.description = std::move(*from.mutable_description());
  if (from.headings() > 0) {
    if (from.headings() > static_cast<std::uint32_t>(row.heading_paths_size()))
      return damaged_value("missing headings");
    const auto& path = row.heading_paths(static_cast<int>(from.headings()) - 1).headings();
    occurrence.headings.assign(path.begin(), path.end());
  }
  occurrence.entry = from.entry();
  occurrence.role = *role;
  occurrence.rel = from.rel();
  occurrence.ignored_by = from.ignored_by();
  for (const std::uint32_t number : from.notes()) {
    const auto note = of_position(parser::link_note_names, number);
    if (!note) return damaged_value("a note that this version does not know");
    occurrence.notes.push_back(*note);
  }
  occurrence.tags.assign(from.tags().begin(), from.tags().end());
  if (from.has_added_at()) occurrence.added = time_of(from.added_at());
  return occurrence;
}

// --- results of runs

void write_page(const LinkResult& result, stored::PageSummary& to) {
  const PageSummary& page = result.page;
  if (page.final_url != result.url) to.set_final_url(page.final_url);
  if (page.canonical) to.set_canonical(*page.canonical == page.final_url ? std::string() : *page.canonical);
  if (page.main_text.was_read()) write_signature(page.main_text, *to.mutable_main_text());
  if (page.title_hash) to.set_title_hash(*page.title_hash);
  if (page.body_hash) to.set_body_hash(*page.body_hash);
  if (page.certificate_expires) to.set_certificate_expires(stored_number(*page.certificate_expires));
  to.set_is_chain_incomplete(page.is_chain_incomplete);
  to.set_has_title(page.has_title);
  to.set_has_authors(page.has_authors);
  to.set_has_published(page.has_published);
  to.set_has_facts(page.has_facts);
  to.set_is_from_browser(page.is_from_browser);
}

PageSummary read_page(stored::PageSummary&& from, const std::string& url) {
  PageSummary page;
  page.final_url = url;
  if (from.has_final_url()) page.final_url = std::move(*from.mutable_final_url());
  if (from.has_canonical()) page.canonical = from.canonical().empty() ? page.final_url : from.canonical();
  page.main_text = read_signature(from.main_text());
  if (from.has_title_hash()) page.title_hash = from.title_hash();
  if (from.has_body_hash()) page.body_hash = from.body_hash();
  page.certificate_expires = time_if(from.has_certificate_expires(), from.certificate_expires());
  page.is_chain_incomplete = from.is_chain_incomplete();
  page.has_title = from.has_title();
  page.has_authors = from.has_authors();
  page.has_published = from.has_published();
  page.has_facts = from.has_facts();
  page.is_from_browser = from.is_from_browser();
  return page;
}

void write_first(const FirstOccurrence& first, stored::FirstOccurrence& to) {
  to.set_file(first.file);
  to.set_line(first.line);
  to.set_column(first.column);
  to.set_element(stored_number(first.element));
  to.set_role(stored_number(first.role));
  to.set_is_placeholder(first.is_placeholder);
}

Result<FirstOccurrence> read_first(stored::FirstOccurrence&& from) {
  const auto element = of_position(parser::link_element_names, from.element());
  if (!element) return damaged_value("an element that this version does not know");
  const auto role = of_position(parser::link_role_names, from.role());
  if (!role) return damaged_value("a role that this version does not know");
  return FirstOccurrence{
      std::move(*from.mutable_file()), from.line(), from.column(), *element, *role, from.is_placeholder()};
}

void write_result(const LinkResult& result, stored::LinkResult& to) {
  to.set_finished(result.finished);
  to.set_is_from_store(result.is_from_store);
  write_verdict(result.verdict, *to.mutable_verdict(), *to.mutable_verdict());
  to.set_url(result.url);
  if (result.check) {
    to.mutable_check()->set_at(stored_number(result.check->at));
    to.mutable_check()->set_vantage(result.check->vantage);
    write_page(result, *to.mutable_page());
  }
  if (result.moved_at) to.set_moved_at(stored_number(*result.moved_at));
  if (result.occurrence_count == 0) return;
  write_first(result.first, *to.mutable_first());
  to.set_occurrence_count(result.occurrence_count);
}

Result<LinkResult> read_result(stored::LinkResult&& from, const LinkId& id) {
  Result<LinkResult> read(boost::system::in_place_value);  // large, so it is constructed in place
  LinkResult& result = *read;
  result.id = id;
  result.finished = from.finished();
  result.is_from_store = from.is_from_store();
  Result<Verdict> verdict = read_verdict(std::move(*from.mutable_verdict()));
  if (verdict.has_error()) return verdict.error();
  result.verdict = std::move(*verdict);
  result.url = std::move(*from.mutable_url());
  if (from.has_check()) {
    result.check = CheckKey{time_of(from.check().at()), std::move(*from.mutable_check()->mutable_vantage())};
    result.page = read_page(std::move(*from.mutable_page()), result.url);
  }
  result.moved_at = time_if(from.has_moved_at(), from.moved_at());
  if (!from.has_first()) return read;
  Result<FirstOccurrence> first = read_first(std::move(*from.mutable_first()));
  if (first.has_error()) return first.error();
  result.first = std::move(*first);
  result.occurrence_count = std::max<std::uint64_t>(from.occurrence_count(), 1);
  return read;
}

}  // namespace

std::string encode_snapshot(const Snapshot& snapshot) {
  stored::Snapshot message;
  write_snapshot(snapshot, message, message);
  return value_of(message);
}

Result<Snapshot> decode_snapshot(std::string_view stored) {
  PassingMessage<stored::Snapshot> message(stored);
  return message.has_error() ? Result<Snapshot>(message.error()) : read_snapshot(std::move(*message));
}

std::string encode_body_mark(bool has_body) {
  stored::Snapshot message;
  message.set_has_body(has_body);
  return message.SerializeAsString();
}

Result<BodyReference> body_reference(std::string_view stored) {
  const Result<stored::Snapshot> message = message_of<stored::Snapshot>(stored);
  if (message.has_error()) return message.error();
  const Result<Verdict> verdict = read_verdict(message->verdict());
  if (verdict.has_error()) return verdict.error();
  return BodyReference{message->body_digest(), page_exists(*verdict), message->has_body()};
}

LinkRows encode_link(const std::optional<std::string>& before, const LinkState& state) {
  stored::Link link;
  if (before && parse(*before, max_message_bytes, link).has_error()) link.Clear();  // begins a new history
  write_link_state(state, link);
  const Snapshot& snapshot = state.snapshot;
  if (snapshot.fetched_at == Timestamp{}) return {value_of(link), std::nullopt, std::nullopt, std::nullopt};
  // Reused for the next link, to reuse their memory.
  thread_local stored::Snapshot of_link;
  thread_local stored::Snapshot of_check;
  of_link.Clear();
  of_check.Clear();
  write_snapshot(snapshot, of_link, of_check);
  std::string row = value_of(of_link);
  const std::uint64_t digest = digest_of(std::string_view(row).substr(1), snapshot);
  const bool is_known = link.has_snapshot_at() && link.snapshot_digest() == digest &&
                        link.snapshot_at() < stored_number(snapshot.fetched_at);
  add_check(link, snapshot);
  link.clear_main_text();
  if (snapshot.main_text.was_read()) write_signature(snapshot.main_text, *link.mutable_main_text());
  if (is_known) {
    of_check.clear_headers();  // most headers differ in every check
    *link.mutable_last_check() = std::move(of_check);
    if (state.first_version_at == snapshot.fetched_at) {  // this check writes no history row
      link.set_first_version_after(link.snapshot_at() - link.first_seen());
    }
    return {value_of(link), std::nullopt, time_of(link.snapshot_at()), std::nullopt};
  }
  const bool replaces = link.has_snapshot_at() && link.snapshot_at() < stored_number(snapshot.fetched_at) &&
                        state.first_version_at != time_of(link.snapshot_at());
  const std::optional<Timestamp> replaced = time_if(replaces, link.snapshot_at());
  link.clear_last_check();
  link.set_snapshot_at(stored_number(snapshot.fetched_at));
  link.set_snapshot_digest(digest);
  const bool was_read_before = state.first_version_at && *state.first_version_at < snapshot.fetched_at;
  if (was_read_before && of_link.has_main_text()) {  // the row of the link has it as well
    of_link.clear_main_text();
    row = value_of(of_link);
  }
  of_check.AppendToString(&row);
  return {value_of(link), std::move(row), std::nullopt, replaced};
}

Result<StoredLink> decode_link(std::string_view stored, const LinkId& id) {
  PassingMessage<stored::Link> link(stored);
  if (link.has_error()) return link.error();
  Result<StoredLink> read(boost::system::in_place_value);  // large, so it is constructed in place
  read->snapshot_at = time_if(link->has_snapshot_at(), link->snapshot_at());
  if (link->has_last_check()) read->last_check = link->last_check().SerializeAsString();
  read->checks = read_checks(*link);
  read->main_text = read_signature(link->main_text());
  parse_link_state(std::move(*link), id, read->state);
  return read;
}

namespace {

Result<std::string> row_of(std::string value) { return {boost::system::in_place_value, std::move(value)}; }

// Completes the message of a history row with what the link's row records about the last check.
bool set_last_check(const StoredLink& link, stored::Snapshot& message) {
  if (!message.has_main_text() && link.main_text.was_read())
    write_signature(link.main_text, *message.mutable_main_text());
  if (link.last_check.empty()) return true;
  message.clear_fetched_at();
  message.clear_status();
  message.clear_attempts();
  message.clear_remote_address();
  message.mutable_verdict()->clear_reason();
  message.mutable_verdict()->clear_rule();
  message.mutable_verdict()->clear_evidence();
  return message.MergeFromString(link.last_check);
}

}  // namespace

Result<Snapshot> latest_snapshot(const StoredLink& link, std::string_view history_row) {
  PassingMessage<stored::Snapshot> message(history_row);
  if (message.has_error()) return message.error();
  if (!set_last_check(link, *message)) return damaged_value("no last check");
  return read_snapshot(std::move(*message));
}

Result<std::string> replaced_row(std::string_view history_row) {
  Result<stored::Snapshot> message = message_of<stored::Snapshot>(history_row);
  if (message.has_error()) return message.error();
  const Result<Verdict> verdict = read_verdict(message->verdict());
  if (verdict.has_error()) return verdict.error();
  message->clear_main_text();
  if (!message->has_body()) message->clear_body_digest();
  if (page_exists(*verdict)) message->clear_attempts();
  return row_of(value_of(*message));
}

Result<std::string> latest_row(const StoredLink& link, std::string_view history_row) {
  PassingMessage<stored::Snapshot> message(history_row);
  if (message.has_error()) return message.error();
  if (!set_last_check(link, *message)) return damaged_value("no last check");
  return row_of(value_of(*message));
}

Result<std::string> with_verdict(std::string_view history_row, const Verdict& verdict) {
  Result<stored::Snapshot> message = message_of<stored::Snapshot>(history_row);
  if (message.has_error()) return message.error();
  message->clear_verdict();
  write_verdict(verdict, *message->mutable_verdict(), *message->mutable_verdict());
  return row_of(value_of(*message));
}

Result<std::string> join_links(std::string_view newer, std::string_view older, const LinkState& state) {
  Result<stored::Link> link = message_of<stored::Link>(newer);
  if (link.has_error()) return link.error();
  const Result<stored::Link> other = message_of<stored::Link>(older);
  if (other.has_error()) return other.error();
  std::map<std::int64_t, Health> healths;  // keys are seconds; of two healths in one second, the greater one counts
  for (const auto* const one : {&std::as_const(*link), &*other}) {
    for (const CheckOutcome& check : read_checks(*one)) {
      Health& health = healths.try_emplace(seconds_of(check.at), check.health).first->second;
      health = std::max(health, check.health);
    }
  }
  std::vector<CheckOutcome> checks;
  checks.reserve(healths.size());
  for (const auto& [second, health] : healths) checks.push_back({time_of(second * 1'000'000), health});
  write_link_state(state, *link);
  write_checks(std::move(checks), *link);
  return row_of(value_of(*link));
}

std::string encode_verdict(const std::optional<Verdict>& verdict) {
  if (!verdict) return {};
  Snapshot with_verdict;
  with_verdict.verdict = *verdict;
  return encode_snapshot(with_verdict);
}

Result<std::optional<Verdict>> decode_verdict(std::string_view encoded) {
  if (encoded.empty()) return std::optional<Verdict>();
  Result<Snapshot> snapshot = decode_snapshot(encoded);
  if (!snapshot) return snapshot.error();
  return std::optional(std::move(snapshot->verdict));
}

std::string encode_occurrences(const std::vector<LinkOccurrence>& occurrences) {
  stored::Occurrences message;
  std::map<std::vector<std::string>, std::uint32_t> paths;
  for (const LinkOccurrence& occurrence : occurrences) {
    stored::Occurrence& added = *message.add_occurrences();
    write_occurrence(occurrence, added);
    added.set_headings(path_number(occurrence.headings, paths, message));
  }
  return value_of(message);
}

Result<std::vector<LinkOccurrence>> decode_occurrences(std::string_view stored) {
  PassingMessage<stored::Occurrences> message(stored, max_occurrences_bytes);
  if (message.has_error()) return message.error();
  std::vector<LinkOccurrence> occurrences;
  occurrences.reserve(static_cast<std::size_t>(message->occurrences_size()));
  for (stored::Occurrence& one : *message->mutable_occurrences()) {
    Result<LinkOccurrence> occurrence = read_occurrence(std::move(one), *message);
    if (occurrence.has_error()) return occurrence.error();
    occurrences.push_back(std::move(*occurrence));
  }
  return occurrences;
}

namespace {

void write_run(const Run& run, stored::Run& message) {
  message.set_number(run.number);
  message.set_identity(run.identity);
  for (const std::string& input : run.inputs) message.add_inputs(input);
  message.set_started_at(stored_number(run.started_at));
  if (run.finished_at) message.set_finished_at(stored_number(*run.finished_at));
  message.set_state(stored_number(run_state_numbers, run.state));
  message.set_strikes(count_number(run.strikes));
  message.set_is_partial(run.is_partial);
  for (const auto& [health, links] : run.by_health) {
    stored::HealthCount& count = *message.add_by_health();
    count.set_health(stored_number(health_numbers, health));
    count.set_links(links);
  }
  message.set_vantage(run.vantage);
  if (run.shard) {
    stored::Shard& shard = *message.mutable_shard();
    shard.set_number(run.shard->number);
    shard.set_count(run.shard->count);
    shard.set_whole(run.shard->whole);
    shard.set_links(run.shard->links);
  }
  for (const RunKey& part : run.parts) {
    stored::RunKey& key = *message.add_parts();
    key.set_identity(part.identity);
    key.set_started_at(stored_number(part.started_at));
  }
  message.set_is_merged(run.is_merged);
  message.set_subscriber_digest(run.subscriber_digest);
}

}  // namespace

std::string encode_run(const Run& run) {
  stored::Run message;
  write_run(run, message);
  return value_of(message);
}

std::string encode_pruned_run(const Run& run) {
  stored::Run message;
  write_run(run, message);
  message.set_is_pruned(true);
  return value_of(message);
}

bool is_pruned_run(std::string_view stored) {
  const Result<stored::Run> message = message_of<stored::Run>(stored);
  return message.has_value() && message->is_pruned();
}

Result<Run> decode_run(std::string_view stored) {
  const Result<stored::Run> message = message_of<stored::Run>(stored);
  if (message.has_error()) return message.error();
  const std::optional<RunState> state = from_number(run_state_numbers, message->state());
  if (!state) return damaged_value("a state that this version does not know");
  Run run;
  run.number = message->number();
  run.identity = message->identity();
  run.inputs = {message->inputs().begin(), message->inputs().end()};
  run.started_at = time_of(message->started_at());
  run.finished_at = time_if(message->has_finished_at(), message->finished_at());
  run.state = *state;
  run.strikes = count_of(message->strikes());
  run.is_partial = message->is_partial();
  for (const stored::HealthCount& count : message->by_health()) {
    const std::optional<Health> health = from_number(health_numbers, count.health());
    if (!health) return damaged_value("a health that this version does not know");
    run.by_health[*health] = count.links();
  }
  run.vantage = message->vantage();
  if (message->has_shard()) {
    const stored::Shard& shard = message->shard();
    run.shard = {shard.number(), shard.count(), shard.whole(), shard.links()};
  }
  for (const stored::RunKey& key : message->parts()) run.parts.push_back({key.identity(), time_of(key.started_at())});
  run.is_merged = message->is_merged();
  run.subscriber_digest = message->subscriber_digest();
  return run;
}

std::string encode_result(const LinkResult& result) {
  thread_local stored::LinkResult message;  // reused for the next result, to reuse its memory
  message.Clear();
  write_result(result, message);
  return value_of(message);
}

Result<LinkResult> decode_result(std::string_view stored, const LinkId& id) {
  thread_local stored::LinkResult message;  // reused for the next result, to reuse its memory
  const Result<bool> parsed = parse(stored, max_message_bytes, message);
  return parsed.has_value() ? read_result(std::move(message), id) : Result<LinkResult>(parsed.error());
}

Result<Health> decode_health(std::string_view result_row) {
  thread_local stored::LinkResult message;  // reused for the next result, to reuse its memory
  const Result<bool> parsed = parse(result_row, max_message_bytes, message);
  if (parsed.has_error()) return parsed.error();
  const std::optional<Health> health = from_number(health_numbers, message.verdict().health());
  return health ? Result<Health>(*health) : damaged_value("a health that this version does not know");
}

Result<std::string> with_result_verdict(std::string_view result_row, const Verdict& verdict) {
  Result<stored::LinkResult> message = message_of<stored::LinkResult>(result_row);
  if (message.has_error()) return message.error();
  message->clear_verdict();
  write_verdict(verdict, *message->mutable_verdict(), *message->mutable_verdict());
  return row_of(value_of(*message));
}

Result<std::string> with_notification_state(std::string_view result_row, const NotificationState& state) {
  Result<stored::LinkResult> message = message_of<stored::LinkResult>(result_row);
  if (message.has_error()) return message.error();
  stored::NotificationState& to = *message->mutable_notification_state();
  to.Clear();
  if (state.health) to.set_health(stored_number(health_numbers, *state.health));
  if (state.certificate) to.set_certificate(stored_number(*state.certificate));
  to.set_repeats(state.repeats);
  return row_of(value_of(*message));
}

Result<std::optional<NotificationState>> read_notification_state(std::string_view result_row) {
  const Result<stored::LinkResult> message = message_of<stored::LinkResult>(result_row);
  if (message.has_error()) return message.error();
  if (!message->has_notification_state()) return std::optional<NotificationState>();
  const stored::NotificationState& from = message->notification_state();
  NotificationState state;
  if (from.has_health()) {
    state.health = from_number(health_numbers, from.health());
    if (!state.health) return damaged_value("a health that this version does not know");
  }
  state.certificate = time_if(from.has_certificate(), from.certificate());
  state.repeats = from.repeats();
  return std::optional(state);
}

std::string encode_host(const HostState& host) {
  stored::Host message;
  if (host.not_before) message.set_not_before(stored_number(*host.not_before));
  message.set_concurrency(host.concurrency);
  message.set_robots(host.robots);
  if (host.robots_at) message.set_robots_at(stored_number(*host.robots_at));
  if (host.unresponsive) {
    stored::UnresponsivePeriod& unresponsive = *message.mutable_unresponsive();
    unresponsive.set_since(stored_number(host.unresponsive->since));
    unresponsive.set_last(stored_number(host.unresponsive->last));
    unresponsive.set_strikes(count_number(host.unresponsive->strikes));
    if (host.unresponsive->last_strike) unresponsive.set_last_strike(stored_number(*host.unresponsive->last_strike));
  }
  if (host.probe) {
    stored::ProbeResult& probe = *message.mutable_probe();
    probe.set_at(stored_number(host.probe->at));
    probe.set_status(host.probe->status);
    probe.set_final_url(host.probe->final_url);
    probe.set_title(host.probe->page.title);
    probe.set_text_hash(host.probe->page.text_hash);
    probe.set_text_length(host.probe->page.text_length);
  }
  return value_of(message);
}

Result<HostState> decode_host(std::string_view stored, std::string_view origin) {
  const Result<stored::Host> message = message_of<stored::Host>(stored);
  if (message.has_error()) return message.error();
  HostState host;
  host.origin = origin;
  host.not_before = time_if(message->has_not_before(), message->not_before());
  host.concurrency = std::isfinite(message->concurrency()) ? message->concurrency() : 1.0;
  host.robots = message->robots();
  host.robots_at = time_if(message->has_robots_at(), message->robots_at());
  if (message->has_unresponsive()) {
    const stored::UnresponsivePeriod& unresponsive = message->unresponsive();
    host.unresponsive = {time_of(unresponsive.since()), time_of(unresponsive.last()), count_of(unresponsive.strikes()),
                         time_if(unresponsive.has_last_strike(), unresponsive.last_strike())};
  }
  if (message->has_probe()) {
    const stored::ProbeResult& probe = message->probe();
    host.probe = {time_of(probe.at()),
                  probe.status(),
                  probe.final_url(),
                  {probe.title(), probe.text_hash(), probe.text_length()}};
  }
  return host;
}

std::string encode_checked_link(const CheckedLink& link) {
  stored::KeptLink message;
  write_result(link.result, *message.mutable_entry());
  write_link_state(link.state, *message.mutable_link());
  write_snapshot(link.state.snapshot, *message.mutable_snapshot(), *message.mutable_snapshot());
  return value_of(message);
}

Result<CheckedLink> decode_checked_link(std::string_view stored, const LinkId& id) {
  Result<stored::KeptLink> message = message_of<stored::KeptLink>(stored);
  if (message.has_error()) return message.error();
  Result<LinkResult> result = read_result(std::move(*message->mutable_entry()), id);
  if (result.has_error()) return result.error();
  Result<Snapshot> snapshot = read_snapshot(std::move(*message->mutable_snapshot()));
  if (snapshot.has_error()) return snapshot.error();
  CheckedLink link;
  link.result = std::move(*result);
  parse_link_state(std::move(*message->mutable_link()), id, link.state);
  link.state.snapshot = std::move(*snapshot);
  return link;
}

}  // namespace linkherd::storage
