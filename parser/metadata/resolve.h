// Chooses one value per field among the candidates, by trust and agreement. Records the reason in every candidate.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/metadata/candidates.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/page.h"

namespace linkherd::parser {

// The names of a site, as normalized letters (see letters_of).
struct SiteNames {
  std::vector<std::string> stated;   // og:site_name and others
  std::vector<std::string> of_host;  // the host and its labels

  bool contain(std::string_view letters) const;
};
SiteNames names_of_site(const Page& page, const Candidates& candidates);

std::optional<Field<std::string>> resolve_title(const Page& page, Candidates& candidates, const SiteNames& site_names);
std::optional<Field<std::vector<std::string>>> resolve_authors(const Page& page, Candidates& candidates,
                                                               const SiteNames& site_names);
// What a date in the head says that is later than the only date that the page shows.
enum class Later : std::uint8_t { is_republished, is_right };
std::optional<Field<std::string>> resolve_date(CandidateList<WrittenDate>& dates, Later later);
// Nullopt where the page names several works.
std::optional<Field<std::string>> resolve_identifier(CandidateList<std::string>& candidates);
std::optional<Field<std::string>> resolve_language(Candidates& candidates);
std::optional<Field<std::string>> resolve_canonical(const Page& page, Candidates& candidates);

// Returns the candidate with the highest trust; among equals the first on the page.
std::optional<Field<std::string>> find_most_trusted(CandidateList<std::string>& candidates);

}  // namespace linkherd::parser
