// Extracts the properties of a link and its page by which entries with the same page are found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/link_result.h"

namespace linkherd::parser {
class TrackingRules;
class Url;
}  // namespace linkherd::parser

namespace linkherd::reports {

// Returns a hash that is stable only within one process.
std::uint64_t text_hash(std::string_view text);
inline std::uint32_t short_hash(std::string_view text) { return static_cast<std::uint32_t>(text_hash(text)); }

// The parts of an address before and after the "#".
std::string_view page_part(std::string_view href);
std::string_view fragment_part(std::string_view href);

// Addresses have no fragments.
struct ComparedPage {
  // Forms of the link's own URL; empty unless it is http or https.
  bool is_web = false;
  std::string normalized, untracked, equivalent;
  std::string untracked_fragment;  // fragment of a redirector's target

  // Forms of an address according to the built-in rules only.
  struct Forms {
    std::string normalized, equivalent, fragment;
    std::uint32_t host = 0;  // hash
  };
  std::optional<Forms> reached;  // the address at the end of the redirect chain, if known

  bool exists = false;
  // The other members are set only if the page exists.
  std::optional<Forms> declared;  // the canonical URL that the page declares, if any
  std::uint64_t text = 0;         // digest of the main text; 0: not comparable
  std::uint32_t title = 0;        // PageSummary::title_hash; 0: none. Pages of one template have different titles

  // Returns the canonical URL: the declared one, or the page's own address.
  const std::string& canonical() const {
    if (declared) return declared->normalized;
    return exists && reached ? reached->normalized : normalized;
  }
};

// `url` is the URL of the link, or nullptr if it has none. `rules` are the user's rules in addition to the built-in
// ones; may be nullptr.
ComparedPage compared_page(const storage::LinkResult& result, const parser::Url* url,
                           const parser::TrackingRules* rules);

// Returns true if an occurrence is compared: a link in text, but not an image, resource, form or placeholder.
bool is_compared(const parser::LinkOccurrence& occurrence);
bool is_compared(parser::LinkElement element);

}  // namespace linkherd::reports
