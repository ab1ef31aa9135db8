// The choice among candidates: one value a field, by trust and agreement.
#pragma once

#include <string>
#include <vector>

#include "parser/metadata/candidates.h"
#include "parser/metadata/metadata.h"
#include "parser/metadata/page.h"

namespace linkherd::parser {

// Letters (see letters_of) of every name the site goes by: og:site_name, publisher, the labels of its host.
std::vector<std::string> names_of_site(const Page& page, const Candidates& candidates);

std::optional<Field<std::string>> resolve_title(const Page& page, const Candidates& candidates,
                                                const std::vector<std::string>& site_names);
std::optional<Field<std::vector<std::string>>> resolve_authors(const Candidates& candidates,
                                                               const std::vector<std::string>& site_names);
std::optional<Field<std::string>> resolve_date(const CandidateList<WrittenDate>& dates);
std::optional<Field<std::string>> resolve_language(const Candidates& candidates);
std::optional<Field<std::string>> resolve_canonical(const Page& page, const Candidates& candidates);

// The most trusted; of equals the first on the page.
std::optional<Field<std::string>> most_trusted(const CandidateList<std::string>& candidates);

}  // namespace linkherd::parser
