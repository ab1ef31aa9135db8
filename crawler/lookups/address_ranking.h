// Ranks the addresses of a listing, such as a sitemap, by how likely each is the new address of a page that has moved.
// Pure. The preparation of a listing takes time in proportion to its size, and each page much less.
//
// Four properties of an address count:
// - the part of the path that names the page (its slug): equal, or similar in its letters;
// - identifiers, such as 947226 in "?doid=947226";
// - words that the address and its text share with the old address, the title and the texts of links. A word counts
//   the more, the fewer addresses of the listing have it;
// - the other parts of the path.
//
// For example, https://example.org/2014/08/17/zapping-rachel/ is most likely now the page /zapping-rachel.html.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "parser/url/url.h"

namespace linkherd::crawler {

// A page whose new address is wanted, with its known properties.
struct MovedPage {
  parser::Url url;                 // its old address
  std::string title;               // of its last good copy; may be empty
  std::vector<std::string> texts;  // of the links to it
};

struct ListedAddress {
  parser::Url url;
  std::string text;  // the link text or title that the listing has for it; may be empty
};

struct RankedAddress {
  std::size_t index = 0;  // in the listing
  double score = 0.0;     // about 2.5 for the same path, below 0.5 for unrelated addresses
};

struct AddressRanking {
  std::vector<RankedAddress> best;  // best first
  bool is_confident = false;        // the first address has a good score, and a clear lead over the second
};

// A listing, prepared for the search of many pages. Addresses with the same equivalent form (parser/url/canonical.h)
// count as one, the first of them.
class AddressRanker {
 public:
  explicit AddressRanker(const std::vector<ListedAddress>& listing);
  AddressRanker(AddressRanker&& other) noexcept;
  AddressRanker& operator=(AddressRanker&& other) noexcept;
  ~AddressRanker();

  // Returns the best addresses, at most `max_addresses`.
  AddressRanking rank(const MovedPage& page, std::size_t max_addresses) const;

 private:
  struct Index;

  std::unique_ptr<const Index> index_;
};

// The same for one page.
AddressRanking rank_addresses(const MovedPage& page, const std::vector<ListedAddress>& listing,
                              std::size_t max_addresses);

}  // namespace linkherd::crawler
