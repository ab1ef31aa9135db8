// What a link and the page behind it may have in common with other entries that are the same page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/run.h"

namespace linkherd::parser {
class TrackingRules;
class Url;
}  // namespace linkherd::parser

namespace linkherd::reports {

// The same for the same text in one process.
std::uint64_t text_hash(std::string_view text);
inline std::uint32_t short_hash(std::string_view text) { return static_cast<std::uint32_t>(text_hash(text)); }

struct Address {
  std::string_view page, fragment;
};
Address split_address(std::string_view href);

// All addresses are without fragment.
struct ComparedPage {
  // Of the link's own URL; empty where it is not http(s).
  bool is_web = false;
  std::string normalized, untracked, equivalent;
  std::string untracked_fragment;  // of the target of a redirector

  // By the built-in rules alone.
  struct Forms {
    std::string normalized, equivalent, fragment;
    std::uint32_t host = 0;  // hash
  };
  std::optional<Forms> reached;  // the address of the page that was reached, where that is known

  bool is_there = false;
  // The rest only of a page that is there.
  std::optional<Forms> declared;  // its canonical URL, where it says one
  std::uint64_t text = 0;         // digest of the main text; 0: not comparable
  std::uint32_t title = 0;        // as in Excerpt; 0: none. Pages of one template have different titles

  // The canonical URL: the declared one, or its own.
  const std::string& canonical() const {
    if (declared) return declared->normalized;
    return is_there && reached ? reached->normalized : normalized;
  }
};

// `url`: of the link, or null if it has none. `rules`: of the user, in addition to the built-in ones; may be null.
ComparedPage compared_page(const storage::Verdict& verdict, const storage::Excerpt& excerpt, const parser::Url* url,
                           const parser::TrackingRules* rules);

// Whether an occurrence is compared: a link in text, and no image, resource, form or placeholder.
bool is_compared(const parser::LinkOccurrence& occurrence);

}  // namespace linkherd::reports
