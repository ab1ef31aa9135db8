// Finds URLs in running text and where authors mean them to end: before punctuation of any script, before a closing
// bracket or quote that was opened before the URL, before emphasis marks, and before ideographs directly after an
// ASCII URL. Linear time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace linkherd::parser {

struct BareUrl {
  std::size_t offset = 0;
  std::size_t length = 0;           // a "<https://…>" in plain text may contain a line break: see unwrap_url()
  bool unbalanced_bracket = false;  // a bracket directly before or after it is unmatched

  bool operator==(const BareUrl&) const = default;
};

// The syntax of the surrounding text.
enum class BareUrlContext {
  plain,   // no escapes
  markup,  // Markdown, HTML: "&gt;" ends a URL as ">" does; "\_" is an underscore
};

class BareUrlScanner {
 public:
  // Optional: returns the maximum end of a URL that starts at an offset, which is the end of the emphasis around it.
  using Limit = std::function<std::size_t(std::size_t start)>;
  BareUrlScanner(std::string_view text, BareUrlContext context, Limit limit = {})
      : text_(text), context_(context), limit_(std::move(limit)) {}

  // Returns the next URL in the order of the text: http, https, ftp, mailto, or "www." before a public host name.
  std::optional<BareUrl> next();

 private:
  // The next occurrence of a text that may start a URL. It is searched again only after the scanner has passed it.
  struct Sign {
    std::string_view text;
    std::size_t at = 0;
    bool has_looked = false;
  };
  void look_for(Sign& sign) const;
  std::optional<BareUrl> url_at_scheme(std::size_t colon);
  std::optional<BareUrl> url_at_www(std::size_t start);
  std::optional<BareUrl> mail_at(std::size_t start);
  std::size_t wrapped_end(std::size_t start, std::size_t end) const;
  std::optional<BareUrl> read_from(std::size_t start, std::size_t host) const;

  std::string_view text_;
  BareUrlContext context_;
  Limit limit_;
  std::size_t position_ = 0;  // everything before it was scanned
  Sign scheme_{"://"}, www_{"www."}, upper_www_{"WWW."}, mail_{"mailto:"};
};

}  // namespace linkherd::parser
