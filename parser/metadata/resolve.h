// Chooses one value per field among the candidates, by trust and agreement, and records the reason in every candidate.
//
// - Identifiers, description and site name: the candidate with the highest trust.
// - Title: a visible heading gains confidence if titles in the head have the same or similar letters. Site names and
//   titles that every page of a site has are ignored. Site rules always win. On offers and lists, a title of the head
//   that agrees with the address replaces a heading that nothing confirms; a slogan after " | " is removed, as are
//   prices, and counts and other slogans that a second title of the page lacks.
// - Authors: names of the site are dropped. Names in the head count half if the visible page names other authors.
// - Dates: every further source that has the same day raises the confidence. A local date on the page replaces the same
//   moment in UTC.
//
// Example: a page has the site name "Garden Weekly" and these candidates for its title:
//     <title>   "Grow tomatoes | Garden Weekly"   trust 0.6
//     og:title  "Grow tomatoes"                   trust 0.7
//     <h1>      "Grow Tomatoes!"                  trust 0.8
// The site name is removed from the first candidate. All three then have the same letters, "growtomatoes". Both titles
// of the head support the heading with 0.15 each. So the title is "Grow Tomatoes!" of source "h1", with the confidence
// min(0.8 + 0.3, 1). The verdict of the other two is "same as the chosen value".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/metadata/candidates.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/page.h"

namespace linkherd::parser {

// The names of a site, as normalized letters (see extract_letters).
struct SiteNames {
  std::vector<std::string> stated;     // from og:site_name and similar sources
  std::vector<std::string> from_host;  // from the host name and its labels

  bool contains(std::string_view letters) const;
};
// Removes the headline from the names of the site. Some sites write it to og:site_name too.
void reject_headlines_as_site_names(Candidates& candidates, std::string_view host);
SiteNames find_site_names(const Page& page, const Candidates& candidates);

std::optional<Field<std::string>> resolve_title(const Page& page, Candidates& candidates, const SiteNames& site_names);
std::optional<Field<std::vector<std::string>>> resolve_authors(const Page& page, Candidates& candidates,
                                                               const SiteNames& site_names);
// How to treat a date in the head that is later than the only date that the page shows.
enum class LaterDatePolicy : std::uint8_t { prefer_dateline, keep };
std::optional<Field<std::string>> resolve_date(CandidateList<WrittenDate>& dates, LaterDatePolicy policy);
// Returns nullopt if the page names several works.
std::optional<Field<std::string>> resolve_identifier(CandidateList<std::string>& candidates);
std::optional<Field<std::string>> resolve_language(Candidates& candidates);
std::optional<Field<std::string>> resolve_canonical(const Page& page, Candidates& candidates);

// Returns the candidate with the highest trust. If several have the same trust, the first on the page wins.
std::optional<Field<std::string>> find_most_trusted(CandidateList<std::string>& candidates);

}  // namespace linkherd::parser
