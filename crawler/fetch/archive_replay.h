// Web archives in place of the network: what the responses in WARC files answer to a request. An index of offsets in
// memory, about 60 bytes a response; the responses are read when they are asked for.
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
  // Of several responses to one request the newest counts, or the one nearest to `at`.
  explicit ArchiveReplay(std::optional<Timestamp> at = std::nullopt) : at_(at) {}

  // Reads a file and adds its responses. Error: it cannot be read, or has none.
  Result<void> add_file(const std::string& name);
  // Once, after the last file.
  void build_index();

  std::size_t size() const { return entries_.size(); }
  // What is damaged in the files and was passed over, a line each that names the file and the offset; of many the
  // first.
  const std::vector<std::string>& problems() const { return problems_; }
  std::uint64_t problem_count() const { return problem_count_; }

  // The response to this URL as it is written, else to one that has the same normalized form. nullopt: there is none.
  // Thread-safe. `saved_at` of the answer is the date of its record.
  std::optional<HopAnswer> find(const parser::Url& url, std::size_t max_body) const;

 private:
  struct Entry {
    storage::LinkId url;
    Timestamp date;
    std::uint64_t offset = 0;
    std::uint32_t file = 0;
    std::uint32_t skip = 0;
    bool is_revisit = false;
    std::uint64_t record_hash = 0;   // of its id
    std::uint64_t payload_hash = 0;  // of its payload's digest
  };
  using Hashes = std::vector<std::pair<std::uint64_t, std::uint32_t>>;  // and the number of the entry

  bool read_records(storage::WarcReader& reader, std::uint32_t file);
  void add_record(const storage::WarcRecord& record, std::string_view start, std::uint32_t file);
  void note(const std::string& name, std::uint64_t offset, std::string_view message);
  static bool is_better(const Entry& one, const Entry& other, std::optional<Timestamp> date);
  const Entry* nearest(const storage::LinkId& url, std::optional<Timestamp> date, bool revisits_too) const;
  const Entry* nearest_form(const parser::Url& url) const;
  const Entry* original_of(const storage::WarcRecord& revisit) const;
  std::optional<std::pair<storage::WarcRecord, HopAnswer>> read(const Entry& entry, std::size_t max_body) const;

  std::optional<Timestamp> at_;
  std::vector<std::string> files_;
  std::vector<Entry> entries_;  // by URL, then by date
  // Of the URLs that are not in their normalized form: the id of that form, then their own.
  std::vector<std::pair<storage::LinkId, storage::LinkId>> other_forms_;
  Hashes by_record_;  // of those that are no revisits, where there is any
  Hashes by_payload_;
  std::vector<std::string> problems_;
  std::uint64_t problem_count_ = 0;
};

}  // namespace linkherd::crawler
