#include "storage/warc/warc_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "parser/ascii.h"

namespace linkherd::storage {
namespace {

constexpr std::size_t read_at_once = std::size_t{64} << 10;
constexpr std::size_t initial_window = std::size_t{4} << 10;  // most record headers are shorter
constexpr std::size_t max_attempts = 10'000;
// A gzip member that grows by more than this is not a page. Reading stops there.
constexpr std::uint64_t free_growth = std::uint64_t{64} << 20;
constexpr std::uint64_t max_growth_factor = 200;
constexpr std::string_view gzip_magic = "\x1F\x8B\x08";
constexpr std::string_view version_start = "WARC/";

// Returns the end of the fields, after their empty line, or npos if there is no empty line.
std::size_t end_of_fields(std::string_view text) {
  const std::size_t crlf = text.find("\r\n\r\n");
  const std::size_t lf = text.substr(0, crlf).find("\n\n");
  if (lf != std::string_view::npos) return lf + 2;
  return crlf == std::string_view::npos ? crlf : crlf + 4;
}

std::vector<ResponseHeader> parse_fields(std::string_view text) {
  std::vector<ResponseHeader> fields;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = line.find(':');
    if ((line.starts_with(' ') || line.starts_with('\t')) && !fields.empty()) {
      fields.back().value.append(" ").append(parser::trim_ascii(line));
    } else if (colon != std::string_view::npos) {
      fields.push_back({parser::to_ascii_lower(parser::trim_ascii(line.substr(0, colon))),
                        std::string(parser::trim_ascii(line.substr(colon + 1)))});
    }
  }
  return fields;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number > std::numeric_limits<std::uint64_t>::max() / 2)
    return std::nullopt;
  return number;
}

// Returns the position of the first line that begins with a WARC version, or npos.
std::size_t find_version(std::string_view text) {
  const std::size_t found = text.find("\nWARC/");
  return found == std::string_view::npos ? found : found + 1;
}

}  // namespace

std::string_view WarcRecord::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &ResponseHeader::name);
  return found == fields.end() ? std::string_view() : std::string_view(found->value);
}

std::string_view WarcRecord::target_uri() const {
  std::string_view uri = field("warc-target-uri");
  if (uri.starts_with('<') && uri.ends_with('>')) uri = uri.substr(1, uri.size() - 2);
  return uri;
}

std::optional<Timestamp> WarcRecord::date(std::string_view name) const {
  std::string text(field(name));
  constexpr std::string_view earliest_date = "0000-01-01T00:00:00Z";
  if (text.size() == 14 && std::ranges::all_of(text, parser::is_ascii_digit)) {
    for (const std::size_t offset : {4U, 7U}) text.insert(offset, 1, '-');
    text.insert(10, 1, 'T').insert(13, 1, ':').insert(16, 1, ':').append(1, 'Z');
  } else if (text.size() < earliest_date.size()) {
    if (text.ends_with('Z')) text.pop_back();
    text.append(earliest_date.substr(text.size()));
  }
  const Result<Timestamp> date = parse_timestamp(text);
  return date ? std::optional(*date) : std::nullopt;
}

WarcReader::WarcReader(std::istream& in, std::uint64_t offset, std::uint64_t skip) : in_(in) {
  in_.seekg(0, std::ios::end);
  const std::streamoff size = in_.tellg();
  file_size_ = size > 0 ? static_cast<std::uint64_t>(size) : 0;
  std::string magic(gzip_magic.size(), '\0');
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(offset));
  in_.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  gzipped_ = magic == gzip_magic;
  seek(offset);
  if (begin_unit()) {
    while (skip > 0 && fill(1)) {
      const std::size_t step = std::min<std::uint64_t>(skip, window().size());
      drop(step);
      skip -= step;
    }
  }
}

// --- bytes

void WarcReader::seek(std::uint64_t offset) {
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(offset));
  raw_.clear();
  raw_begin_ = 0;
  raw_offset_ = offset;
  window_.clear();
  window_begin_ = 0;
  passed_ = gzipped_ ? 0 : offset;
}

bool WarcReader::begin_unit() {
  if (!gzipped_) {
    unit_open_ = raw_offset_ < file_size_;
    return unit_open_;
  }
  if (raw_begin_ == raw_.size() && !read_raw()) return false;
  unit_offset_ = raw_position();
  inflater_.reset();
  window_.clear();
  window_begin_ = 0;
  passed_ = 0;
  unit_open_ = true;
  unit_broken_ = false;
  return true;
}

bool WarcReader::read_raw() {
  raw_.resize(read_at_once);
  raw_begin_ = 0;
  in_.read(raw_.data(), static_cast<std::streamsize>(raw_.size()));
  raw_.resize(static_cast<std::size_t>(in_.gcount()));
  raw_offset_ += raw_.size();
  return !raw_.empty();
}

