#include "parser/lists/text/bare_url_scanner.h"

#include <algorithm>
#include <array>

#include "parser/ascii.h"
#include "parser/lists/brackets.h"
#include "parser/lists/host_names.h"
#include "parser/lists/text/bare_url_end.h"

namespace linkherd::parser {
namespace {

constexpr std::array<std::string_view, 3> schemes{"https", "http", "ftp"};

constexpr std::size_t max_wrapped_bytes = 400;
constexpr std::size_t local_part_window = 65;  // 64 bytes (RFC 5321) and the "@"

constexpr bool is_ascii_host_character(char c) { return is_ascii_alphanumeric(c) || c == '-' || c == '.'; }
constexpr bool is_local_part_character(char c) {
  return is_ascii_alphanumeric(c) || std::string_view(".!#$%&'*+/=?^_`{|}~-").find(c) != std::string_view::npos;
}

}  // namespace

void BareUrlScanner::find_next(Candidate& candidate) const {
  if (candidate.is_searched && (candidate.at == std::string_view::npos || candidate.at >= position_)) return;
  candidate.at = text_.find(candidate.text, position_);
  candidate.is_searched = true;
}

std::optional<BareUrl> BareUrlScanner::next() {
  while (position_ < text_.size()) {
    for (Candidate* candidate : {&scheme_, &www_, &upper_www_, &mail_}) find_next(*candidate);
    const std::size_t at = std::min({scheme_.at, www_.at, upper_www_.at, mail_.at});
    if (at == std::string_view::npos) break;
    std::optional<BareUrl> found;
    if (at == scheme_.at) {
      found = url_at_scheme(at);
    } else {
      found = at == mail_.at ? mail_at(at) : url_at_www(at);
    }
    if (found) {
      position_ = found->offset + found->length;
      return found;
    }
    position_ = at + 1;
  }
  position_ = text_.size();
  return std::nullopt;
}

std::optional<BareUrl> BareUrlScanner::url_at_scheme(std::size_t colon) {
  const auto* scheme = std::ranges::find_if(schemes, [&](std::string_view name) {
    return colon >= position_ + name.size() &&
           equals_ignoring_case(text_.substr(colon - name.size(), name.size()), name);
  });
  if (scheme == schemes.end()) return std::nullopt;
  const std::size_t start = colon - scheme->size();
  if (start > 0) {
    // "git+https://" and "sftp://" are other schemes. In "链接https://" and "linkhttps://" only a space is missing.
    const char before = text_[start - 1];
    const bool joined = before == '+' && start > 1 && is_ascii_alphanumeric(text_[start - 2]);
    if (joined || (*scheme == "ftp" && is_ascii_alphanumeric(before))) return std::nullopt;
  }
  return read_from(start, colon + 3);
}

std::optional<BareUrl> BareUrlScanner::url_at_www(std::size_t start) {
  if (start > 0) {
    const char before = text_[start - 1];
    if (is_ascii_alphanumeric(before) || std::string_view("-_./@:\\%=&?#+").find(before) != std::string_view::npos) {
      return std::nullopt;
    }
  }
  // Reads the host first. The path is read only after a valid host, so that no byte is read for many candidates.
  std::string_view host = text_.substr(start + www_.text.size(), max_host_bytes);
  host =
      host.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(host, is_ascii_host_character) - host.begin()));
  while (host.ends_with('.')) host.remove_suffix(1);
  if (!is_public_host_name(host)) return std::nullopt;
  return read_from(start, start);
}

std::optional<BareUrl> BareUrlScanner::mail_at(std::size_t start) {
  if (start > 0 && is_ascii_alphanumeric(text_[start - 1])) return std::nullopt;
  const std::size_t address = start + mail_.text.size();
  const std::string_view local = text_.substr(std::min(address, text_.size()), local_part_window);
  const auto length =
      static_cast<std::size_t>(std::ranges::find_if_not(local, is_local_part_character) - local.begin());
  if (length == 0 || length == local.size() || local[length] != '@') return std::nullopt;
  std::optional<BareUrl> url = read_from(start, address);
  if (url && url->offset + url->length <= address + length + 1) return std::nullopt;
  return url;
}

// In "<https://…>", line breaks and the white space around them are not part of the URL (RFC 3986, appendix C). Returns
// the end of a URL that continues on the next line and is closed within a few lines. Otherwise returns `end`.
std::size_t BareUrlScanner::wrapped_end(std::size_t start, std::size_t end) const {
  const std::string_view before = text_.substr(0, start);
  if (!before.ends_with('<') && !before.ends_with("<URL:")) return end;
  const std::string_view window = text_.substr(end, max_wrapped_bytes);
  const std::size_t close = window.find_first_of("<>");
  if (close == std::string_view::npos || window[close] != '>') return end;
  const std::string_view inside = window.substr(0, close);
  if (inside.find_first_of("\r\n") == std::string_view::npos || inside.find("://") != std::string_view::npos)
    return end;
  // White space is allowed only around line breaks. Elsewhere it shows that the text is a sentence.
  for (std::size_t at = 0; at < inside.size(); ++at) {
    if (!is_ascii_space(inside[at])) continue;
    const std::size_t next = std::min(inside.find_first_not_of(" \t\r\n", at), inside.size());
    if (inside.substr(at, next - at).find_first_of("\r\n") == std::string_view::npos) return end;
    at = next;
  }
  return end + trim_ascii(inside).size() + static_cast<std::size_t>(trim_ascii(inside).data() - inside.data());
}

std::optional<BareUrl> BareUrlScanner::read_from(std::size_t start, std::size_t host) const {
  const std::string_view readable = limit_ ? text_.substr(0, std::max(limit_(start), host)) : text_;
  std::size_t end = find_bare_url_end(readable, start, host, context_);
  if (end <= start) return std::nullopt;
  if (context_ == BareUrlContext::plain) end = wrapped_end(start, end);
  BareUrl url{start, end - start, false};
  url.unbalanced_bracket = !has_matching_brackets(text_.substr(0, start), text_.substr(end));
  return url;
}

}  // namespace linkherd::parser
