// Reads WARC files (ISO 28500; versions 0.17 to 1.1) record by record from a stream, plain or gzipped. Memory stays
// bounded whatever the file claims. Damaged parts are skipped and listed with their offsets; everything else is read.
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
  std::uint64_t offset = 0;  // offset in the file: of the record, or of its gzip member
  std::uint64_t skip = 0;    // bytes of the gzip member before the record; not 0 if the member holds several records
  std::uint64_t length = 0;  // bytes in the block
  std::string type;          // lower case
  std::vector<ResponseHeader> fields;

  // Returns the value of the first field with this lower-case name, or an empty text.
  std::string_view field(std::string_view name) const;
  // Returns the URI that the record is about, without the angle brackets that some tools add.
  std::string_view target_uri() const;
  // Returns the time in WARC-Date or in another field. It may be as short as "2024", or have 14 digits in files of old
  // tools. Returns nullopt if there is no valid date.
  std::optional<Timestamp> date(std::string_view name = "warc-date") const;
};

class WarcReader {
 public:
  struct Problem {
    std::uint64_t offset = 0;  // offset of the record
    std::string message;
  };
  static constexpr std::size_t max_header_bytes = std::size_t{256} << 10;
  static constexpr std::size_t max_problems = 1000;  // after that, the rest of the file is skipped

  // Starts reading at `offset` in the stream, and `skip` bytes into the gzip member at that offset. `in` must outlive
  // this object. A stream error counts as the end of the file.
  explicit WarcReader(std::istream& in, std::uint64_t offset = 0, std::uint64_t skip = 0);

  // Returns the next record, or nullopt at the end. Skips the unread rest of the record before.
  std::optional<WarcRecord> next();

  // Returns the next bytes of the record's block, at most `max_bytes`.
  std::string read_block(std::size_t max_bytes);
  // Skips the rest of the block. Returns false if the record is damaged; the damage is added to problems().
  bool finish_record();

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::string_view window() const { return std::string_view(window_).substr(window_begin_); }
  // Fills the window with `bytes` bytes, or with the rest of the unit; false: it is empty.
  bool fill(std::size_t bytes);
  void drop(std::size_t bytes);  // removes bytes from the front of the window
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
  std::uint64_t position() const { return passed_ + window_begin_; }  // in the unit; for a plain file, in the file
  std::uint64_t raw_position() const { return raw_offset_ - (raw_.size() - raw_begin_); }

  std::istream& in_;
  std::uint64_t file_size_ = 0;
  bool gzipped_ = false;
  parser::Inflater inflater_{parser::Inflater::Format::gzip};
  std::string raw_;  // compressed bytes that were read but not inflated yet
  std::size_t raw_begin_ = 0;
  std::uint64_t raw_offset_ = 0;  // offset in the file of the end of raw_
  // A unit is a gzip member, or a whole plain file.
  std::uint64_t unit_offset_ = 0;
  bool unit_open_ = false;
  bool unit_broken_ = false;
  std::string window_;
  std::size_t window_begin_ = 0;
  std::uint64_t passed_ = 0;  // bytes of the unit before window_; for a plain file, its offset
  bool in_record_ = false;
  std::uint64_t record_offset_ = 0;
  std::uint64_t block_left_ = 0;
  std::size_t attempts_ = 0;  // attempts to find a gzip member after a broken one, or records of the other kind
  bool is_noted_ = false;     // the present damage is already in problems_
  bool has_given_up_ = false;
  std::vector<Problem> problems_;
};

}  // namespace linkherd::storage
