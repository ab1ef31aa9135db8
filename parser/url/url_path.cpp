// The path states of the parser, with the file scheme's: drive letters, dot segments, backslashes.
#include "parser/ascii.h"
#include "parser/url/host.h"
#include "parser/url/percent_encoding.h"
#include "parser/url/url_parser.h"

namespace linkherd::parser {
namespace {

constexpr ByteSet ends_of_segment = ByteSet().with("/?#");
constexpr ByteSet ends_of_special_segment = ends_of_segment.with("\\");

// "c:" or "c|", and no more than that.
bool is_windows_drive_letter(std::string_view text) {
  return text.size() == 2 && is_ascii_letter(text[0]) && (text[1] == ':' || text[1] == '|');
}

bool starts_with_windows_drive_letter(std::string_view text) {
  if (!is_windows_drive_letter(text.substr(0, 2))) return false;
  return text.size() == 2 || std::string_view("/\\?#").find(text[2]) != std::string_view::npos;
}

// "/c:", a serialised path of one segment.
bool is_normalized_drive_path(std::string_view path) {
  return path.size() == 3 && path[0] == '/' && is_windows_drive_letter(path.substr(1)) && path[2] == ':';
}

// How many dots a segment of dots has, written plainly or as "%2e": 1 or 2; 0 for every other segment.
int dot_segment(std::string_view segment) {
  if (segment.empty() || segment.size() > 6) return 0;
  int dots = 0;
  while (!segment.empty()) {
    if (segment.front() == '.') {
      segment.remove_prefix(1);
    } else if (escaped_byte(segment, 0) == '.') {
      segment.remove_prefix(3);
    } else {
      return 0;
    }
    if (++dots > 2) return 0;
  }
  return dots;
}

}  // namespace

UrlBuilder::State UrlBuilder::file() {
  start_authority();
  if (next_is_slash()) {
    take_slash();
    return State::file_slash;
  }
  if (base_ == nullptr || base_->scheme() != "file") return State::path;
  if (at_end_of_path()) return inherit_for_query_or_fragment();
  if (starts_with_windows_drive_letter(rest_)) {
    note(UrlNote::drive_letter);
    inherit_authority();
  } else {
    inherit_path();
    shorten_path();
  }
  return State::path;
}

UrlBuilder::State UrlBuilder::file_slash() {
  if (next_is_slash()) {
    take_slash();
    return State::file_host;
  }
  if (base_ != nullptr && base_->scheme() == "file") {
    inherit_authority();
    const std::string_view base_path = base_->path();
    const std::string_view first_segment = base_path.substr(0, base_path.find('/', 1));
    if (!starts_with_windows_drive_letter(rest_) && is_normalized_drive_path(first_segment)) {
      url_.href_ += first_segment;
    }
  }
  return State::path;
}

UrlBuilder::State UrlBuilder::file_host() {
  const std::string_view from_here = rest_;
  const std::string_view text = take_until(ends_of_special_segment);
  if (is_windows_drive_letter(text)) {
    note(UrlNote::drive_letter);
    rest_ = from_here;  // "file://c:/x": the drive letter belongs to the path
    return State::path;
  }
  if (text.empty()) return State::path_start;
  if (!host(text)) return State::failed;
  if (url_.host() == "localhost") {
    url_.href_.resize(url_.host_start_);
    url_.host_end_ = url_.path_start_ = size();
    url_.host_kind_ = HostKind::empty;
  }
  return State::path_start;
}

UrlBuilder::State UrlBuilder::path_start() {
  if (!special_ && at_end_of_path()) {
    finish_path();
    return after_path();
  }
  if (next_is_slash()) take_slash();
  return State::path;
}

UrlBuilder::State UrlBuilder::path() {
  const ByteSet& ends = special_ ? ends_of_special_segment : ends_of_segment;
  while (true) {
    const std::string_view segment = take_until(ends);
    const bool more = next_is_slash();
    append_segment(segment, !more);
    if (!more) break;
    take_slash();
  }
  finish_path();
  return after_path();
}

void UrlBuilder::append_segment(std::string_view segment, bool last) {
  if (const int dots = dot_segment(segment); dots > 0) {
    if (dots == 2) shorten_path();
    if (last) url_.href_ += '/';
    return;
  }
  const bool drive_letter = is_windows_drive_letter(segment) && url_.scheme() == "file" && written_path().empty();
  url_.href_ += '/';
  if (drive_letter) {
    if (segment.back() == '|') note(UrlNote::drive_letter);
    url_.href_ += segment.front();
    url_.href_ += ':';
    return;
  }
  append(segment, path_encode_set);
}

void UrlBuilder::shorten_path() {
  const std::string_view path = written_path();
  if (path.empty() || (is_normalized_drive_path(path) && url_.scheme() == "file")) return;
  url_.href_.resize(url_.href_.rfind('/'));
}

void UrlBuilder::finish_path() {
  // Without a host, a path that begins with "//" would be read as one.
  if (url_.host_kind_ == HostKind::none && written_path().starts_with("//")) {
    url_.href_.insert(url_.path_start_, "/.");
    url_.path_start_ += 2;
  }
  url_.path_end_ = size();
}

}  // namespace linkherd::parser
