#include "crawler/fetch/archive_replay.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>

#include <fmt/format.h>

#include "crawler/fetch/http/saved_response.h"
#include "parser/url/canonical.h"
#include "parser/utf8.h"

namespace linkherd::crawler {

namespace {

// Reading any record of a gzip member inflates the member from its start.
constexpr std::uint64_t max_skipped_bytes = std::uint64_t{8} << 20;
constexpr std::size_t max_problems = 1000;  // number of problems whose lines are kept

std::uint64_t hash_of(std::string_view text) { return text.empty() ? 0 : std::hash<std::string_view>()(text); }

std::ifstream open_archive(const std::string& name) { return std::ifstream(name, std::ios::binary); }

storage::LinkId normalized_id(const parser::Url& url) {
  return storage::LinkId::of_text(parser::canonical_form(url, parser::CanonicalLayer::normalized).url);
}

}  // namespace

Result<void> ArchiveReplay::add_file(const std::string& name) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(name, code)) return Error{"does not exist or is not a regular file"};
  std::ifstream in = open_archive(name);
  if (!in) return Error{fmt::format("cannot be read: {}", std::strerror(errno))};
  const auto file = static_cast<std::uint32_t>(files_.size());
  files_.push_back(name);
  const std::size_t before = entries_.size();
  storage::WarcReader reader(in);
  const bool is_warc = read_records(reader, file);
  if (!is_warc) return Error{"is not a WARC file"};
  if (entries_.size() == before) return Error{"contains no HTTP response"};
  return boost::system::in_place_value;
}

// Returns false if the file has no record.
bool ArchiveReplay::read_records(storage::WarcReader& reader, std::uint32_t file) {
  const std::string& name = files_[file];
  std::size_t noted = 0;
  const auto note_problems = [&] {
    for (; noted < reader.problems().size(); ++noted)
      note(name, reader.problems()[noted].offset, reader.problems()[noted].message);
  };
  bool has_record = false;
  while (true) {
    const std::optional<storage::WarcRecord> record = reader.next();
    note_problems();
    if (!record) break;
    has_record = true;
    if (record->skip > max_skipped_bytes) {
      note(name, record->offset, "it is compressed as a whole, so only its beginning can be read: decompress it first");
      break;
    }
    const std::string start = record->type == "response" ? reader.read_block(response_start) : std::string();
    if (reader.finish_record()) add_record(*record, start, file);
    note_problems();
  }
  return has_record;
}

void ArchiveReplay::note(const std::string& name, std::uint64_t offset, std::string_view message) {
  if (++problem_count_ > max_problems) return;
  problems_.push_back(fmt::format("{}: record at offset {}: {}", to_valid_utf8(name), offset, message));
}

// `start` is the beginning of the block of a response.
void ArchiveReplay::add_record(const storage::WarcRecord& record, std::string_view start, std::uint32_t file) {
  const bool is_revisit = record.type == "revisit";
  if (!is_revisit && record.type != "response" && record.type != "resource") return;
  const Result<parser::Url> url = parser::Url::parse(record.target_uri());
  if (url.has_error() || !url->is_http()) return;
  if (record.type == "response" && !begins_response(start))
    return note(files_[file], record.offset, "it contains no HTTP response");
  const std::optional<Timestamp> date = record.date();
  if (!date || *date == Timestamp{}) return note(files_[file], record.offset, "it has no valid date");
  const storage::LinkId id = storage::LinkId::of(*url);
  if (const storage::LinkId normalized = normalized_id(*url); normalized != id)
    other_forms_.emplace_back(normalized, id);
  entries_.push_back({.url = id,
                      .date = *date,
                      .offset = record.offset,
                      .file = file,
                      .skip = static_cast<std::uint32_t>(record.skip),
                      .is_revisit = is_revisit,
                      .record_hash = hash_of(record.field("warc-record-id")),
                      .payload_hash = hash_of(record.field("warc-payload-digest"))});
}

void ArchiveReplay::build_index() {
  entries_.shrink_to_fit();
  std::ranges::sort(entries_, {}, [](const Entry& entry) {
    return std::tuple(entry.url, entry.date, entry.file, entry.offset, entry.skip);
  });
  std::ranges::sort(other_forms_);
  other_forms_.erase(std::unique(other_forms_.begin(), other_forms_.end()), other_forms_.end());
  if (std::ranges::none_of(entries_, &Entry::is_revisit)) return;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.is_revisit) continue;
    if (entry.record_hash != 0) by_record_.emplace_back(entry.record_hash, i);
    if (entry.payload_hash != 0) by_payload_.emplace_back(entry.payload_hash, i);
  }
  std::ranges::sort(by_record_);
  std::ranges::sort(by_payload_);
}

