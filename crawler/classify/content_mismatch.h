// Compares a page with the entries of a list that link to it: the words of the link text and of the rest of the entry
// against the words of the page, its URL and the headings above the entry. Detects sold domains, which answer 200 with
// unrelated content. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "parser/lists/link_occurrence.h"
#include "parser/url/url.h"
#include "storage/verdict.h"

namespace linkherd::crawler {

// The visible text of a page. Empty if it cannot be compared: no HTML, no text, or a guessed charset.
struct VisibleText {
  std::string title;  // of <title>
  std::string text;   // the start of the visible text
};
inline constexpr std::size_t max_visible_text_bytes = std::size_t{32} << 10;

struct AnsweringPage {
  const parser::Url& asked;
  std::string_view final_url;  // after all redirects
  std::string_view about;      // title, site name and description from its metadata
  const VisibleText& visible;
};

// A title or an entry as evidence: cut if it is long.
std::string in_quotes(std::string_view text);

// Login pages of single sign-on services: the page behind them is unknown.
bool is_sign_on(std::string_view final_url);

// Entries of a link that are compared with its page: each may need one pass over its text.
inline constexpr std::size_t max_compared_entries = 32;

// The entry that matches a page least, and the confidence that no entry describes the page.
struct ContentMismatch {
  std::string entry;        // the text of that entry, and its description
  std::size_t words = 0;    // number of their specific words; character pairs count as words
  std::size_t on_page = 0;  // how many of them are on the page
  double confidence = 0.0;  // always below storage::sure_of_death
};

// Returns nullopt if an entry matches the page, or if no entry can be compared: generic texts ("here", "PDF"), bare
// URLs, images, texts with fewer than two specific words unless a description has four more, short texts that the URL
// or the headings above the entry confirm (renamed products), texts in another language than the page (translations),
// unless these have Latin words within another script, or names such as "PyTorch". Only the first
// `max_compared_entries` are read.
std::optional<ContentMismatch> find_content_mismatch(const std::vector<parser::LinkOccurrence>& entries,
                                                     const AnsweringPage& page);

// Returns true if what the page says of itself (`about`) matches no entry, so that its text decides; it is not read.
bool may_need_text(const std::vector<parser::LinkOccurrence>& entries, const AnsweringPage& page);

// Returns the text of an entry that names the page: all its specific words, two at least, are in the title, and half of
// them in the text. Nullopt if none does.
std::optional<std::string> matching_entry(const std::vector<parser::LinkOccurrence>& entries,
                                          const VisibleText& visible);

// Converts contradictions to verdicts. Several on one registrable domain raise the confidence.
class MismatchEvaluator {
 public:
  // `there`: the verdict of the answer, alive or redirected. `title`: the title of the page, for the evidence.
  storage::Verdict evaluate(const storage::Verdict& there, const ContentMismatch& found, const parser::Url& asked,
                            std::string_view title);

 private:
  struct Domain {
    std::uint32_t mismatches = 0;
    std::uint32_t with_first_title = 0;
    std::size_t first_title = 0;  // hash of the first title
  };
  static constexpr std::size_t max_domains = 100'000;
  std::unordered_map<std::string, Domain> domains_;  // by registrable domain
};

}  // namespace linkherd::crawler
