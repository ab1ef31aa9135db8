// Whether a page is what the entries of a list say: the words of the link's text against those of the page. A sold
// domain answers 200 with a casino; no status tells that. Pure.
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

// What people see of a page; empty where there is nothing to compare with: no HTML, no text, a charset that was
// guessed.
struct VisibleText {
  std::string title;  // of <title>
  std::string text;   // the beginning of all that is visible
};
inline constexpr std::size_t longest_visible_text = std::size_t{32} << 10;

struct AnsweringPage {
  const parser::Url& asked;
  std::string_view final_url;  // where the redirects end
  std::string_view about;      // title, site name, description by its metadata
  const VisibleText& visible;
};

// How sure it is that no entry is about the page, and which one says what.
struct Contradiction {
  std::string entry;        // the text of the one that is contradicted most clearly
  std::size_t words = 0;    // those of it that say what it is about; pairs of characters count as words
  std::size_t on_page = 0;  // and how many of them are on the page
  double confidence = 0.0;  // below storage::sure_of_death
};

// Nothing where one of the entries agrees with the page, or none says anything that can be compared: generic texts
// ("here", "PDF"), bare URLs, images, texts of fewer than two words of their own, texts in another language than the
// page's (translations), short texts that the URL confirms (renamed products). Looks at the first entries of many.
std::optional<Contradiction> contradiction(const std::vector<parser::LinkOccurrence>& entries,
                                           const AnsweringPage& page);

// Turns contradictions into verdicts. Several on one registrable domain strengthen each other.
class OtherContent {
 public:
  // `there`: the verdict that the answer got, alive or redirected. `title`: the page's, for people.
  storage::Verdict judge(const storage::Verdict& there, const Contradiction& found, const parser::Url& asked,
                         std::string_view title);

 private:
  struct Domain {
    std::uint32_t contradictions = 0;
    std::uint32_t with_first_title = 0;
    std::size_t first_title = 0;  // its hash
  };
  static constexpr std::size_t most_domains = 100'000;
  std::unordered_map<std::string, Domain> domains_;  // by registrable domain
};

}  // namespace linkherd::crawler