bool WarcReader::fill(std::size_t bytes) {
  while (window().size() < bytes && read_more()) {
    // One piece per call.
  }
  return !window().empty();
}

void WarcReader::drop(std::size_t bytes) {
  window_begin_ += bytes;
  if (window_begin_ < read_at_once) return;
  window_.erase(0, window_begin_);
  passed_ += window_begin_;
  window_begin_ = 0;
}

bool WarcReader::read_more() {
  if (!unit_open_) return false;
  if (gzipped_) return inflate_more();
  const std::size_t before = window_.size();
  window_.resize(before + read_at_once);
  in_.read(window_.data() + before, static_cast<std::streamsize>(read_at_once));
  window_.resize(before + static_cast<std::size_t>(in_.gcount()));
  if (window_.size() == before) unit_open_ = false;
  return unit_open_;
}

bool WarcReader::inflate_more() {
  const std::size_t before = window_.size();
  while (unit_open_ && window_.size() == before) {
    if (raw_begin_ == raw_.size() && !read_raw()) {
      unit_broken_ = true;
      unit_open_ = false;
      break;
    }
    std::string_view rest = std::string_view(raw_).substr(raw_begin_);
    const parser::Inflater::Step step = inflater_.step(rest, window_);
    raw_begin_ = raw_.size() - rest.size();
    const std::uint64_t taken = raw_offset_ - rest.size() - unit_offset_;
    unit_broken_ =
        step == parser::Inflater::Step::corrupt || passed_ + window_.size() > free_growth + max_growth_factor * taken;
    if (unit_broken_ || step == parser::Inflater::Step::complete) unit_open_ = false;
  }
  return window_.size() > before;
}

// --- records

// Adds one problem for everything that is skipped until the next record.
void WarcReader::note(std::uint64_t offset, std::string message) {
  if (std::exchange(is_noted_, true)) return;
  problems_.push_back({offset, std::move(message)});
  if (problems_.size() == max_problems) give_up();
}

void WarcReader::give_up() {
  problems_.push_back(
      {gzipped_ ? unit_offset_ : position(), "too much of the file is damaged: the rest of it is not read"});
  has_given_up_ = true;
}

std::optional<WarcRecord> WarcReader::next() {
  if (in_record_) finish_record();
  while (!has_given_up_) {
    while (fill(1) && parser::is_ascii_space(window().front())) drop(1);  // empty lines after a record
    if (!window().empty()) {
      if (!gzipped_ && begins_member()) {
        if (change_kind(position())) continue;
        return std::nullopt;
      }
      if (std::optional<WarcRecord> record = read_header()) return record;
      find_next_record();
      continue;
    }
    if (!gzipped_) return std::nullopt;
    if (std::exchange(unit_broken_, false)) {
      note(unit_offset_, "its gzip member is damaged or truncated");
      if (++attempts_ == max_attempts) give_up();
      // Decompression may have read past the damage into the next member.
      const std::uint64_t here = raw_position();
      seek(std::max(unit_offset_ + 1, here - std::min<std::uint64_t>(here, read_at_once)));
    }
    if (!find_member()) return std::nullopt;
  }
  return std::nullopt;
}

bool WarcReader::begins_member() {
  fill(gzip_magic.size());
  return window().starts_with(gzip_magic);
}

// Switches between gzip members and plain records. Concatenated files may contain both, in any order.
bool WarcReader::change_kind(std::uint64_t offset) {
  gzipped_ = !gzipped_;
  seek(offset);
  if (++attempts_ == max_attempts) give_up();
  return begin_unit();
}

bool WarcReader::fill_raw(std::size_t bytes) {
  while (raw_.size() - raw_begin_ < bytes) {
    const std::string rest = raw_.substr(raw_begin_);
    const bool any = read_raw();
    raw_.insert(0, rest);
    if (!any) return false;
  }
  return true;
}

// Begins the next gzip member, or plain records if they begin where a member could.
bool WarcReader::find_member() {
  const std::uint64_t from = raw_position();
  if (fill_raw(version_start.size()) && std::string_view(raw_).substr(raw_begin_).starts_with(version_start))
    return change_kind(from);
  bool is_padding = true;  // zeros after the last member are common
  for (;;) {
    if (!fill_raw(gzip_magic.size())) {  // the magic number may span two pieces
      if (!is_padding || raw_.find_first_not_of('\0') != std::string::npos)
        note(from, "the data at this position is not a gzip member");
      return false;
    }
    const std::size_t found = std::min(raw_.find(gzip_magic, raw_begin_), raw_.size() - gzip_magic.size() + 1);
    is_padding = is_padding && raw_.substr(raw_begin_, found - raw_begin_).find_first_not_of('\0') == std::string::npos;
    raw_begin_ = found;
    if (!std::string_view(raw_).substr(found).starts_with(gzip_magic)) continue;
    if (!is_padding) note(from, "the data at this position is not a gzip member");
    return begin_unit();
  }
}

