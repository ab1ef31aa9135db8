// Finds URLs in running text. A URL ends where its author most likely meant it to end:
// - before punctuation of any script;
// - before a closing bracket or quote that was opened before the URL;
// - before emphasis marks;
// - before ideographs that directly follow an ASCII URL.
//
// Example: in "(see https://example.org/a_(b)), or https://example.cn查看" the scanner finds
// "https://example.org/a_(b)" and "https://example.cn". The first ")" closes a bracket inside the URL, so it belongs to
// the URL; the second one closes the bracket before "see". The ideographs are text, because "example.cn" is already a
// complete host.
//
// Scanning the whole text takes linear time. bare_url_end.h implements the end of a URL.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace linkherd::parser {

struct BareUrl {
  std::size_t offset = 0;
  std::size_t length = 0;           // "<https://…>" in plain text may include a line break; see unwrap_url()
  bool unbalanced_bracket = false;  // a bracket directly before or after the URL is unmatched

  bool operator==(const BareUrl&) const = default;
};

// The syntax of the surrounding text.
enum class BareUrlContext {
  plain,   // without escapes
  markup,  // Markdown or HTML: "&gt;" ends a URL like ">", and "\_" is an underscore
};

class BareUrlScanner {
 public:
  // Returns the maximum end of a URL that starts at `start`, which is the end of the emphasis around it.
  using Limit = std::function<std::size_t(std::size_t start)>;
  // `limit` may be empty. `text` must outlive the scanner.
  BareUrlScanner(std::string_view text, BareUrlContext context, Limit limit = {})
      : text_(text), context_(context), limit_(std::move(limit)) {}

  // Returns the next URL in the order of the text, or nullopt at the end. A URL begins with "http://", "https://",
  // "ftp://" or "mailto:", or with "www." if it is a public host name.
  std::optional<BareUrl> next();

 private:
  // The next position of a text that may start a URL. It is searched again only after the scanner has passed it.
  struct Candidate {
    std::string_view text;
    std::size_t at = 0;
    bool is_searched = false;
  };
  void find_next(Candidate& candidate) const;
  std::optional<BareUrl> url_at_scheme(std::size_t colon);
  std::optional<BareUrl> url_at_www(std::size_t start);
  std::optional<BareUrl> mail_at(std::size_t start);
  std::size_t wrapped_end(std::size_t start, std::size_t end) const;
  std::optional<BareUrl> read_from(std::size_t start, std::size_t host) const;

  std::string_view text_;
  BareUrlContext context_;
  Limit limit_;
  std::size_t position_ = 0;  // everything before this offset is scanned
  Candidate scheme_{"://"}, www_{"www."}, upper_www_{"WWW."}, mail_{"mailto:"};
};

}  // namespace linkherd::parser
