// The path states of the parser, with the file scheme's: drive letters, dot segments, backslashes.
#include "parser/url/percent_encoding.h"
#include "parser/url/url_parser.h"

namespace linkherd::parser {
namespace {

constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "c:" or "c|", and no more than that.
bool is_windows_drive_letter(std::string_view text) {
  return text.size() == 2 && is_alpha(text[0]) && (text[1] == ':' || text[1] == '|');
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
  scheme_ = "file";
  special_ = true;
  host_.emplace();
  if (next_is_slash()) {
    if (rest_.front() == '\\') note(UrlNote::backslash);
    rest_.remove_prefix(1);
    return State::file_slash;
  }
  if (base_ == nullptr || base_->scheme() != "file") return State::path;
  copy_authority();
  copy_path_and_query();
  if (rest_.empty() || rest_.front() == '?' || rest_.front() == '#') return after_path();
  query_.reset();
  if (starts_with_windows_drive_letter(rest_)) {
    path_.clear();
  } else {
    shorten_path();
  }
  return State::path;
}

UrlBuilder::State UrlBuilder::file_slash() {
  if (next_is_slash()) {
    if (rest_.front() == '\\') note(UrlNote::backslash);
    rest_.remove_prefix(1);
    return State::file_host;
  }
  if (base_ != nullptr && base_->scheme() == "file") {
    copy_authority();
    const std::string_view base_path = base_->path();
    const std::string_view first_segment = base_path.substr(0, base_path.find('/', 1));
    if (!starts_with_windows_drive_letter(rest_) && is_normalized_drive_path(first_segment)) path_ = first_segment;
  }
  return State::path;
}

UrlBuilder::State UrlBuilder::file_host() {
  const std::string_view from_here = rest_;
  const std::string_view text = take_until("/\\?#");
  if (is_windows_drive_letter(text)) {
    rest_ = from_here;  // "file://c:/x": the drive letter belongs to the path
    return State::path;
  }
  if (text.empty()) return State::path_start;
  auto host = parse_host(text, true);
  if (!host) return fail(host.error().message);
  host_ = std::move(*host);
  notes_ = notes_ | host_->notes;
  if (host_->text == "localhost") host_.emplace();
  return State::path_start;
}

UrlBuilder::State UrlBuilder::path_start() {
  if (!special_ && (rest_.empty() || rest_.front() == '?' || rest_.front() == '#')) return after_path();
  if (next_is_slash()) {
    if (rest_.front() == '\\') note(UrlNote::backslash);
    rest_.remove_prefix(1);
  }
  return State::path;
}

UrlBuilder::State UrlBuilder::path() {
  while (true) {
    const std::string_view segment = take_until(special_ ? "/\\?#" : "/?#");
    const bool more = next_is_slash();
    append_segment(segment, !more);
    if (!more) return after_path();
    if (rest_.front() == '\\') note(UrlNote::backslash);
    rest_.remove_prefix(1);
  }
}

void UrlBuilder::append_segment(std::string_view segment, bool last) {
  if (const int dots = dot_segment(segment); dots > 0) {
    if (dots == 2) shorten_path();
    if (last) path_ += '/';
    return;
  }
  const bool drive_letter = scheme_ == "file" && path_.empty() && is_windows_drive_letter(segment);
  path_ += '/';
  if (drive_letter) {
    path_ += segment.front();
    path_ += ':';
    return;
  }
  if (has_invalid_url_unit(segment)) note(UrlNote::invalid_code_point);
  append_percent_encoded(path_, segment, path_encode_set);
}

void UrlBuilder::shorten_path() {
  if (path_.empty() || (scheme_ == "file" && is_normalized_drive_path(path_))) return;
  path_.erase(path_.rfind('/'));
}

void UrlBuilder::copy_path_and_query() {
  path_ = base_->path();
  if (base_->has_query()) query_.emplace(base_->query());
}

}  // namespace linkherd::parser
