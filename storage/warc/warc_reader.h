// Reads WARC files (ISO 28500; versions 0.17 to 1.1) record by record, plain or gzipped, from a stream, in bounded
// memory whatever the file claims. What is damaged is noted with its offset and passed over; the rest is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parser/inflate.h"
#include "parser/timestamp.h"
#include "storage/snapshot.h"

namespace linkherd::storage {

struct WarcRecord {
  std::uint64_t offset = 0;  // in the file; of a gzipped record: that of its gzip member
  std::uint64_t skip = 0;    // bytes of that member before the record: not 0 where a member holds several records
  std::uint64_t length = 0;  // of the block
  std::string type;          // lower case
  std::vector<ResponseHeader> fields;

  // The value of the first field of that (lower-case) name; empty where there is none.
  std::string_view field(std::string_view name) const;
  // The URI that the record is about, without the angle brackets that some tools write around it.
  std::string_view target_uri() const;
  // WARC-Date, or another field, which may be as short as "2024", or of 14 digits in files of old tools. nullopt: none
  // that is valid.
  std::optional<Timestamp> date(std::string_view name = "warc-date") const;
};

class WarcReader {
 public:
  struct Problem {
    std::uint64_t offset = 0;  // of the record
    std::string message;
  };
  static constexpr std::size_t max_header_bytes = std::size_t{256} << 10;
  static constexpr std::size_t max_problems = 1000;  // then the rest of the file is given up

  // Begins at `offset` of the stream, and `skip` bytes into the gzip member there. `in` outlives this. An error of the
  // stream is the end of the file.
  explicit WarcReader(std::istream& in, std::uint64_t offset = 0, std::uint64_t skip = 0);

  // The next record; nullopt at the end. What has not been read of the one before is passed over.
  std::optional<WarcRecord> next();

  // The next bytes of the record's block, at most `max_bytes`.
  std::string read_block(std::size_t max_bytes);
  // Passes over the rest of the block. False: the record is damaged, which is noted.
  bool finish_record();

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::string_view window() const { return std::string_view(window_).substr(window_begin_); }
  bool fill(std::size_t bytes);  // the window holds so many, or all that the unit has left; false: it is empty
  void drop(std::size_t bytes);  // of the window
  bool read_more();
  bool inflate_more();
  bool read_raw();
  bool begin_unit();
  void seek(std::uint64_t offset);
  bool begins_member();
  bool find_member();
  bool fill_raw(std::size_t bytes);
  bool change_kind(std::uint64_t offset);
  std::optional<WarcRecord> read_header();
  bool is_followed_by_record(std::uint64_t end);
  void find_next_record();
  void note(std::uint64_t offset, std::string message);
  void give_up();
  std::uint64_t position() const { return passed_ + window_begin_; }  // in the unit; of a plain file: in the file
  std::uint64_t raw_position() const { return raw_offset_ - (raw_.size() - raw_begin_); }

  std::istream& in_;
  std::uint64_t file_size_ = 0;
  bool gzipped_ = false;
  parser::Inflater inflater_{parser::Inflater::Format::gzip};
  std::string raw_;  // compressed bytes that have been read and not inflated
  std::size_t raw_begin_ = 0;
  std::uint64_t raw_offset_ = 0;  // in the file, of the end of raw_
  // A unit is a gzip member, or the whole of a plain file.
  std::uint64_t unit_offset_ = 0;
  bool unit_open_ = false;
  bool unit_broken_ = false;
  std::string window_;
  std::size_t window_begin_ = 0;
  std::uint64_t passed_ = 0;  // bytes of the unit before window_; of a plain file: its offset there
  bool in_record_ = false;
  std::uint64_t record_offset_ = 0;
  std::uint64_t block_left_ = 0;
  std::size_t attempts_ = 0;  // at finding a gzip member behind a broken one, or records of the other kind
  bool is_noted_ = false;     // what is damaged here
  bool has_given_up_ = false;
  std::vector<Problem> problems_;
};

}  // namespace linkherd::storage