const ArchiveReplay::Entry* ArchiveReplay::nearest_form(const parser::Url& url) const {
  const storage::LinkId normalized = normalized_id(url);
  const Entry* best = nearest(normalized, at_, true);
  auto form = std::ranges::lower_bound(other_forms_, normalized, {}, [](const auto& one) { return one.first; });
  for (; form != other_forms_.end() && form->first == normalized; ++form) {
    const Entry* const other = nearest(form->second, at_, true);
    if (other != nullptr && (best == nullptr || is_better(*other, *best, at_))) best = other;
  }
  return best;
}

// Returns the newest response, or the one nearest to `date` if a date is given.
const ArchiveReplay::Entry* ArchiveReplay::nearest(const storage::LinkId& url, std::optional<Timestamp> date,
                                                   bool include_revisits) const {
  const Entry* best = nullptr;
  auto entry = std::ranges::lower_bound(entries_, url, {}, &Entry::url);
  for (; entry != entries_.end() && entry->url == url; ++entry) {
    if (entry->is_revisit && !include_revisits) continue;
    if (best == nullptr || is_better(*entry, *best, date)) best = &*entry;
  }
  return best;
}

// Among equals, the later record in the files wins.
bool ArchiveReplay::is_better(const Entry& one, const Entry& other, std::optional<Timestamp> date) {
  if (!date) return one.date >= other.date;
  const auto distance = [&date](const Entry& from) { return std::chrono::abs(from.date - *date); };
  return distance(one) <= distance(other);
}

const ArchiveReplay::Entry* ArchiveReplay::original_of(const storage::WarcRecord& revisit) const {
  const auto entry_of = [this](const Hashes& hashes, std::string_view text) -> const Entry* {
    const std::uint64_t hash = hash_of(text);
    const auto found = std::ranges::lower_bound(hashes, hash, {}, [](const auto& one) { return one.first; });
    return hash != 0 && found != hashes.end() && found->first == hash ? &entries_[found->second] : nullptr;
  };
  if (const Entry* const named = entry_of(by_record_, revisit.field("warc-refers-to"))) return named;
  const std::string_view uri = revisit.field("warc-refers-to-target-uri");
  const Result<parser::Url> url = parser::Url::parse(uri.empty() ? revisit.target_uri() : uri);
  constexpr std::string_view named_date = "warc-refers-to-date";
  if (url && (!uri.empty() || !revisit.field(named_date).empty())) {
    const std::optional<Timestamp> named = revisit.date(named_date);
    const Timestamp when = named ? *named : revisit.date().value_or(Timestamp{});
    if (const Entry* const meant = nearest(storage::LinkId::of(*url), when, false)) return meant;
  }
  return entry_of(by_payload_, revisit.field("warc-payload-digest"));
}

std::optional<std::pair<storage::WarcRecord, AttemptResult>> ArchiveReplay::read(const Entry& entry,
                                                                                 std::size_t max_body) const {
  std::ifstream in = open_archive(files_[entry.file]);
  storage::WarcReader reader(in, entry.offset, entry.skip);
  std::optional<storage::WarcRecord> record = reader.next();
  if (!record) return std::nullopt;  // the file has changed since it was indexed
  std::optional<AttemptResult> response = read_saved_response(reader, *record, max_body);
  if (!response) {
    if (!entry.is_revisit) return std::nullopt;
    response = AttemptResult();
  }
  return std::pair(std::move(*record), std::move(*response));
}

std::optional<AttemptResult> ArchiveReplay::find(const parser::Url& url, std::size_t max_body) const {
  const Entry* entry = nearest(storage::LinkId::of(url), at_, true);
  if (entry == nullptr) entry = nearest_form(url);
  if (entry == nullptr) return std::nullopt;
  auto found = read(*entry, max_body);
  if (!found) return std::nullopt;
  AttemptResult response = std::move(found->second);
  if (entry->is_revisit) {
    const Entry* const original = original_of(found->first);
    auto page = original == nullptr ? std::nullopt : read(*original, max_body);
    const bool has_own_headers = response.status != 0 && response.status != 304;
    if (!page && !has_own_headers) return std::nullopt;
    if (!page) {
      response.body_state = BodyState::cut;
    } else if (has_own_headers) {  // headers of a page with the same body, which may be coded differently
      response.body = std::move(page->second.body);
      response.body_state = page->second.body_state;
      std::erase_if(response.headers,
                    [](const storage::ResponseHeader& header) { return header.name == "content-encoding"; });
      const std::string_view coding = page->second.header("content-encoding");
      if (!coding.empty()) response.headers.push_back({"content-encoding", std::string(coding)});
    } else {
      response = std::move(page->second);
    }
  }
  response.saved_at = entry->date;
  return response;
}

}  // namespace linkherd::crawler