std::optional<WarcRecord> WarcReader::read_header() {
  WarcRecord record;
  record.offset = gzipped_ ? unit_offset_ : position();
  record.skip = gzipped_ ? position() : 0;
  fill(version_start.size());
  if (!window().starts_with(version_start)) {
    note(record.offset, "the data at this position is not a WARC record");
    return std::nullopt;
  }
  std::size_t end = std::string_view::npos;
  for (std::size_t look = initial_window; look <= max_header_bytes; look *= 2) {
    fill(look);
    const std::string_view searched = window().substr(0, max_header_bytes);
    // The fields end before the next version line. This avoids searching many version lines without fields again and
    // again.
    const std::size_t next_version = find_version(searched);
    end = end_of_fields(searched.substr(0, next_version));
    if (end != std::string_view::npos || next_version != std::string_view::npos || window().size() < look) break;
  }
  if (end == std::string_view::npos) {
    note(record.offset, "the end of the record's header fields is missing");
    return std::nullopt;
  }
  record.fields = parse_fields(window().substr(0, end));
  record.type = parser::to_ascii_lower(record.field("warc-type"));
  const std::optional<std::uint64_t> length = number_of(record.field("content-length"));
  if (!length) {
    note(record.offset, "the record does not state its length");
    return std::nullopt;
  }
  record.length = *length;
  if (!gzipped_ && !is_followed_by_record(position() + end + *length)) {
    note(record.offset, fmt::format("the record does not end after {} bytes, its stated length", *length));
    return std::nullopt;
  }
  drop(end);
  is_noted_ = false;
  in_record_ = true;
  record_offset_ = record.offset;
  block_left_ = *length;
  return record;
}

// Returns true if a plain file continues at `end` as after a record. With a wrong length, the records after it would be
// lost.
bool WarcReader::is_followed_by_record(std::uint64_t end) {
  if (end > file_size_) return false;
  if (end == file_size_) return true;
  std::string next(2, '\0');
  const std::uint64_t here = passed_;
  if (end >= here && end + next.size() <= here + window_.size()) {
    next = window_.substr(end - here, next.size());
  } else {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(end));
    in_.read(next.data(), static_cast<std::streamsize>(next.size()));
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(here + window_.size()));
  }
  return next == "\r\n" || next == "\n\n" || next == "WA";
}

// Skips an unreadable record: moves to the next line that begins a record, or to the end of the unit.
void WarcReader::find_next_record() {
  if (fill(1)) drop(1);
  while (fill(read_at_once)) {
    const std::size_t found = find_version(window());
    if (found != std::string_view::npos) return drop(found);
    const std::size_t kept = std::min(window().size(), version_start.size());
    if (!unit_open_) return drop(window().size());
    drop(window().size() - kept);
  }
}

std::string WarcReader::read_block(std::size_t max_bytes) {
  const std::size_t wanted = std::min<std::uint64_t>(block_left_, max_bytes);
  std::string block;
  while (block.size() < wanted && fill(1)) {
    const std::string_view piece = window().substr(0, wanted - block.size());
    block.append(piece);
    drop(piece.size());
  }
  block_left_ -= block.size();
  return block;
}

bool WarcReader::finish_record() {
  in_record_ = false;
  if (!gzipped_) {  // next() has already checked the end of the record
    const std::uint64_t end = position() + block_left_;
    if (block_left_ <= window().size()) {
      drop(block_left_);
    } else {
      seek(end);
      unit_open_ = true;
    }
    return true;
  }
  while (block_left_ > 0 && fill(1)) {
    const std::size_t step = std::min<std::uint64_t>(block_left_, window().size());
    drop(step);
    block_left_ -= step;
  }
  constexpr std::size_t line_ends_and_more = 8;  // enough to reach the end of the member and its checksum
  fill(line_ends_and_more);
  if (unit_broken_ && window().size() < line_ends_and_more) return false;  // next() reports the problem
  if (block_left_ > 0) {
    note(record_offset_, fmt::format("the record ends {} bytes before its stated end", std::exchange(block_left_, 0)));
    return false;
  }
  const std::string_view rest = window();
  if (rest.empty() || rest.starts_with("\r\n") || rest.starts_with("\n\n") || rest.starts_with("WA")) return true;
  note(record_offset_, "the record continues after its stated end");
  find_next_record();
  return false;
}

}  // namespace linkherd::storage
