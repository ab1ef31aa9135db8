// Detects pages that do not match the entries that link to them, such as sold domains, which answer 200 with unrelated
// content. Pure functions.
//
// It compares the words of an entry (link text and description) with the words of the page and of its URL. For short
// entries, it also compares the headings above the entry.
//
// For example, the entry "Quarry Quill letterpress supplies" links to https://quarryquill.example/, whose page is now
// titled "Best online casino". No word of the entry is on the page, which gives a confidence of 0.65. The words of the
// URL are not on the page either, which adds 0.1. Further mismatches on the same registrable domain add 0.05 each, up
// to 0.85.
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
  const parser::Url& requested;
  std::string_view final_url;  // after all redirects
  std::string_view about;      // title, site name and description from its metadata
  const VisibleText& visible;
};

// Quotes a title or an entry as evidence, shortened if it is long.
std::string in_quotes(std::string_view text);

// Returns true for login pages of single sign-on services: the requested page is unknown.
bool is_sign_on(std::string_view final_url);

// Maximum number of entries per link that are compared with its page, because each may need a pass over its text.
inline constexpr std::size_t max_compared_entries = 32;

// The entry that matches a page least, and the confidence that no entry describes the page.
struct ContentMismatch {
  std::string entry;        // the text of that entry, and its description
  std::size_t words = 0;    // number of specific words of entry and description; a pair of characters counts as a word
  std::size_t on_page = 0;  // how many of these words are on the page
  double confidence = 0.0;  // always below storage::sure_of_death
};

// Returns nullopt if an entry matches the page, or if no entry can be compared. Entries that cannot be compared are:
// - generic texts ("here", "PDF"), bare URLs and images;
// - texts with fewer than two specific words, unless the description has at least four;
// - short texts that the URL or the headings above the entry confirm (renamed products);
// - texts in another language than the page (translations), unless they have Latin words within another script, or
//   names such as "PyTorch".
// Only the first `max_compared_entries` are read.
std::optional<ContentMismatch> find_content_mismatch(const std::vector<parser::LinkOccurrence>& entries,
                                                     const AnsweringPage& page);

// Returns true if the metadata of the page (`about`) matches no entry, so that its text must be compared. Does not read
// the text.
bool may_need_text(const std::vector<parser::LinkOccurrence>& entries, const AnsweringPage& page);

// Returns the text of an entry that names the page, or nullopt if no entry does. All of its specific words (at least
// two) must be in the title, and half of them in the text.
std::optional<std::string> matching_entry(const std::vector<parser::LinkOccurrence>& entries,
                                          const VisibleText& visible);

// Converts mismatches to verdicts. Several on one registrable domain raise the confidence.
class MismatchEvaluator {
 public:
  // `page_verdict` is the verdict of the answer, alive or redirected. `title` is the title of the page, for the
  // evidence.
  storage::Verdict evaluate(const storage::Verdict& page_verdict, const ContentMismatch& found,
                            const parser::Url& requested, std::string_view title);

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
