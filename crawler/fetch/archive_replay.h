// Replays web archives instead of using the network: answers requests with the responses in WARC files. The index in
// memory takes about 60 bytes per response. The responses themselves are read on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawler/fetch/http/fetch_result.h"
#include "parser/timestamp.h"
#include "parser/url/url.h"
#include "storage/link_id.h"
#include "storage/warc/warc_reader.h"

namespace linkherd::crawler {

class ArchiveReplay {
 public:
  // If a URL has several responses, the newest is used, or the one nearest to `at`.
  explicit ArchiveReplay(std::optional<Timestamp> at = std::nullopt) : at_(at) {}

  // Reads a file and indexes its responses. Returns an error if the file cannot be read or contains no response.
  Result<void> add_file(const std::string& name);
  // Call it once, after the last add_file().
  void build_index();

  std::size_t size() const { return entries_.size(); }
  // Returns one line per damaged and skipped part, with the file name and the offset. Only the first lines are kept;
  // problem_count() counts all.
  const std::vector<std::string>& problems() const { return problems_; }
  std::uint64_t problem_count() const { return problem_count_; }

  // Returns the response to exactly this URL, or else to a URL with the same normalized form. Returns nullopt if there
  // is none. `saved_at` of the response is the date of its record. Thread-safe.
  std::optional<AttemptResult> find(const parser::Url& url, std::size_t max_body) const;

 private:
  struct Entry {
    storage::LinkId url;
    Timestamp date;
    std::uint64_t offset = 0;
    std::uint32_t file = 0;
    std::uint32_t skip = 0;
    bool is_revisit = false;
    std::uint64_t record_hash = 0;   // hash of the record id
    std::uint64_t payload_hash = 0;  // hash of the payload digest
  };
  using Hashes = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // hash and index of the entry

  bool read_records(storage::WarcReader& reader, std::uint32_t file);
  void add_record(const storage::WarcRecord& record, std::string_view start, std::uint32_t file);
  void note(const std::string& name, std::uint64_t offset, std::string_view message);
  static bool is_better(const Entry& one, const Entry& other, std::optional<Timestamp> date);
  const Entry* nearest(const storage::LinkId& url, std::optional<Timestamp> date, bool include_revisits) const;
  const Entry* nearest_form(const parser::Url& url) const;
  const Entry* original_of(const storage::WarcRecord& revisit) const;
  std::optional<std::pair<storage::WarcRecord, AttemptResult>> read(const Entry& entry, std::size_t max_body) const;

  std::optional<Timestamp> at_;
  std::vector<std::string> files_;
  std::vector<Entry> entries_;  // sorted by URL, then by date
  // For URLs that are not normalized: the id of the normalized form, then the id of the URL itself.
  std::vector<std::pair<storage::LinkId, storage::LinkId>> other_forms_;
  Hashes by_record_;  // entries that are not revisits; empty if the files have no revisits
  Hashes by_payload_;
  std::vector<std::string> problems_;
  std::uint64_t problem_count_ = 0;
};

}  // namespace linkherd::crawler
