// Finds URLs in running text and ends them where people mean them to end: before punctuation of any script, closing
// brackets and quotes that were opened in front, emphasis, and ideographs straight behind an ASCII URL. Linear.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace linkherd::parser {

struct BareUrl {
  std::size_t offset = 0;
  std::size_t length = 0;           // of "<https://…>" in plain text maybe with a line break inside: see unwrap_url
  bool unbalanced_bracket = false;  // a bracket directly around it has no partner

  bool operator==(const BareUrl&) const = default;
};

// What the text around it is written in.
enum class BareUrlContext {
  plain,   // every character stands for itself
  markup,  // Markdown, HTML: "&gt;" ends a URL as ">" does, and "\_" is an underscore
};

class BareUrlScanner {
 public:
  // `limit`, where given, says how far a URL that starts at an offset may reach: to the end of the emphasis it is in.
  using Limit = std::function<std::size_t(std::size_t start)>;
  BareUrlScanner(std::string_view text, BareUrlContext context, Limit limit = {})
      : text_(text), context_(context), limit_(std::move(limit)) {}

  // The next one in the order of the text: http, https, ftp, mailto, or "www." in front of a real host.
  std::optional<BareUrl> next();

 private:
  // Where a text that announces a URL comes next: looked for once, until the scanner has passed it.
  struct Sign {
    std::string_view text;
    std::size_t at = 0;
    bool looked = false;
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
  std::size_t position_ = 0;  // everything before is done
  Sign scheme_{"://"}, www_{"www."}, upper_www_{"WWW."}, mail_{"mailto:"};
};

}  // namespace linkherd::parser
