// Finds identifiers of works: DOIs, arXiv ids and ISBNs. All functions return the bare identifier, or an empty string
// if there is none.
#pragma once

#include <string>
#include <string_view>

#include "parser/url/url.h"

namespace linkherd::parser {

// Returns the DOI: "10.1000/182" for "10.1000/182", "doi:10.1000/182" and "https://doi.org/10.1000/182".
std::string parse_doi(std::string_view text);

// Returns the arXiv id without its version: "2401.01234" for "2401.01234v2" and "arXiv:2401.01234", "hep-th/9901001"
// for "https://arxiv.org/abs/hep-th/9901001".
std::string parse_arxiv_id(std::string_view text);

// Returns the digits of an ISBN-13 ("978-3-16-148410-0") or ISBN-10. Empty if the check digit is wrong.
std::string parse_isbn(std::string_view text);

// Returns the DOI that a URL contains: a URL of the resolver of the DOI foundation, or of a paper at arXiv. arXiv
// registers a DOI for every paper.
std::string find_doi(const Url& url);

// Returns the id of a paper from its URL at arXiv.
std::string find_arxiv_id(const Url& url);

}  // namespace linkherd::parser
