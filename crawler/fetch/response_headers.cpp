#include "crawler/fetch/response_headers.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>

#include <curl/curl.h>

#include "parser/ascii.h"
#include "storage/stored_times.h"

namespace linkherd::crawler {

std::string_view find_header(const std::vector<Header>& headers, std::string_view name) {
  const auto found = std::find_if(headers.rbegin(), headers.rend(), [name](const Header& h) { return h.name == name; });
  return found == headers.rend() ? std::string_view() : std::string_view(found->value);
}

bool ResponseHeaders::add_line(std::string_view line) {
  total_ += line.size();
  if (line.size() > max_line || total_ > max_total) too_large_ = true;
  if (too_large_) return false;
  if (line.starts_with("HTTP/")) {
    start(line);
  } else if (complete_) {
    // a trailer: it came after the body and describes nothing that is kept
  } else if (parser::trim_ascii(line).empty()) {
    complete_ = status_ >= 200 || status_ == 101;
  } else {
    add_field(line);
  }
  return true;
}

void ResponseHeaders::start(std::string_view status_line) {
  constexpr std::size_t usual = 16;
  headers_.clear();
  headers_.reserve(usual);
  complete_ = false;
  status_ = 0;
  const std::size_t space = status_line.find(' ');
  if (space == std::string_view::npos) return;
  const std::string_view rest = parser::trim_ascii(status_line.substr(space));
  std::from_chars(rest.data(), rest.data() + std::min<std::size_t>(rest.size(), 3), status_);
}

void ResponseHeaders::add_field(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {  // an obsolete folded line continues the one before
    if (!headers_.empty()) headers_.back().value.append(" ").append(parser::trim_ascii(line));
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return;
  headers_.push_back({parser::to_ascii_lower(parser::trim_ascii(line.substr(0, colon))),
                      std::string(parser::trim_ascii(line.substr(colon + 1)))});
}

bool is_kept_type(std::string_view content_type) {
  const std::string type =
      parser::to_ascii_lower(parser::trim_ascii(content_type.substr(0, content_type.find_first_of(";,"))));
  if (type.find('/') == std::string::npos) return true;
  if (type.starts_with("text/")) return true;
  if (!type.starts_with("application/")) return false;
  return type == "application/pdf" || type == "application/xml" || type == "application/json" ||
         type.ends_with("+xml") || type.ends_with("+json");
}

bool is_redirect_status(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::optional<Timestamp> retry_after(int status, const std::vector<Header>& headers, Timestamp now) {
  if (status != 429 && status != 503) return std::nullopt;
  const std::string value(find_header(headers, "retry-after"));
  if (value.empty()) return std::nullopt;
  std::chrono::seconds::rep seconds = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  const bool is_number = end == value.data() + value.size() || *end == '.';
  if (error == std::errc::result_out_of_range) {
    seconds = value.front() == '-' ? 0 : storage::longest_silence.count();
  } else if (error != std::errc() || !is_number) {
    const std::time_t date = curl_getdate(value.c_str(), nullptr);
    if (date == -1) return std::nullopt;
    seconds = date - std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  }
  return now + std::clamp(std::chrono::seconds(seconds), std::chrono::seconds(0), storage::longest_silence);
}

}  // namespace linkherd::crawler
